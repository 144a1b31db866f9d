"""
Goods that are stretches of a network: ``paths`` (section 4.1 of the CATS paper).

Cities lie at random in a square. Lorries, trains or messages want to get from one to another; what
a way there is worth above its length is what its bidder offers.

Left open by the paper and chosen here: (1) cities are as many as the goods divided by
``EDGES_PER_CITY``; (2) building stops as soon as there are as many edges as goods; (3) when
``num_cities`` ways in a row need no new edge, new ones become cheaper to build.
"""

import heapq
import math
from itertools import pairwise

import numpy as np

from cats_markets.auction import Bid, CatsAuction, undominated, up_to

EDGES_PER_CITY = 2.3
INITIAL_CONNECTIONS = 2
BUILDING_PENALTY = 1.7  # what an edge costs until it is built, as a multiple of its length
CHEAPER = 0.9  # what becomes of the penalty above 1 when nothing is built any more
SHIPPING_COST_FACTOR = 1.5  # a way may be worth up to this multiple of the distance
MAX_BIDS = 5  # per bidder

Edge = tuple[int, int]


def paths(num_goods: int, num_bids: int, rng: np.random.Generator) -> CatsAuction:
    """Edges of a network of roads; bidders want a way from one city to another."""
    num_cities = max(math.floor(num_goods / EDGES_PER_CITY), 3)
    if num_goods < 16:
        raise ValueError(f"Expected at least 16 goods for a network; got {num_goods}.")
    places = rng.uniform(size=(num_cities, 2))
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    edges = _network(num_goods, distances, rng)
    number = {edge: good for good, edge in enumerate(edges)}
    roads: list[dict[int, float]] = [{} for _ in range(num_cities)]
    for a, b in edges:
        roads[a][b] = roads[b][a] = float(distances[a, b])

    bidders: list[tuple[Bid, ...]] = []
    while sum(len(bids) for bids in bidders) < num_bids:
        start, end = (int(city) for city in rng.choice(num_cities, 2, replace=False))
        value = distances[start, end] * rng.uniform(1, SHIPPING_COST_FACTOR)
        bids = [
            Bid(
                tuple(sorted(number[_edge(a, b)] for a, b in pairwise(way))),
                float(value - length),
            )
            for length, way in _shortest_ways(start, end, roads, value)
        ]
        if bids:
            bidders.append(undominated(bids))
    return CatsAuction(num_goods, up_to(num_bids, bidders))


def _edge(a: int, b: int) -> Edge:
    return (a, b) if a < b else (b, a)


def _network(num_edges: int, distances: np.ndarray, rng: np.random.Generator) -> list[Edge]:
    """Short edges that ways between random cities would want built."""
    num_cities = len(distances)
    edges: dict[Edge, None] = {}
    for city in range(num_cities):
        for other in np.argsort(distances[city], kind="stable")[1 : INITIAL_CONNECTIONS + 1]:
            edges[_edge(city, int(other))] = None
    penalty, idle = BUILDING_PENALTY, 0
    while len(edges) < num_edges:
        start, end = (int(city) for city in rng.choice(num_cities, 2, replace=False))
        way = _cheapest_way(start, end, _building_costs(edges, distances, penalty))
        steps = [_edge(a, b) for a, b in pairwise(way)]
        idle = idle + 1 if all(step in edges for step in steps) else 0
        if idle == num_cities:
            penalty, idle = 1 + CHEAPER * (penalty - 1), 0
        edges |= dict.fromkeys(steps)
    return list(edges)[:num_edges]


def _building_costs(edges: dict[Edge, None], distances: np.ndarray, penalty: float) -> np.ndarray:
    """What a way costs from each city straight to each other one, (num_cities, num_cities)."""
    costs = penalty * distances
    first, second = np.array(list(edges)).T
    costs[first, second] = costs[second, first] = distances[first, second]
    return costs


def _cheapest_way(start: int, end: int, costs: np.ndarray) -> list[int]:
    """Dijkstra's way in a complete graph: the cities from start to end."""
    num_cities = len(costs)
    length = np.full(num_cities, np.inf)
    length[start] = 0.0
    before = np.full(num_cities, -1)
    waiting = np.ones(num_cities, dtype=bool)
    while waiting[end]:
        city = int(np.argmin(np.where(waiting, length, np.inf)))
        waiting[city] = False
        shorter = waiting & (length[city] + costs[city] < length)
        length[shorter] = length[city] + costs[city, shorter]
        before[shorter] = city
    way = [end]
    while way[-1] != start:
        way.append(int(before[way[-1]]))
    return way[::-1]


def _lengths_to(end: int, roads: list[dict[int, float]]) -> dict[int, float]:
    """From each city that is connected with the end, the length of the shortest way there."""
    lengths: dict[int, float] = {}
    queue = [(0.0, end)]
    while queue:
        length, city = heapq.heappop(queue)
        if city in lengths:
            continue
        lengths[city] = length
        for other, road in roads[city].items():
            if other not in lengths:
                heapq.heappush(queue, (length + road, other))
    return lengths


def _shortest_ways(
    start: int, end: int, roads: list[dict[int, float]], longest: float
) -> list[tuple[float, tuple[int, ...]]]:
    """Up to ``MAX_BIDS`` ways without a circle, shortest first, that are shorter than allowed."""
    rest = _lengths_to(end, roads)
    ways: list[tuple[float, tuple[int, ...]]] = []
    queue = [(rest.get(start, math.inf), 0.0, (start,))]
    while queue and len(ways) < MAX_BIDS:
        at_least, length, way = heapq.heappop(queue)
        if at_least >= longest:
            break
        if way[-1] == end:
            ways.append((length, way))
            continue
        for other, road in roads[way[-1]].items():
            if other not in way and other in rest:
                total = length + road
                heapq.heappush(queue, (total + rest[other], total, (*way, other)))
    return ways
