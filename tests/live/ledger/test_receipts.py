"""Signatures that only the holder of the key can make."""

import stat

import pytest

from boca.core.errors import InputError
from boca.live.ledger import SigningKey, check_signature

# RFC 8032, section 7.1, test 1.
SECRET = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"


def test_public_key_is_the_published_one():
    """Tests the key pair against RFC 8032."""
    assert SigningKey.from_seed(bytes.fromhex(SECRET)).public == PUBLIC


def test_signature_holds_for_the_content_alone():
    """Tests that neither another content nor another key passes."""
    key = SigningKey.from_seed(bytes(32))
    signed = key.sign({"hash": "ab", "units": 5})
    assert check_signature(signed, key.public)
    assert not check_signature({**signed, "units": 6}, key.public)
    assert not check_signature(signed, PUBLIC)
    assert not check_signature({"hash": "ab"}, key.public)
    assert not check_signature({**signed, "signature": "zz"}, key.public)


def test_same_content_has_the_same_signature():
    """Tests that a receipt can be made again at any time, bit by bit."""
    key = SigningKey.from_seed(bytes(32))
    assert key.sign({"a": 1}) == key.sign({"a": 1, "signature": "old"})


def test_key_file_is_made_once_and_private(tmp_path):
    """Tests that a restart keeps the key, and that nobody else can read it."""
    path = tmp_path / "receipts.key"
    first = SigningKey.load(path)
    assert SigningKey.load(path).public == first.public
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_damaged_key_file_is_one_sentence(tmp_path):
    """Tests that a cut-off key is named rather than replaced by a new one."""
    path = tmp_path / "receipts.key"
    path.write_text("abc")
    with pytest.raises(InputError, match=r"receipts\.key"):
        SigningKey.load(path)
