"""Opening hours as the rules of a log tell them: how much of a span of time counts."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from boca_verify.bodies import Body, Damaged

WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class LoggedHours:
    """
    Hours of some days of the week, by the clocks of a zone; moments are in UTC, without a zone.

    Parameters
    ----------
    days
        Names of the days.
    start, end
        Time after midnight.
    zone
        Whose clocks.
    """

    days: tuple[str, ...]
    start: timedelta
    end: timedelta
    zone: ZoneInfo

    def counted(self, begin: datetime, end: datetime) -> timedelta:
        """How much of the time between two moments lies within the hours."""
        total = timedelta()
        for first, last in self._days(begin, end):
            total += max(min(end, last) - max(begin, first), timedelta())
        return total

    def contains(self, moment: datetime, slack: timedelta) -> bool:
        """Whether a moment lies within the hours, or almost."""
        days = self._days(moment - ONE_DAY, moment + ONE_DAY)
        return any(first - slack <= moment <= last + slack for first, last in days)

    def _days(self, begin: datetime, end: datetime) -> list[tuple[datetime, datetime]]:
        """Opening and closing of every day that could touch a span of time."""
        day, last = begin.date() - 2 * ONE_DAY, end.date() + 2 * ONE_DAY
        spans = []
        while day <= last:
            if WEEK[day.weekday()] in self.days:
                midnight = datetime.combine(day, time())
                opens, closes = (
                    in_utc(midnight + after, self.zone) for after in (self.start, self.end)
                )
                if opens < closes:
                    spans.append((opens, closes))
            day += ONE_DAY
        return spans


def in_utc(local: datetime, zone: ZoneInfo) -> datetime:
    """A time on a zone's clocks as a moment in UTC, without a zone."""
    return local.replace(tzinfo=zone).astimezone(UTC).replace(tzinfo=None)


def read_zone(rules: Body) -> ZoneInfo:
    """The zone of the rules; Damaged if this machine does not know it."""
    name = rules.text("time_zone") if rules.has("time_zone") else "UTC"
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Damaged(f"the time zone '{name[:40]}' is not known here.") from None


def read_hours(rules: Body) -> LoggedHours | None:
    """The opening hours of the rules; None if there are none."""
    if not rules.has("opening_hours"):
        return None
    table = rules.part("opening_hours")
    days = tuple(str(day) for day in table.list("days"))
    start, end = (_after_midnight(table.text(name)) for name in ("from", "to"))
    if not days or set(days) - set(WEEK) or start >= end:
        raise Damaged("the opening hours name no day, or end before they begin.")
    return LoggedHours(days, start, end, read_zone(rules))


def read_start(rules: Body) -> datetime | None:
    """The planned start of the rules; None if there is none."""
    if not rules.has("starts_at"):
        return None
    text = rules.text("starts_at")
    try:
        local = datetime.strptime(text, "%Y-%m-%dT%H:%M")
    except ValueError:
        raise Damaged(f"the planned start '{text[:40]}' is not a day and a time.") from None
    return in_utc(local, read_zone(rules))


def _after_midnight(text: str) -> timedelta:
    hours, _, minutes = text.partition(":")
    if not (hours.isdecimal() and minutes.isdecimal() and int(hours) <= 24 and int(minutes) < 60):
        raise Damaged(f"'{text[:20]}' is not a time of the day.")
    return timedelta(hours=int(hours), minutes=int(minutes))
