"""How much memory runs may use."""

import os

import pytest

from boca.core.memory import available_gigabytes


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"proc/meminfo": "MemTotal: 9 kB\nMemAvailable:    8000000 kB\n"}, 8.192),
        (
            {
                "proc/meminfo": "MemAvailable: 8000000 kB\n",
                "sys/fs/cgroup/memory.max": "5000000000\n",
                "sys/fs/cgroup/memory.current": "1000000000\n",
            },
            4.0,
        ),
        (
            {
                "proc/meminfo": "MemAvailable: 8000000 kB\n",
                "sys/fs/cgroup/memory.max": "max\n",
                "sys/fs/cgroup/memory.current": "1000000000\n",
            },
            8.192,
        ),
    ],
)
def test_free_memory(tmp_path, files, expected):
    """Tests that a container's limit counts where it is below the machine's memory."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    assert available_gigabytes(tmp_path) == pytest.approx(expected)


def test_memory_of_the_machine_where_the_system_says_no_more(tmp_path, monkeypatch):
    """Tests macOS, which has no such files."""
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 10**6}
    monkeypatch.setattr(os, "sysconf", sizes.get)
    assert available_gigabytes(tmp_path) == pytest.approx(4.096)
