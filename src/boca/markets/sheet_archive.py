"""Whether an XLSX file, which is a zip archive of XML, can be opened without harm."""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator

from boca.core.errors import InputError

MOST_UNPACKED = 20 * 1024 * 1024
MOST_PARTS = 200
# How reading an archive fails that is damaged; RuntimeError is Python's word for an encrypted part.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
    EOFError,
)
# Other methods unpack without a bound on their output.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCODING = re.compile(rb"""^[^>]{0,200}?encoding\s*=\s*["']([^"']+)["']""")
PLAIN = (b"utf-8", b"us-ascii", b"ascii")


def check_archive(content: bytes, most_unpacked: int = MOST_UNPACKED, unpack: bool = True) -> None:
    """
    Raises an InputError if the archive is broken, too large unpacked, or declares entities.

    Python stops unpacking a part at the size that the archive declares for it, so declared sizes
    bound what is unpacked, true or not.

    Parameters
    ----------
    content
        The file.
    most_unpacked
        Bytes that all parts may have together.
    unpack
        Whether to look into the parts; if not, only declared sizes are checked.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _check_sizes(archive.infolist(), min(most_unpacked, MOST_UNPACKED))
            if not unpack:
                return
            for name, text in _texts(archive):
                _check_text(name, text)
    except DAMAGE as error:
        raise InputError(
            f"The file is not an XLSX file that can be opened ({error}). Save the sheet again as "
            "XLSX."
        ) from None


def _check_sizes(parts: list[zipfile.ZipInfo], most_unpacked: int) -> None:
    total = sum(part.file_size for part in parts)
    if total > most_unpacked or len(parts) > MOST_PARTS:
        raise InputError(
            f"The file unpacks to {len(parts)} parts with {total / 1024**2:.0f} MB; expected at "
            f"most {MOST_PARTS} and {most_unpacked // 1024**2} MB. Fill in the sheet as you "
            "got it."
        )
    for part in parts:
        if part.compress_type not in METHODS:
            raise InputError(
                "The file is packed in a way that spreadsheets do not use. Save the sheet again as "
                "XLSX."
            )


def _texts(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    for part in archive.infolist():
        if not part.filename.lower().endswith((".png", ".jpeg", ".jpg", ".bin")):
            yield part.filename, archive.read(part)


def _check_text(name: str, text: bytes) -> None:
    """XML that declares entities can grow without end; no spreadsheet needs it."""
    encoding = ENCODING.match(text)
    is_plain = b"\0" not in text and (encoding is None or encoding[1].lower() in PLAIN)
    if not is_plain or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        raise InputError(
            f"The file's part '{name[:60]}' is not plain XML in UTF-8. Save the sheet again as "
            "XLSX."
        )
