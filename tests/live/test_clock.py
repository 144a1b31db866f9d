"""The server's own clock."""

from datetime import UTC, datetime, timedelta

from boca.live import clock as module
from boca.live.clock import SystemClock, from_text, to_text


def test_text_reads_back_with_microseconds():
    """Tests the form of times in the log."""
    moment = datetime(2026, 11, 16, 2, 32, 58, 201155, tzinfo=UTC)
    assert to_text(moment) == "2026-11-16T02:32:58.201155Z"
    assert from_text(to_text(moment)) == moment
    assert to_text(datetime(2026, 1, 1, tzinfo=UTC)) == "2026-01-01T00:00:00.000000Z"


def test_clock_goes_on_by_itself_when_the_machines_clock_is_moved(monkeypatch):
    """Tests that deadlines do not move with the machine's clock, and that a jump is told once."""
    clock = SystemClock()
    before = clock.now()
    real = module._wall
    for hours in (1, -1):
        monkeypatch.setattr(module, "_wall", lambda h=hours: real() + timedelta(hours=h))
        jump = clock.jump()
        assert abs(jump.total_seconds()) > 3500
        assert clock.jump() == timedelta()
    assert timedelta() <= clock.now() - before < timedelta(minutes=5)


def test_small_differences_are_not_jumps():
    """Tests that two looks at an untouched clock find nothing."""
    clock = SystemClock()
    assert clock.jump() == timedelta()
