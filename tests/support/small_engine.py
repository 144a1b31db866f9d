"""
A stand-in for the engine's child process that starts in a moment: the same JSON in and out.

It asks about the first unknown bundles, announces prices in every round of a hybrid auction, and
decides by trying every allocation, so that tests can run hundreds of auctions.
``python small_engine.py plan|decide``.
"""

import itertools
import json
import sys


def main() -> None:
    request = json.loads(sys.stdin.readline())
    print(json.dumps({"plan": plan, "decide": decide}[sys.argv[-1]](request)))


def plan(request: dict) -> dict:
    rules, market = request["rules"], request["market"]
    asked = request["num_asked"][0]
    prices = [100 + 50 * asked + 10 * j for j in range(len(market["goods"]))]
    num = rules["num_per_round"] if asked else rules["num_initial"]
    result = {"queries": [], "stop": None, "step": {}, "seconds": 0.0, "versions": {}}
    if asked + num > rules["num_total"]:
        return {**result, "stop": "the budget is used up"}
    counts = [range(good["capacity"] + 1) for good in market["goods"]]
    bundles = [list(bundle) for bundle in itertools.product(*counts) if any(bundle)]
    for bidder in range(len(market["bidders"])):
        known = [bundle for bundle, _ in request["reports"][bidder]]
        known += request["declined"][bidder]
        new = [bundle for bundle in bundles if bundle not in known][:num]
        result["queries"] += [
            {"bidder": bidder, "bundle": bundle, "reason": {"source": "initial"}} for bundle in new
        ]
        if rules["mechanism"] == "hybrid":
            # One of the values makes way for prices.
            result["queries"][-1] = {
                "bidder": bidder,
                "prices": prices,
                "reason": {"source": "clock"},
            }
    return result


def decide(request: dict) -> dict:
    goods = request["market"]["goods"]
    num_bidders = len(request["bids"])
    capacities = [good["capacity"] for good in goods]
    nothing = [0] * len(goods)
    reserve = request["reserve"]

    def price(bundle: list[int]) -> int:
        return sum(n * r for n, r in zip(bundle, reserve, strict=True))

    def best(absent: int | None) -> tuple[int, list[list[int]]]:
        choices = [
            [(0, nothing)] + [(u - price(b), b) for b, u in rows if i != absent and u > price(b)]
            for i, rows in enumerate(request["bids"])
        ]
        found = (0, [nothing] * num_bidders)
        for rows in itertools.product(*choices):
            given = [sum(column) for column in zip(*(b for _, b in rows), strict=True)]
            total = sum(surplus for surplus, _ in rows)
            if total > found[0] and all(g <= c for g, c in zip(given, capacities, strict=True)):
                found = (total, [bundle for _, bundle in rows])
        return found

    total, allocation = best(None)
    bids = [{tuple(b): u for b, u in rows} for rows in request["bids"]]
    without = {str(i): best(i) for i in range(num_bidders)}
    payments = []
    for i, bundle in enumerate(allocation):
        surplus = bids[i][tuple(bundle)] - price(bundle) if any(bundle) else 0
        payments.append(without[str(i)][0] - (total - surplus) + price(bundle))
    return {
        "allocation": allocation,
        "payments": payments,
        "without": {key: rows for key, (_, rows) in without.items()},
        "rule": "vcg",
        "verified_by": "every allocation was tried",
        "seconds": 0.0,
        "versions": {},
    }


if __name__ == "__main__":
    main()
