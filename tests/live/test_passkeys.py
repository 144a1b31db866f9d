"""Passkeys let their owners in, and nobody else."""

from dataclasses import replace

import pytest
from hand_clock import HandClock
from live_play import market_text
from passkey_device import PRESENT, PasskeyDevice
from whole_auction import open_desk

from boca.live.auction.refusal import Refusal
from boca.live.desk.bidder import Readers
from boca.live.passkeys import MOST_PER_PERSON, Passkeys, handle

URL = "http://localhost:8080"


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture
def desk(tmp_path, clock):
    desk = open_desk(tmp_path, clock=clock, is_ticking=False, works=False)
    yield desk
    desk.close()


@pytest.fixture
def passkeys(desk):
    return Passkeys(desk.people, URL)


def zoe_of(desk):
    return desk.people.enter(desk.people.first_link().result().token).result().who


def ann_of(desk, **rules):
    """The person of a bidder, and its auction's auctioneer."""
    zoe = zoe_of(desk)
    auction = desk.create(zoe, market_text(**rules)).result().auction
    link = desk.invite(zoe, auction, 0, "ann").result()
    return desk.people.enter(link.token).result().who, zoe


def add(passkeys, who, device, name=""):
    return passkeys.add(who, name, device.make(passkeys.begin_adding(who, who.person))).result()


def sign_in(passkeys, device):
    return passkeys.enter(device.sign(passkeys.begin_entering())).result()


def test_a_passkey_lets_its_owner_in_as_often_as_it_likes(tmp_path, url, clock):
    """Tests a bidder's person and an auctioneer: each comes in as who added it."""
    desk = open_desk(tmp_path, url, clock=clock, is_ticking=False, works=False)
    passkeys = Passkeys(desk.people, URL)
    ann, zoe = ann_of(desk)
    device, other = PasskeyDevice(), PasskeyDevice(uses=0)
    add(passkeys, ann, device, "  Ann's   phone ")
    add(passkeys, zoe, other)
    for _ in range(2):
        entered = sign_in(passkeys, device)
        who = desk.people.who(entered.token)
        assert (who.role, who.auction, who.bidder, who.person) == ("bidder", ann.auction, 0, "ann")
        assert sign_in(passkeys, other).who.role == "auctioneer"
    assert [row.name for row in desk.people.passkeys(ann).values()] == ["Ann's phone"]
    assert sorted(row.kind for row in desk.people.accesses(ann)) == [
        "invite", "passkey", "session", "session", "session",
    ]  # fmt: skip
    desk.close()


def test_a_browser_is_told_what_is_wanted(desk, passkeys):
    """Tests the options: a device that checks its owner, no name of anybody, none of ours twice."""
    ann, _ = ann_of(desk)
    options = passkeys.begin_adding(ann, "ann (hall)")
    assert options["rp"]["id"] == "localhost"
    assert options["user"]["name"] == "ann (hall)"
    assert options["authenticatorSelection"] == {
        "residentKey": "required", "requireResidentKey": True, "userVerification": "required",
    }  # fmt: skip
    device = PasskeyDevice()
    add(passkeys, ann, device)
    (known,) = passkeys.begin_adding(ann, "ann")["excludeCredentials"]
    assert known["id"] == device.make(options)["id"]
    assert passkeys.begin_entering()["userVerification"] == "required"
    assert handle(ann) != handle(replace(ann, bidder=1)) != handle(replace(ann, auction="x"))


@pytest.mark.parametrize(
    "lie",
    [
        {"origin": "http://localhost:9090"},
        {"origin": "https://localhost.example.org"},
        {"host": "example.org"},
        {"flags": PRESENT},
        {"flags": 0x04},
    ],
)
def test_devices_that_lie_are_not_believed(desk, passkeys, lie):
    """Tests pages of others, and devices that did not look who holds them, at both ends."""
    ann, _ = ann_of(desk)
    device = PasskeyDevice()
    with pytest.raises(Refusal, match="was not accepted"):
        add(passkeys, ann, replace(device, **lie))
    assert desk.people.passkeys(ann) == {}
    add(passkeys, ann, device)
    with pytest.raises(Refusal, match="was not accepted"):
        sign_in(passkeys, replace(device, **lie))


def test_only_the_own_key_opens(desk, passkeys):
    """Tests another key under the same name, a name that nobody has, and a changed signature."""
    ann, _ = ann_of(desk)
    device, thief = PasskeyDevice(), PasskeyDevice()
    add(passkeys, ann, device)
    for liar in (replace(thief, id=device.id), thief):
        with pytest.raises(Refusal, match="was not accepted"):
            sign_in(passkeys, liar)
    answer = device.sign(passkeys.begin_entering())
    answer["response"]["signature"] = thief.sign(passkeys.begin_entering())["response"]["signature"]
    with pytest.raises(Refusal, match="was not accepted"):
        passkeys.enter(answer).result()


def test_a_challenge_works_once_for_its_session_and_a_while(desk, passkeys, clock):
    """Tests an answer that is sent twice, by somebody else, late, or to no question."""
    ann, zoe = ann_of(desk)
    device = PasskeyDevice()
    options = passkeys.begin_adding(ann, "ann")
    with pytest.raises(Refusal):
        passkeys.add(zoe, "", device.make(options)).result()
    with pytest.raises(Refusal):  # it is used up, for Ann as well
        passkeys.add(ann, "", device.make(options)).result()
    add(passkeys, ann, device)
    asked = passkeys.begin_entering()
    passkeys.enter(device.sign(asked)).result()
    with pytest.raises(Refusal):
        passkeys.enter(device.sign(asked)).result()
    with pytest.raises(Refusal):  # the question was to make a passkey
        passkeys.enter(device.sign(passkeys.begin_adding(ann, "ann"))).result()
    asked = passkeys.begin_entering()
    clock.turn(minutes=4.9)
    passkeys.enter(device.sign(asked)).result()
    asked = passkeys.begin_entering()
    clock.turn(minutes=5.1)
    with pytest.raises(Refusal):
        passkeys.enter(device.sign(asked)).result()


