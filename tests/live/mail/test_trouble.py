"""What is said when mails cannot be sent."""

import smtplib
import socket
import ssl

import pytest

from boca.live.mail.trouble import OF_SERVER, WORDS, trouble_of
from boca.live.web.pages.staff.mails import problem_words
from boca.live.web.texts import languages, load

ERRORS = [
    (ConnectionRefusedError(111, "Connection refused"), "refused"),
    (socket.gaierror(-2, "Name or service not known"), "unknown"),
    (TimeoutError("timed out"), "silent"),
    (smtplib.SMTPServerDisconnected("Connection unexpectedly closed"), "broken"),
    (ConnectionResetError(104, "Connection reset by peer"), "broken"),
    (smtplib.SMTPAuthenticationError(535, b"no"), "sign-in"),
    (ssl.SSLCertVerificationError("self-signed certificate"), "encryption"),
    (smtplib.SMTPNotSupportedError("STARTTLS is not supported"), "encryption"),
]


@pytest.mark.parametrize(("error", "word"), ERRORS, ids=lambda item: type(item).__name__)
def test_errors_have_words(error, word):
    """Tests that nobody has to know what a ConnectionRefusedError is."""
    assert trouble_of(error) == word
    assert word in OF_SERVER


def test_what_the_mail_server_says_is_kept():
    """Tests that its own answer is shown, since it may be the only one that explains anything."""
    error = smtplib.SMTPResponseException(421, b"4.7.0 Try again\r\nlater")
    assert trouble_of(error) == "421 4.7.0 Try again later"
    assert problem_words(load("de"), "550 No such user") == "Der Mailserver sagt: 550 No such user"


@pytest.mark.parametrize("language", languages())
def test_words_stand_in_every_language(language):
    """Tests that the page of mails says each of them in a sentence, or nothing."""
    t = load(language)
    assert len({problem_words(t, word) for word in WORDS}) == len(WORDS)
    assert problem_words(t, "") == ""
