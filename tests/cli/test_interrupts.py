"""Tests of how Ctrl-C is recognised."""

from boca.cli.interrupts import was_interrupted


def test_ctrl_c_is_recognised_behind_other_errors():
    """Tests an interrupt while a compiled library is loaded, which makes an ImportError of it."""
    wrapped = ImportError("initialization failed")
    wrapped.__cause__ = KeyboardInterrupt()
    assert was_interrupted(wrapped)
    assert was_interrupted(KeyboardInterrupt())
    assert not was_interrupted(ImportError("no such module"))