def test_a_copied_device_is_noticed(desk, passkeys):
    """Tests that a count which does not grow lets nobody in, and one that stays 0 says nothing."""
    ann, _ = ann_of(desk)
    device = PasskeyDevice(uses=7)
    add(passkeys, ann, device)
    with pytest.raises(Refusal, match="was not accepted"):
        sign_in(passkeys, replace(device, uses=6))
    sign_in(passkeys, replace(device, uses=7))
    with pytest.raises(Refusal, match="was not accepted"):
        sign_in(passkeys, device)
    with pytest.raises(Refusal, match="was not accepted"):
        sign_in(passkeys, replace(device, uses=0))


def test_revoking_ends_passkeys_too(desk, passkeys, clock):
    """Tests one that its owner revokes, one that the auctioneer revokes, and old age."""
    ann, zoe = ann_of(desk)
    first, second = PasskeyDevice(), PasskeyDevice()
    link = add(passkeys, ann, first)
    other = add(passkeys, ann, second)
    desk.people.revoke_own(ann, link.access).result()
    with pytest.raises(Refusal):
        sign_in(passkeys, first)
    sign_in(passkeys, second)
    desk.revoke(zoe, ann.auction, other.access, "lost").result()
    with pytest.raises(Refusal):
        sign_in(passkeys, second)
    third = PasskeyDevice()
    add(passkeys, zoe, third)
    clock.turn(days=366)
    with pytest.raises(Refusal):
        sign_in(passkeys, third)


def test_one_that_is_revoked_while_it_signs_does_not_open(desk, passkeys):
    """Tests the race: what was found before is looked at again where the session is made."""
    ann, _ = ann_of(desk)
    device = PasskeyDevice()
    link = add(passkeys, ann, device)
    row, _ = desk.people.passkey(device.id)
    desk.people.revoke_own(ann, link.access).result()
    with pytest.raises(Refusal, match="no such passkey any more"):
        desk.people.enter_by_passkey(row, 9).result()


def test_nobody_takes_over_a_passkey_that_is_known(desk, passkeys):
    """Tests the same name added again, by another person or after it was revoked."""
    ann, zoe = ann_of(desk)
    device = PasskeyDevice()
    link = add(passkeys, ann, device)
    for _ in range(2):
        with pytest.raises(Refusal, match="known already"):
            add(passkeys, zoe, replace(PasskeyDevice(), id=device.id))
        desk.people.revoke_own(ann, link.access).result()


def test_where_values_are_sealed_a_passkey_stands_in_the_log_and_on_the_pages(desk, passkeys):
    """Tests that nobody gets a lasting way to sealed answers without being seen."""
    ann, _ = ann_of(desk, sealed_from_auctioneer=True)
    assert desk.readers(ann) == Readers((), ())
    link = add(passkeys, ann, PasskeyDevice())
    assert desk.readers(ann) == Readers(("ann",), ())
    (person,) = desk.state_of(ann.auction).persons
    assert link.access in person.access


def test_there_is_an_end_to_it(desk, passkeys, monkeypatch):
    """Tests how many passkeys a person can have, and how many answers are waited for."""
    zoe = zoe_of(desk)
    for _ in range(MOST_PER_PERSON):
        add(passkeys, zoe, PasskeyDevice(uses=0))
    with pytest.raises(Refusal, match="revoke one first"):
        passkeys.begin_adding(zoe, "Zoe")
    monkeypatch.setattr("boca.live.passkeys.MOST_CHALLENGES", 3)
    first, *later = [passkeys.begin_entering() for _ in range(4)]
    device = PasskeyDevice()
    add(passkeys, ann_of(desk)[0], device)
    for options in (later[0], first):
        with pytest.raises(Refusal, match="was not accepted"):
            passkeys.enter(device.sign(options)).result()
    passkeys.enter(device.sign(later[1])).result()
    with pytest.raises(Refusal, match="one line"):
        desk.people.add_passkey(zoe, "a\x00b", b"1", b"2", 0)


@pytest.mark.parametrize(
    ("address", "are_offered"),
    [
        ("https://auction.example.org", True),
        ("http://localhost:8080", True),
        ("http://127.0.0.1:8080", False),
        ("http://[::1]:8080", False),
    ],
)
def test_passkeys_need_an_address_with_a_name(desk, address, are_offered):
    """Tests that nobody is offered what browsers refuse."""
    assert Passkeys(desk.people, address).are_offered == are_offered


@pytest.mark.parametrize(
    "answer",
    [{}, {"id": 5}, {"response": None}, {"rawId": "AA", "response": {"clientDataJSON": "AAAA"}}],
)
def test_nonsense_is_refused(desk, passkeys, answer):
    """Tests answers that no browser sends."""
    zoe = zoe_of(desk)
    for act in (lambda: passkeys.enter(answer), lambda: passkeys.add(zoe, "", answer)):
        with pytest.raises(Refusal, match="was not accepted"):
            act()
