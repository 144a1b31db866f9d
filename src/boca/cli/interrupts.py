"""Ctrl-C, also where it comes as another error. Imports nothing that could be interrupted."""


def was_interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: a library that is being loaded turns it into its own."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None
