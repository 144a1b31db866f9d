import pytest

from boca.core.errors import InputError
from boca.core.randomness import Seeds
from boca.lab.simulation.strategies import DroppingOut, Noisy, Shading, Truthful
from boca.live.bots.manner import Thinking, parse_strategy, parse_thinking


@pytest.mark.parametrize(
    ("text", "strategy"),
    [
        ("truthful", Truthful()),
        ("noisy", Noisy(0.05, 7)),
        ("noisy:0.2", Noisy(0.2, 7)),
        ("shading", Shading(0.8)),
        ("shading:0.5", Shading(0.5)),
        ("dropping-out:3", DroppingOut(3)),
    ],
)
def test_strategies_are_those_of_simulated_bidders(text, strategy):
    """Tests that a bot behaves as the simulation's bidder of the same name."""
    assert parse_strategy(text, 7) == strategy


@pytest.mark.parametrize("text", ["lying", "", "shading:2", "noisy:x", "truthful:1", "noisy:-1"])
def test_unknown_strategies_are_told(text):
    """Tests one sentence for a slip."""
    with pytest.raises(InputError, match="Received"):
        parse_strategy(text)


def test_thinking_lies_between_its_bounds_and_repeats():
    """Tests that a rehearsal can be repeated."""
    thinking = parse_thinking("1-20")
    seconds = [thinking.seconds(Seeds(1).child(k)) for k in range(50)]
    assert 1 <= min(seconds) < 5 < 15 < max(seconds) <= 20
    assert seconds == [thinking.seconds(Seeds(1).child(k)) for k in range(50)]
    assert parse_thinking("3") == Thinking(3, 3)


@pytest.mark.parametrize("text", ["", "a", "20-1", "-3", "1-2-3", "nan"])
def test_odd_times_to_think_are_told(text):
    """Tests one sentence for a slip."""
    with pytest.raises(InputError, match="seconds"):
        parse_thinking(text)
