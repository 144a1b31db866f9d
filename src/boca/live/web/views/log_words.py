"""Who caused a record of the log, in words."""

from collections.abc import Sequence

from boca.live.web.texts import Texts


def actor_words(t: Texts, actor: str, names: Sequence[str]) -> str:
    """A bidder's person, one of the staff, or the server; ``names`` are those of the bidders."""
    role, _, rest = actor.partition(":")
    if role == "bidder":
        number, _, person = rest.partition("/")
        return t.who(person, names[int(number)])
    if not rest:
        return t("log.server")
    words = t(f"role.{role}")
    return words if rest in (role, words) else t("frame.staff_who", person=rest, role=words)
