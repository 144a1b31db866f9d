import pytest

from boca.cli.serve.settings import read_settings
from boca.core.errors import InputError

MAIL = '[mail]\nhost = "smtp.example.org"\nfrom = "Auctions <auctions@example.org>"\n'


def settings(tmp_path, text):
    path = tmp_path / "server.toml"
    path.write_text(text)
    return read_settings(path)


def test_password_comes_from_a_file_or_the_environment(tmp_path, monkeypatch):
    """Tests that the settings themselves hold no secret, and that the environment goes first."""
    (tmp_path / "secret").write_text("from a file\n")
    text = MAIL + 'user = "boca"\npassword_file = "secret"\n'
    assert settings(tmp_path, text).mail.password == "from a file"
    monkeypatch.setenv("BOCA_SMTP_PASSWORD", "from the environment")
    assert settings(tmp_path, text).mail.password == "from the environment"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[mial]\n", "did you mean 'mail'"),
        ("[mail]\n", "need mail.host"),
        ('[mail]\nhost = "smtp.example.org"\n', "need mail.from"),
        (MAIL + 'password = "x"\n', "key 'mail.password'"),
        (MAIL + 'port = "25"\n', "a whole number"),
        (MAIL + "port = 70000\n", "from 1 to 65535"),
        (MAIL + 'security = "none"\n', "unencrypted"),
        (MAIL + 'security = "ssl"\n', "starttls, tls, none"),
        (MAIL + 'user = "boca"\n', "BOCA_SMTP_PASSWORD"),
        (MAIL + 'user = "boca"\npassword_file = "nowhere"\n', "cannot be read"),
        (MAIL + 'certificates = "nowhere"\n', "cannot be read"),
        (MAIL.replace("auctions@", "auctions\\r\\nBcc: "), "expected one such as"),
        (MAIL + 'reply_to = "x"\n', "expected one such as"),
        ("[mail", "is not TOML"),
    ],
)
def test_wrong_settings_are_named(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        settings(tmp_path, text)


def test_no_settings_are_fine_and_a_missing_file_is_not(tmp_path):
    assert read_settings(None).mail is None
    with pytest.raises(InputError, match=r"no file of settings .*nowhere\.toml"):
        read_settings(tmp_path / "nowhere.toml")
