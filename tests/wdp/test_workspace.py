import numpy as np

from boca.core import Economy, Market
from boca.functions import Quadratic
from boca.wdp import WelfareProblem, Workspace, maximise_welfare
from boca.wdp.listing import Listing
from boca.wdp.search.local_search import Effort

MARKET = Market.simple(2, 3)
FUNCTIONS = [Quadratic(np.zeros((2, 2)), np.array([3.0 - i, 1.0])) for i in range(3)]


def test_starts_leave_absent_bidders_nothing():
    """Tests that the main economy's solution becomes a feasible start of a marginal one."""
    shared = Workspace(MARKET, FUNCTIONS)
    main = WelfareProblem(MARKET, FUNCTIONS)
    shared.remember(main, np.array([[1, 0], [0, 1], [0, 0]]))

    (start,) = shared.starts(WelfareProblem(MARKET, FUNCTIONS, Economy.without(0, 3)))

    assert start.tolist() == [[0, 0], [0, 1], [0, 0]]
    assert shared.starts(main)[0].tolist() == [[1, 0], [0, 1], [0, 0]]


def test_better_answers_of_restricted_problems_are_kept():
    """Tests that what is found on the way improves later starts, and nothing worse does."""
    shared = Workspace(MARKET, FUNCTIONS)
    main = WelfareProblem(MARKET, FUNCTIONS)
    restricted = WelfareProblem(MARKET, FUNCTIONS, excluded={2: [[1, 1]]})

    shared.remember(restricted, np.array([[1, 1], [0, 0], [0, 0]]))
    assert shared.incumbent(main) is None  # a first answer comes from the unrestricted problem
    shared.remember(main, np.array([[0, 1], [0, 0], [1, 0]]))
    shared.remember(restricted, np.array([[1, 1], [0, 0], [0, 0]]))
    shared.remember(restricted, np.array([[0, 0], [1, 1], [0, 0]]))

    assert shared.incumbent(main).tolist() == [[1, 1], [0, 0], [0, 0]]


def test_prices_of_the_largest_economy_are_a_start():
    """Tests which prices another economy begins with."""
    shared = Workspace(MARKET, FUNCTIONS)
    without = WelfareProblem(MARKET, FUNCTIONS, Economy.without(2, 3))
    assert shared.start_prices(without) is None
    shared.prices[(0, 2)] = np.array([1.0, 1.0])
    shared.prices[(0, 1, 2)] = np.array([2.0, 2.0])

    assert shared.start_prices(without).tolist() == [2, 2]
    shared.prices[(0, 1)] = np.array([3.0, 3.0])
    assert shared.start_prices(without).tolist() == [3, 3]


def test_tables_are_made_once_and_exclusions_are_copies():
    """Tests that restricted problems do not spoil what economies share."""
    shared = Workspace(MARKET, FUNCTIONS)
    main = WelfareProblem(MARKET, FUNCTIONS)
    first = shared.tables(main)

    restricted = shared.tables(WelfareProblem(MARKET, FUNCTIONS, excluded={0: [[1, 1]]}))

    assert np.isneginf(restricted[0].values[3])
    assert shared.tables(main)[0] is first[0]
    assert first[0].values[3] == 4
    assert restricted[1] is first[1]


def test_a_search_knows_the_functions_of_those_who_come_later():
    """Tests an economy whose bidders were only partly in the one before."""
    shared = Workspace(MARKET, FUNCTIONS)
    effort = Effort(chains=2, steps=10)
    without = WelfareProblem(MARKET, FUNCTIONS, Economy.without(0, 3))
    assert shared.search(without, effort, 0, (), np.inf).values[0] == 3
    main = WelfareProblem(MARKET, FUNCTIONS)
    assert shared.search(main, effort, 0, (), np.inf).values[0] == 4
    assert shared._sizes == {0: (4, 3), 1: (3, 2), 2: (2, 1)}


def test_columns_are_kept_where_something_will_be_proven():
    """Tests that a search without proof leaves out what only proofs would read."""
    nothing_listed = Listing(most_called=0, most_of_nets=0)
    main = WelfareProblem(MARKET, FUNCTIONS)
    unproven = Workspace(MARKET, FUNCTIONS, nothing_listed)
    assert maximise_welfare(main, "none", workspace=unproven).welfare == 4
    assert len(unproven.pool.of(0)[1]) == 0
    proven = Workspace(MARKET, FUNCTIONS, nothing_listed)
    assert 4 <= maximise_welfare(main, 0.1, workspace=proven).bound <= 4.4
    assert len(proven.pool.of(0)[1]) > 0
