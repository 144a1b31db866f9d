"""Why a mail has not left: a word that every language has a sentence for."""

import smtplib
import socket
import ssl

# Nothing can be sent to anybody while these last.
OF_SERVER = ("refused", "unknown", "silent", "broken", "sign-in", "encryption")
# What else can stand there: the mail server's own words, such as "550 No such user".
WORDS = (*OF_SERVER, "unreadable", "ended", "removed")


def trouble_of(error: OSError) -> str:
    """
    What an error says about the mail server: one of ``WORDS``, or what the server itself said.

    Parameters
    ----------
    error
        Of the connection or of the conversation; those of ``smtplib`` are of this kind, too.
    """
    match error:
        case smtplib.SMTPAuthenticationError():
            return "sign-in"
        case ssl.SSLError() | smtplib.SMTPNotSupportedError():
            return "encryption"
        case smtplib.SMTPResponseException():
            words = error.smtp_error
            text = words.decode(errors="replace") if isinstance(words, bytes) else words
            return " ".join(f"{error.smtp_code} {text}".split())
        case socket.gaierror():
            return "unknown"
        case TimeoutError():
            return "silent"
        case ConnectionRefusedError():
            return "refused"
        case _:
            return "broken"
