"""
Passkeys (WebAuthn): whoever has added one signs in with a finger, a face or a PIN.

A passkey is one more way in for a person who is signed in already; links stay the first one. The
device must check who holds it (``user verification``), and keeps the name of the account itself, so
that nobody types anything.
"""

import hashlib
import ipaddress
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from fido2.server import Fido2Server
from fido2.utils import websafe_encode
from fido2.webauthn import (
    AttestationConveyancePreference,
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    RegistrationResponse,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from boca.core.message import msg
from boca.live.auction.refusal import Refusal
from boca.live.people import Entered, Link, People, Who

# How long a device may take to answer, and how many are waited for at most.
CHALLENGE = timedelta(minutes=5)
MOST_CHALLENGES = 10_000
MOST_PER_PERSON = 20
# To whom the challenge of a sign-in is given.
NOBODY = ""
VERIFIED = UserVerificationRequirement.REQUIRED


class NotTaken(Refusal):
    """Whatever is wrong with a passkey: whoever guesses learns nothing."""

    def __init__(self) -> None:
        super().__init__(
            "mistakes",
            "The passkey was not accepted. Try again, or sign in with a link: make one on a "
            "device where you are signed in, or ask the auctioneer.",
        )


class Passkeys:
    """
    Adds passkeys and lets their owners in.

    Parameters
    ----------
    people
        Whose they are.
    url
        Where people reach the server; a passkey works for this address alone.
    """

    def __init__(self, people: People, url: str):
        self.people = people
        self.host = urlsplit(url).hostname or ""
        self.server = Fido2Server(
            PublicKeyCredentialRpEntity(name=self.host, id=self.host),
            AttestationConveyancePreference.NONE,
            verify_origin=lambda origin: origin == url,
        )
        # Challenge -> the access that it was given to, until when it works, what the library notes.
        self._waiting: OrderedDict[str, tuple[str, datetime, dict[str, Any]]] = OrderedDict()

    @property
    def are_offered(self) -> bool:
        """Whether browsers can keep passkeys for the address: it must have a name."""
        try:
            ipaddress.ip_address(self.host)
        except ValueError:
            return True
        return False

    def begin_adding(self, who: Who, label: str) -> dict[str, Any]:
        """
        What a browser needs to make a passkey, as JSON of WebAuthn.

        Parameters
        ----------
        who
            For whom.
        label
            How the device calls the account to its owner.
        """
        known = [
            AttestedCredentialData(row.credential) for row in self.people.passkeys(who).values()
        ]
        if len(known) >= MOST_PER_PERSON:
            raise Refusal(
                "conflict", msg("You have {most} passkeys; revoke one first.", most=MOST_PER_PERSON)
            )
        options, state = self.server.register_begin(
            PublicKeyCredentialUserEntity(id=handle(who), name=label, display_name=label),
            known,
            ResidentKeyRequirement.REQUIRED,
            VERIFIED,
            challenge=self.people.draw(32),
        )
        self._give_out(state, who.access)
        return dict(options.public_key)

    def add(self, who: Who, name: str, answer: Mapping[str, Any]) -> "Future[Link]":
        """Keeps the passkey that a browser has made for somebody who is signed in."""
        try:
            response = RegistrationResponse.from_dict(answer)
            state = self._used_up(response.response.client_data.challenge, who.access)
            data = self.server.register_complete(state, response)
            credential = data.credential_data
            if credential is None:
                raise NotTaken
        except Exception:  # whatever a stranger's bytes do to the library
            raise NotTaken from None
        return self.people.add_passkey(
            who, name, credential.credential_id, bytes(credential), data.counter
        )

    def begin_entering(self) -> dict[str, Any]:
        """What a browser needs to ask for a passkey, as JSON of WebAuthn."""
        options, state = self.server.authenticate_begin(
            user_verification=VERIFIED, challenge=self.people.draw(32)
        )
        self._give_out(state, NOBODY)
        return dict(options.public_key)

    def enter(self, answer: Mapping[str, Any]) -> "Future[Entered]":
        """Starts a session of whoever owns the passkey, if the answer proves it."""
        try:
            response = AuthenticationResponse.from_dict(answer)
            state = self._used_up(response.response.client_data.challenge, NOBODY)
            found = self.people.passkey(response.raw_id)
            if found is None:
                raise NotTaken
            access, passkey = found
            self.server.authenticate_complete(
                state, [AttestedCredentialData(passkey.credential)], response
            )
            uses = response.response.authenticator_data.counter
        except Exception:  # whatever a stranger's bytes do to the library
            raise NotTaken from None
        # A device that counts never counts the same twice: this one was copied.
        if (uses or passkey.uses) and uses <= passkey.uses:
            raise NotTaken
        return self.people.enter_by_passkey(access, uses)

    def _give_out(self, state: dict[str, Any], access: str) -> None:
        """Remembers a challenge, and to whom it was given."""
        until = self.people.clock.now() + CHALLENGE
        self._waiting[state["challenge"]] = (access, until, state)
        while len(self._waiting) > MOST_CHALLENGES:
            self._waiting.popitem(last=False)

    def _used_up(self, challenge: bytes, access: str) -> dict[str, Any]:
        """What the library noted with a challenge, which works once and for one session."""
        given_to, until, state = self._waiting.pop(websafe_encode(challenge))
        if given_to != access or self.people.clock.now() > until:
            raise ValueError("the challenge was given to somebody else, or long ago")
        return state


def handle(who: Who) -> bytes:
    """What a device calls the account: the same for all passkeys of a person, and no name."""
    return hashlib.sha256(f"{who.auction} {who.actor}".encode()).digest()
