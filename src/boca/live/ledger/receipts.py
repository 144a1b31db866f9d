"""Ed25519 signatures under receipts and heads of logs."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from boca.core.errors import InputError
from boca.live.ledger.canonical import canonical


@dataclass(frozen=True)
class SigningKey:
    """
    The private key that signs receipts.

    Parameters
    ----------
    key
        Ed25519.
    """

    key: Ed25519PrivateKey

    @classmethod
    def from_seed(cls, seed: bytes) -> "SigningKey":
        """The key of 32 secret bytes."""
        return cls(Ed25519PrivateKey.from_private_bytes(seed))

    @classmethod
    def load(cls, path: Path, seed: bytes | None = None) -> "SigningKey":
        """
        The key in a file, which is made at the first call and readable by its owner alone.

        Parameters
        ----------
        path
            The file: 64 hexadecimal digits.
        seed
            What a new key is made of; 32 bytes from the system unless given.
        """
        if not path.exists():
            new = cls(Ed25519PrivateKey.generate()) if seed is None else cls.from_seed(seed)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w") as file:
                file.write(new.private_hex())
                file.flush()
                os.fsync(file.fileno())
            return new
        return cls.read(path)

    @classmethod
    def read(cls, path: Path) -> "SigningKey":
        """The key in a file that exists."""
        try:
            return cls.from_seed(bytes.fromhex(path.read_text().strip()))
        except FileNotFoundError:
            raise InputError(f"There is no key file '{path}'. Check the folder.") from None
        except ValueError:
            raise InputError(
                f"The key file '{path}' does not hold a key; expected 64 hexadecimal digits. "
                "Restore it from a backup."
            ) from None

    def private_hex(self) -> str:
        """The secret; for the key file alone."""
        return self.key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption()).hex()

    @property
    def public(self) -> str:
        """The public key, 64 hexadecimal digits."""
        return self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, content: dict[str, Any]) -> dict[str, Any]:
        """The content with a ``signature`` over the canonical JSON of all the rest."""
        unsigned = {key: value for key, value in content.items() if key != "signature"}
        signature = self.key.sign(canonical(unsigned).encode())
        return {**unsigned, "signature": signature.hex()}


def check_signature(content: dict[str, Any], public: str) -> bool:
    """
    Whether something was signed with the key that belongs to a public key.

    Parameters
    ----------
    content
        What :meth:`SigningKey.sign` returned.
    public
        The public key, 64 hexadecimal digits.
    """
    unsigned = {key: value for key, value in content.items() if key != "signature"}
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(str(content.get("signature", ""))), canonical(unsigned).encode())
    except (InvalidSignature, ValueError, InputError):
        return False
    return True
