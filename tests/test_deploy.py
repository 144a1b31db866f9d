"""The files in deploy/: what they name exists, and systemd understands its own."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from live_server import LiveServer

from boca.cli.main import run

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
@pytest.mark.parametrize("name", ["boca.service", "boca-backup.service", "boca-backup.timer"])
def test_systemd_understands_the_units(tmp_path, name):
    """Tests a copy whose program exists here; everything else is as delivered."""
    for path in DEPLOY.glob("boca*"):
        text = path.read_text().replace("/opt/boca/bin/boca", "/bin/true")
        text = re.sub(r"^(User|Group)=boca$", r"\1=root", text, flags=re.MULTILINE)
        (tmp_path / path.name).write_text(text)
    result = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / name)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    about_us = [line for line in result.stderr.splitlines() if "boca" in line]
    assert (result.returncode, about_us) == (0, [])


def options_of(command: str, capsys) -> str:
    assert run([*command.split(), "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", ["boca.service", "Dockerfile"])
def test_options_of_the_server_exist(name, capsys):
    """Tests that nobody renames an option and leaves an operator without a server."""
    text = (DEPLOY / name).read_text()
    lines = [line for line in text.splitlines() if re.match(r"ExecStart|ENTRYPOINT|CMD", line)]
    options = set(re.findall(r"--[a-z]+", " ".join(lines)))
    known = options_of("serve", capsys)
    assert options
    assert all(option in known for option in options), options


def instructions() -> dict[str, list[str]]:
    """The Dockerfile by instruction, with continued lines joined."""
    text = re.sub(r"\\\n\s*", " ", (DEPLOY / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    found: dict[str, list[str]] = {}
    for line in lines:
        word, _, rest = line.partition(" ")
        found.setdefault(word, []).append(rest)
    return found


def test_the_image_is_made_of_what_there_is():
    """Tests base image, files and extras by name: no daemon is needed to see a slip of the pen."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (base,), (copied,), (run_line,) = (instructions()[word] for word in ("FROM", "COPY", "RUN"))
    python = re.fullmatch(r"python:(3\.\d+)-slim", base)[1]
    assert f"Programming Language :: Python :: {python}" in project["classifiers"]
    assert copied == ". /src"

    install, clean, user, folder = re.split(r" +&& +", run_line)
    extras = re.search(r"'/src\[(.*)\]'", install)[1].split(",")
    assert set(extras) <= set(project["optional-dependencies"])
    assert "--constraint /src/constraints.txt" in install
    assert clean == "rm -rf /src"
    assert f"--uid {instructions()['USER'][0]} " in user
    (volume,) = instructions()["VOLUME"]
    assert folder.endswith(f"-m 0700 {volume}")

    # What is sent to the daemon is what tests/test_wheel.py builds the package from.
    sent = (ROOT / ".dockerignore").read_text().split()
    needed = {"src", "pyproject.toml", "constraints.txt", project["readme"], "LICENSE"}
    assert {word[1:] for word in sent if word.startswith("!")} == needed
    assert all((ROOT / name).exists() for name in needed)


def test_the_health_check_of_the_image_works(tmp_path):
    """Tests the very words of HEALTHCHECK against a server that lives, and after its end."""
    (line,) = instructions()["HEALTHCHECK"]
    python, flag, code = json.loads(line[line.index("[") :])
    assert (python, flag) == ("python", "-c")
    server = LiveServer(tmp_path / "data").start()
    command = [sys.executable, "-c", code.replace(":8080", f":{server.port}")]
    try:
        assert ":8080/" in code
        assert subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    finally:
        server.stop()
    assert subprocess.run(command, capture_output=True, timeout=60).returncode == 1


def test_the_image_starts_with_words_that_a_shell_does_not_touch():
    """Tests that signals reach the server: ENTRYPOINT and CMD are lists."""
    words = [json.loads(instructions()[word][0]) for word in ("ENTRYPOINT", "CMD")]
    assert words[0][:3] == ["boca", "serve", instructions()["VOLUME"][0]]
    assert instructions()["EXPOSE"][0] == words[0][words[0].index("--port") + 1]


def test_commands_of_the_page_exist(capsys):
    """Tests every `boca ...` of docs/operating.md."""
    page = (ROOT / "docs" / "operating.md").read_text()
    commands = set(re.findall(r"`boca (admin [a-z]+|[a-z]+)", page)) - {"serve"}
    assert {"admin backup", "admin pull", "bots"} <= commands
    for command in commands:
        known = options_of(command, capsys)
        for row in re.findall(rf"`boca {command}( [^`]*)?`", page):
            for option in re.findall(r"--[a-z-]+", row):
                assert option in known, f"boca {command} {option}"


def test_files_that_the_page_names_exist():
    """Tests links to deploy/, and that pages, streams and uploads fit through the proxies."""
    page = (ROOT / "docs" / "operating.md").read_text()
    for name in re.findall(r"\]\(\.\./(deploy/[^)]+)\)", page):
        assert (ROOT / name).is_file(), name
    nginx = (DEPLOY / "nginx.conf").read_text()
    pattern = re.search(r"location ~ (\S+)", nginx)[1]
    for path in ("/a/x1/events", "/api/v1/auctions/x1/events"):
        assert re.search(pattern, path)
    assert not re.search(pattern, "/a/x1/me")
    assert "client_max_body_size 2m" in nginx


@pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx")
def test_nginx_loads_its_file(tmp_path):
    """Tests the file as delivered, but for certificates that exist here."""
    name = ["-subj", "/CN=auction.example.org", "-days", "1", "-nodes", "-newkey", "rsa:2048"]
    files = {"fullchain.pem": tmp_path / "chain.pem", "privkey.pem": tmp_path / "key.pem"}
    out = ["-out", files["fullchain.pem"], "-keyout", files["privkey.pem"]]
    subprocess.run(["openssl", "req", "-x509", *name, *out], check=True, capture_output=True)
    text = (DEPLOY / "nginx.conf").read_text()
    for file, path in files.items():
        text = text.replace(f"/etc/letsencrypt/live/auction.example.org/{file}", str(path))
    (tmp_path / "site.conf").write_text(text)
    whole = f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{ include {tmp_path}/site.conf; }}\n"
    (tmp_path / "nginx.conf").write_text(whole)
    command = ["nginx", "-t", "-q", "-e", "stderr", "-c", str(tmp_path / "nginx.conf")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr


@pytest.mark.skipif(shutil.which("caddy") is None, reason="needs caddy")
def test_caddy_loads_its_file():
    """Tests the file as delivered."""
    command = ["caddy", "validate", "--config", str(DEPLOY / "Caddyfile"), "--adapter", "caddyfile"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr


def test_nightly_runs_scripts_that_exist():
    """Tests that a script is not renamed behind the back of the night."""
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "nightly.yml").read_text())
    steps = " ".join(step.get("run", "") for step in workflow["jobs"]["live"]["steps"])
    scripts = re.findall(r"benchmarks/\w+\.py", steps)
    assert len(scripts) == 4
    for script in scripts:
        assert (ROOT / script).is_file(), script
