"""Opening hours: when rounds open, and when their time counts."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
A_DAY = timedelta(days=1)
# Minutes of an opening. With fewer, a long round would end after centuries.
LEAST_OPEN = 15


@dataclass(frozen=True)
class OpeningHours:
    """
    The same hours on some days of every week.

    Parameters
    ----------
    days
        Days of the week, counted from Monday, which is 0.
    start, end
        Minutes after midnight, by the clocks of the zone; ``end`` is at most 1440.
    zone
        Whose clocks.
    """

    days: tuple[int, ...]
    start: int
    end: int
    zone: ZoneInfo

    def is_open(self, moment: datetime) -> bool:
        """Whether a moment lies within the hours; their end still does."""
        start, end = next(self.spans(moment))
        return start <= moment <= end

    def next_open(self, moment: datetime) -> datetime:
        """The earliest moment from this one on at which it is open."""
        return max(moment, next(self.spans(moment))[0])

    def after(self, moment: datetime, time: timedelta) -> datetime:
        """When that much time within the hours has passed since a moment."""
        for start, end in self.spans(moment):
            begin = max(moment, start)
            if time <= end - begin:
                return begin + time
            time -= end - begin
        raise AssertionError("weeks do not end")

    def between(self, moment: datetime, later: datetime) -> timedelta:
        """How much time within the hours lies between two moments."""
        time = timedelta()
        for start, end in self.spans(moment):
            if start >= later:
                return time
            time += max(min(end, later) - max(start, moment), timedelta())
        raise AssertionError("weeks do not end")

    def spans(self, moment: datetime) -> Iterator[tuple[datetime, datetime]]:
        """When it opens and closes, from the first closing that is not before a moment."""
        day = moment.astimezone(self.zone).date() - A_DAY
        while True:
            if day.weekday() in self.days:
                start, end = self._at(day, self.start), self._at(day, self.end)
                if end >= moment and end > start:
                    yield start, end
            day += A_DAY

    def _at(self, day: date, minutes: int) -> datetime:
        """A time of a day by the zone's clocks, in UTC."""
        day, minutes = (day + A_DAY, 0) if minutes == 1440 else (day, minutes)
        local = datetime(day.year, day.month, day.day, minutes // 60, minutes % 60)
        return local.replace(tzinfo=self.zone).astimezone(UTC)


@cache
def zones() -> frozenset[str]:
    """Names of time zones that mean the same on every machine."""
    return frozenset(available_timezones() - {"localtime", "posixrules"})


def clock_moment(text: str) -> datetime | None:
    """A day and a time such as ``2026-11-20T09:00``; None if it is none of this millennium."""
    try:
        local = datetime.strptime(text, "%Y-%m-%dT%H:%M")
    except ValueError:
        return None
    return local if 2000 <= local.year < 3000 else None


def clock_minutes(text: str) -> int | None:
    """Minutes after midnight of a time such as ``09:30``, or ``24:00``; None if it is none."""
    hours, mark, minutes = text.partition(":")
    is_number = (hours + minutes).isascii() and (hours + minutes).isdecimal()
    if not is_number or not mark or len(hours) > 2 or len(minutes) != 2 or int(minutes) > 59:
        return None
    total = 60 * int(hours) + int(minutes)
    return total if total <= 1440 else None
