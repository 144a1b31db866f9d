"""
A child process that misbehaves as the lines of a file say, one line per start.

``python naughty_child.py FILE plan|decide|check|verify``; without a line left it behaves.
"""

import json
import os
import resource
import signal
import sys
import time
from pathlib import Path

import small_engine


def main() -> None:
    script = Path(sys.argv[1])
    lines = script.read_text().split()
    behaviour = lines[0] if lines else "good"
    script.write_text("\n".join(lines[1:]))
    if behaviour == "dies at once":
        sys.exit(5)
    request = json.loads(sys.stdin.readline())
    job = sys.argv[2]
    result = JOBS[job](request)
    print(json.dumps(MISDEEDS[behaviour](request, result)))


def preview(request):
    return {"name": "small", "num_goods": 3, "num_bidders": 2, "second_solver": None}


def verdict(request):
    return {"conclusion": "Everything holds.", "exit_code": 0, "checks": []}


JOBS = {
    "plan": small_engine.plan,
    "decide": small_engine.decide,
    "check": preview,
    "verify": verdict,
}


def killed(request, result):
    os.kill(os.getpid(), signal.SIGKILL)


def out_of_memory(request, result):
    resource.setrlimit(resource.RLIMIT_AS, (10**8, 10**8))
    return bytearray(10**9)


def hangs(request, result):
    time.sleep(1000)


def crashes(request, result):
    raise RuntimeError("the engine has a bug")


def rubbish(request, result):
    print("Welcome to the engine!")
    return result


def not_a_number(request, result):
    result["seconds"] = float("nan")
    return result


def list_instead(request, result):
    return [result]


def huge_bundle(request, result):
    result["queries"][0]["bundle"] = [9, 9, 9]
    return result


def empty_bundle(request, result):
    result["queries"][0]["bundle"] = [0, 0, 0]
    return result


def short_bundle(request, result):
    result["queries"][0]["bundle"] = [1]
    return result


def float_bundle(request, result):
    result["queries"][0]["bundle"] = [0.5, 0, 1]
    return result


def same_twice(request, result):
    result["queries"][1] = result["queries"][0]
    return result


def too_many(request, result):
    result["queries"] = result["queries"] * 20
    return result


def unknown_bidder(request, result):
    result["queries"][0]["bidder"] = 7
    return result


def nothing_at_all(request, result):
    return {**result, "queries": [], "stop": None}


def known_bundle(request, result):
    known = [bundle for bundle, _ in request["reports"][0]]
    result["queries"][0] = {"bidder": 0, "bundle": known[0], "reason": {}}
    return result


def wrong_payment(request, result):
    result["payments"] = [payment + 1 for payment in result["payments"]]
    return result


def wrong_sums(request, result):
    empty = [[0] * len(row) for row in result["allocation"]]
    result["without"] = dict.fromkeys(result["without"], empty)
    return result


def everything_to_all(request, result):
    full = [good["capacity"] for good in request["market"]["goods"]]
    result["allocation"] = [full for _ in result["allocation"]]
    return result


def never_reported(request, result):
    result["allocation"] = [[1, 1, 0], [0, 0, 0]]
    return result


def unverified(request, result):
    return {**result, "verified_by": None}


def other_rule(request, result):
    return {**result, "rule": "core"}


def good(request, result):
    return result


MISDEEDS = {name: value for name, value in globals().items() if callable(value)}

if __name__ == "__main__":
    main()
