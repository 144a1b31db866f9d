"""Files that are never left half-written, text that names its file when it cannot be read."""

import os
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from boca.core.errors import InputError
from boca.core.wording import printable, shortened

# No file of ours comes near; more would only be read to be refused.
MOST_BYTES = 200_000_000


def write_atomically(path: Path | str, content: str | bytes) -> None:
    """
    Writes a file so that readers see the old content or the new one, never a part of it.

    The content goes to a temporary file in the same folder, is flushed to the disk, and takes the
    target's name in one step. A failure leaves the target as it was and is an InputError that says
    why, such as a full disk.

    Parameters
    ----------
    path
        The target. Its folder must exist.
    content
        Text, stored as UTF-8, or bytes.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(
            prefix=f".{path.name}.", suffix=".part", dir=path.parent
        )
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        _remove(temporary)
        raise InputError(
            f"Cannot write {path}: {error.strerror or error}. "
            "Make room or choose another place; nothing written before is lost."
        ) from error
    except BaseException:
        _remove(temporary)
        raise


def read_text(path: Path | str, what: str = "file", most_bytes: int = MOST_BYTES) -> str:
    """
    The text of a UTF-8 file, with or without a byte-order mark.

    Parameters
    ----------
    path, what, most_bytes
        As in :func:`read_bytes`.
    """
    data = read_bytes(path, what, most_bytes)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        where, byte = f"{printable(str(path))}, line {line}", f"0x{data[error.start]:02x}"
        raise InputError(
            f"{where}: found the byte {byte}, so the {what} is not text in UTF-8. Save it again "
            "with the encoding UTF-8."
        ) from None


def read_toml(path: Path | str, what: str) -> dict[str, Any]:
    """
    The content of a TOML file.

    Parameters
    ----------
    path, what
        As in :func:`read_bytes`.
    """
    text = read_text(path, what)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason = shortened(str(error), 200)
    except RecursionError:
        reason = "lists or tables are nested too deeply"
    except ValueError:  # int() refuses absurdly long numbers
        reason = "a number has thousands of digits"
    raise InputError(f"The {what} '{printable(str(path))}' is not TOML: {reason}. Correct it.")


def read_bytes(path: Path | str, what: str = "file", most_bytes: int = MOST_BYTES) -> bytes:
    """
    The content of a file.

    Parameters
    ----------
    path
        Where it is.
    what
        What the file is to the user, for messages, such as ``market file``.
    most_bytes
        A longer file is refused, and no more than this is read of it.
    """
    shown = printable(str(path))
    try:
        with Path(path).open("rb") as file:
            data = file.read(most_bytes + 1)
    except FileNotFoundError:
        raise InputError(f"There is no {what} '{shown}'. Check the name.") from None
    except IsADirectoryError:
        raise InputError(f"'{shown}' is a folder; name the {what} inside it.") from None
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"Cannot read the {what} '{shown}': {reason}. Check the name.") from None

    if len(data) > most_bytes:
        raise InputError(
            f"The {what} '{shown}' has more than {most_bytes:,} bytes, which is the most that is "
            "read. Is it the right file? Otherwise make it smaller."
        )
    return data


def cache_folder(part: str) -> Path:
    """
    Where boca keeps what can be computed again: ``$BOCA_CACHE``, else ``$XDG_CACHE_HOME/boca``,
    else ``~/.cache/boca``.

    Parameters
    ----------
    part
        The folder inside it, one for each purpose.
    """
    if folder := os.environ.get("BOCA_CACHE"):
        return Path(folder).expanduser() / part
    if folder := os.environ.get("XDG_CACHE_HOME"):
        return Path(folder) / "boca" / part
    return Path.home() / ".cache" / "boca" / part


def _remove(temporary: str) -> None:
    if temporary:
        Path(temporary).unlink(missing_ok=True)


def _umask() -> int:
    """The process's mask for new files, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
