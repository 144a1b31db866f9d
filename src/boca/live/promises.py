"""Futures of the writer's answers, changed on their way to whoever waits."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from boca.live.auction.refusal import Refusal

S = TypeVar("S")
T = TypeVar("T")


def refused(refusal: Refusal) -> "Future[T]":
    """A future that was refused before anything was tried."""
    future: Future[T] = Future()
    future.set_exception(refusal)
    return future


def done(result: T) -> "Future[T]":
    """A future whose result is known."""
    future: Future[T] = Future()
    future.set_result(result)
    return future


def after(future: "Future[S]", start: Callable[[S], "Future[T]"]) -> "Future[T]":
    """A future of what is started once another one has ended well."""
    last: Future[T] = Future()

    def pass_on(done: "Future[T]") -> None:
        if not last.set_running_or_notify_cancel():
            return  # nobody waits for it any more
        error = done.exception()
        if error is None:
            last.set_result(done.result())
        else:
            last.set_exception(error)

    def go_on(done: "Future[S]") -> None:
        try:
            start(done.result()).add_done_callback(pass_on)
        except BaseException as error:
            last.set_exception(error)

    future.add_done_callback(go_on)
    return last


def then(future: "Future[S]", change: Callable[[S], T]) -> "Future[T]":
    """A future with a changed result."""
    after: Future[T] = Future()

    def pass_on(done: "Future[S]") -> None:
        if not after.set_running_or_notify_cancel():
            return  # nobody waits for it any more
        try:
            after.set_result(change(done.result()))
        except BaseException as error:
            after.set_exception(error)

    future.add_done_callback(pass_on)
    return after
