"""A command's options as one object that is declared once, read by the command and by its work."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import wraps
from typing import Any, TypeVar, get_type_hints

import typer

Options = TypeVar("Options")


def takes(options: type[Options]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """
    Makes a command of a function that takes the command's context and its options as one object.

    Parameters
    ----------
    options
        A frozen dataclass. The type of every field is ``Annotated`` with a ``typer.Argument`` or a
        ``typer.Option``; fields without a default are required.
    """
    hints = get_type_hints(options, include_extras=True)
    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters = [context] + [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=hints[field.name],
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
        )
        for field in fields(options)  # type: ignore[arg-type]
    ]

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def command(context: typer.Context, **values: Any) -> None:
            function(context, options(**values))

        # Typer reads both: the signature for names and defaults, the annotations for types.
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        return command

    return decorate
