"""Counts in grammar."""

PLURAL_VERBS = {"is": "are", "was": "were", "has": "have", "does": "do"}


def counted(number: int, noun: str, verb: str = "", plural: str = "") -> str:
    """
    A count in grammar: ``no records``, ``1 record``, ``1 record is``, ``2 records are``.

    Parameters
    ----------
    number
        How many.
    noun
        What is counted, for one of it.
    verb
        What follows for one of it, such as ``is``, ``has`` or ``holds``; empty for nothing.
    plural
        The noun for several, where it does not just end in s.
    """
    if number == 1:
        return f"1 {noun} {verb}".rstrip()
    amount = f"{number:,}" if number else "no"
    verbs = PLURAL_VERBS.get(verb, verb.removesuffix("s"))
    return f"{amount} {plural or noun + 's'} {verbs}".rstrip()
