import pytest

from boca.lab.domains.random48 import Random48


def draws(method, *arguments, count, seed=42):
    generator = Random48(seed)
    return [getattr(generator, method)(*arguments) for _ in range(count)]


def test_long_integers_of_seed_42():
    """Tests the published check-list: children are seeded with these."""
    assert draws("next_long", count=3) == [
        -5025562857975149833,
        -5843495416241995736,
        5694868678511409995,
    ]


def test_doubles_of_seed_42():
    """Tests the published check-list: every parameter comes from these."""
    expected = [0.7275636800328681, 0.6832234717598454, 0.30871945533265976]
    assert draws("next_double", count=3) == expected


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        (6, [2, 3, 0, 2, 0, 1, 5, 2, 1, 5]),
        (3, [2, 0, 0, 2, 0, 1, 2, 2, 1, 2]),
        (8, [5, 0, 5, 0, 2, 7]),  # a power of two takes the top bits instead
        (4048, [282, 763, 1504, 148, 674, 2373]),
    ],
)
def test_integers_of_seed_42(bound, expected):
    """Tests the published check-list for both branches of the bounded draw."""
    assert draws("next_int", bound, count=len(expected)) == expected


def test_shuffle_of_seed_42():
    """Tests the published check-list, and that the list handed in is left alone."""
    entries = list(range(14))
    assert Random48(42).shuffle(entries) == [10, 9, 13, 4, 6, 1, 3, 2, 12, 11, 5, 0, 7, 8]
    assert entries == list(range(14))


def test_negative_seed():
    """Tests a negative seed, since half of all children have one."""
    generator = Random48(-7158206310325186412)
    assert generator.next_double() == 0.13831639035644339
    assert generator.next_int(14) == 13


def test_master_of_instance_10001():
    """Tests the seeds of the first children of the first published instance."""
    assert draws("next_long", count=3, seed=10001) == [
        -2143565044096302760,
        -6974861216534756710,
        -1104362882260498364,
    ]


def test_single_outcome_takes_a_step():
    """Tests that a draw with one outcome moves the generator, as MRVM's capacities need it."""
    generator = Random48(42)
    assert generator.next_int(1) == 0
    assert generator.next_double() != Random48(42).next_double()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 17, 100])
def test_array_of_doubles_is_the_same_stream(count):
    """Tests that the quick way gives the same numbers and leaves the same state behind."""
    one_by_one, at_once = Random48(-5), Random48(-5)
    expected = [one_by_one.next_double() for _ in range(count)]
    assert at_once.next_doubles(count).tolist() == expected
    assert at_once.next_long() == one_by_one.next_long()


def test_child_is_seeded_by_the_next_long():
    """Tests how instances derive one generator from another."""
    assert Random48(7).child().next_long() == Random48(Random48(7).next_long()).next_long()
