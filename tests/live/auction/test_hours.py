"""Opening hours and planned starts, by clocks that change in spring and autumn."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from live_play import market_text, read

from boca.core.errors import InputError
from boca.live.auction.hours import OpeningHours, clock_minutes
from boca.live.auction.rules import Rules
from boca_verify.hours import LoggedHours

BERLIN = ZoneInfo("Europe/Berlin")
OFFICE = OpeningHours((0, 1, 2, 3, 4), 9 * 60, 17 * 60, BERLIN)
LOGGED = LoggedHours(
    ("mon", "tue", "wed", "thu", "fri"), timedelta(hours=9), timedelta(hours=17), BERLIN
)
HOURS = {"days": ["mon", "tue", "wed", "thu", "fri"], "from": "09:00", "to": "17:00"}


def at(day: int, hour: int, minute: int = 0, month: int = 11) -> datetime:
    """A moment of 2026 in Berlin; 20 November is a Friday."""
    return datetime(2026, month, day, hour, minute, tzinfo=BERLIN).astimezone(UTC)


def test_time_rests_at_night_and_at_the_weekend():
    """Tests that an hour from half past four on Friday ends at half past nine on Monday."""
    assert OFFICE.after(at(20, 16, 30), timedelta(hours=1)) == at(23, 9, 30)
    assert OFFICE.after(at(20, 16), timedelta(hours=1)) == at(20, 17)  # the end still counts
    assert OFFICE.after(at(21, 12), timedelta(minutes=30)) == at(23, 9, 30)
    assert OFFICE.between(at(20, 16, 30), at(23, 9, 30)) == timedelta(hours=1)
    assert OFFICE.next_open(at(21, 3)) == at(23, 9)
    assert OFFICE.is_open(at(20, 17))
    assert not OFFICE.is_open(at(20, 17, 1))


def test_a_day_without_an_hour_has_its_hours_all_the_same():
    """Tests clocks that change at night: opening hours go by the clocks on the wall."""
    sunday = OpeningHours((6,), 60, 5 * 60, BERLIN)  # 1:00 to 5:00; 29 March lasts 23 hours
    first, last = at(29, 1, month=3), at(29, 5, month=3)
    assert sunday.between(first, last) == timedelta(hours=3)
    assert sunday.after(first, timedelta(hours=3)) == last


def test_the_verifier_counts_like_the_server():
    """Tests two programs against each other at moments all over a fortnight."""
    start = at(18, 0)
    for step in range(0, 14 * 24 * 60, 97):
        begin = start + timedelta(minutes=step)
        end = OFFICE.after(begin, timedelta(minutes=1 + step % 1000))
        first, last = (moment.replace(tzinfo=None) for moment in (begin, end))
        assert LOGGED.counted(first, last) == OFFICE.between(begin, end)
        assert LOGGED.contains(last, timedelta())
        assert LOGGED.contains(first, timedelta()) == OFFICE.is_open(begin)


@pytest.mark.parametrize(("text", "minutes"), [("09:30", 570), ("24:00", 1440), ("9:05", 545)])
def test_times_are_read(text, minutes):
    assert clock_minutes(text) == minutes


@pytest.mark.parametrize("text", ["", "9", "24:01", "12:60", "-1:00", "١٢:00", "12:0"])
def test_what_is_not_a_time_is_none(text):
    assert clock_minutes(text) is None


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"starts_at": "tomorrow"}, "expected a day and a time"),
        ({"starts_at": "0001-01-01T00:00", "time_zone": "Asia/Tokyo"}, "expected a day and a time"),
        ({"starts_at": "9999-12-31T23:59"}, "expected a day and a time"),
        ({"time_zone": "Berlin"}, 'a name such as "Europe/Berlin"'),
        ({"time_zone": "localtime"}, 'a name such as "Europe/Berlin"'),
        ({"opening_hours": {**HOURS, "to": "09:14"}}, "14 minutes .* expected 15 or more"),
        ({"opening_hours": {**HOURS, "days": ["monday"]}}, "expected a list of some of mon"),
        ({"opening_hours": {**HOURS, "to": "09:00"}}, "at or before 'from'"),
        ({"opening_hours": {**HOURS, "to": "late"}}, "to = 'late'"),
        ({"opening_hours": {"days": ["mon"], "to": "09:00"}}, "'from' is missing"),
    ],
)
def test_mistakes_in_hours_are_named(keys, told):
    """Tests that a message says what was found and what was expected."""
    with pytest.raises(InputError, match=told):
        read(market_text(**keys))


def test_rules_without_hours_are_written_as_before():
    """Tests that earlier logs keep their hashes: what says nothing is not there."""
    plain = Rules().to_dict()
    assert not {"starts_at", "time_zone", "opening_hours"} & plain.keys()
    rules, _ = read(market_text(opening_hours=HOURS, time_zone="Europe/Berlin"))
    assert Rules.from_dict(rules.to_dict()) == rules
