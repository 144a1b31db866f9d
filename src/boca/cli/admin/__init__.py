"""``boca admin``: what the owner of a data folder can do, also while the server runs."""

import typer

from boca.core.errors import MissingExtra


def register(app: typer.Typer) -> None:
    """Adds the commands to the command line."""
    try:
        # Only here, so that the rest of the command line does not need the extra.
        from boca.cli.admin import checking, copies, links, mails
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "sqlalchemy", "server", "The server") from None

    commands = typer.Typer(
        no_args_is_help=True,
        help="Links, backups, exports and checks for whoever runs a server of live auctions.",
    )
    for command in (
        links.link,
        links.sessions,
        links.revoke,
        mails.mails,
        copies.backup,
        copies.restore,
        copies.export,
        copies.pull,
        copies.key,
        checking.check,
    ):
        commands.command(command.__name__)(command)
    app.add_typer(commands, name="admin")
