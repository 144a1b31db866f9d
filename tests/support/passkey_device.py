"""A device that makes passkeys and signs with them, as WebAuthn wants it; and lies if asked to."""

import hashlib
import json
import os
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode

PRESENT, VERIFIED, HAS_KEY = 0x01, 0x04, 0x40


@dataclass
class PasskeyDevice:
    """
    One key for one address.

    Parameters
    ----------
    origin, host
        Where its browser is.
    flags
        What it says of its owner.
    uses
        Its count of uses; stays at 0 if it does not count.
    """

    origin: str = "http://localhost:8080"
    host: str = "localhost"
    flags: int = PRESENT | VERIFIED
    uses: int = 1
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    id: bytes = field(default_factory=lambda: os.urandom(16))

    def make(self, options: dict[str, Any]) -> dict[str, Any]:
        """What ``navigator.credentials.create`` gives, as JSON."""
        public = cbor.encode(ES256.from_cryptography_key(self.key.public_key()))
        attested = b"\x00" * 16 + len(self.id).to_bytes(2, "big") + self.id + public
        data = self._data(self.flags | HAS_KEY) + attested
        made = cbor.encode({"fmt": "none", "attStmt": {}, "authData": data})
        return self._answer(
            attestationObject=websafe_encode(made),
            clientDataJSON=websafe_encode(self._client(options, "webauthn.create")),
        )

    def sign(self, options: dict[str, Any]) -> dict[str, Any]:
        """What ``navigator.credentials.get`` gives, as JSON."""
        self.uses += bool(self.uses)
        client, data = self._client(options, "webauthn.get"), self._data(self.flags)
        signed = data + hashlib.sha256(client).digest()
        return self._answer(
            authenticatorData=websafe_encode(data),
            clientDataJSON=websafe_encode(client),
            signature=websafe_encode(self.key.sign(signed, ec.ECDSA(hashes.SHA256()))),
        )

    def _data(self, flags: int) -> bytes:
        host = hashlib.sha256(self.host.encode()).digest()
        return host + bytes([flags]) + self.uses.to_bytes(4, "big")

    def _client(self, options: dict[str, Any], kind: str) -> bytes:
        challenge = websafe_encode(websafe_decode(options["challenge"]))
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _answer(self, **response: Any) -> dict[str, Any]:
        name = websafe_encode(self.id)
        return {"id": name, "rawId": name, "type": "public-key", "response": response,
                "clientExtensionResults": {}}  # fmt: skip
