#!/usr/bin/env python3
"""notify_tests.py: runs the project's tests after each turn, in the background.

The outcome stands in a slot of the status row and in a widget above the composer; `/tests` shows the output. You and the
model go on meanwhile, and a run that the next turn overtakes is killed.

Self-contained, Python 3.8 or later: copy it to ~/.e/extensions/ and keep it executable. The command is found by what the
project has (Cargo.toml, package.json, Makefile, pytest), or is yours, in ~/.e/settings.json:

    {"extensions": {"notify_tests": {"command": "just test"}}}
"""

import collections
import json
import os
import signal
import subprocess
import sys
import threading
import time

KEPT = 200  # lines of output, the last ones
SHOWN = 4  # of them in the widget

write_lock = threading.Lock()


def send(message):
    """One line to e. Two threads write, and a line must not be torn."""
    line = json.dumps(message) + "\n"
    with write_lock:
        sys.stdout.write(line)
        sys.stdout.flush()


class Screen:
    """The status slot and the widget. What e answers is not looked at: where there is no screen, nothing is missed."""

    asked = 0

    def request(self, method, params):
        self.asked += 1
        send({"id": f"tests-{self.asked}", "method": method, "params": params})

    def show(self, text, token, lines):
        self.request("ui.status", {"text": text})
        head = [{"text": text, "token": token}]
        tail = [[{"text": line, "token": "dim"}] for line in lines]
        self.request("ui.widget", {"lines": [head] + tail})


class Tests:
    """At most one run at a time. The lock guards which one that is, so an overtaken run never reports."""

    def __init__(self, command, cwd, screen):
        self.command, self.cwd, self.screen = command, cwd, screen
        self.lock = threading.Lock()
        self.child = None
        self.output = collections.deque(maxlen=KEPT)

    @property
    def name(self):
        return self.command if isinstance(self.command, str) else " ".join(self.command)

    def start(self):
        with self.lock:
            self.kill()
            output = collections.deque(maxlen=KEPT)
            try:
                child = subprocess.Popen(
                    self.command,
                    shell=isinstance(self.command, str),
                    cwd=self.cwd,
                    # Not ours: stdin and stdout are the wire to e.
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    # A process group of its own, so that the test runner's children die with it.
                    start_new_session=True,
                )
            except OSError as error:
                self.screen.show(f"tests: {error.strerror}", "error", [self.name])
                return
            self.child, self.output = child, output
            self.screen.show("tests …", "dim", [])
        threading.Thread(target=self.follow, args=(child, output, time.monotonic()), daemon=True).start()

    def follow(self, child, output, began):
        for line in child.stdout:
            output.append(line.decode("utf-8", "replace").rstrip())
        status = child.wait()
        with self.lock:
            if self.child is not child:
                return  # overtaken
            self.child = None
            took = f"{time.monotonic() - began:.0f}s"
            if status == 0:
                self.screen.show(f"✓ tests {took}", "success", [])
            else:
                last = [line for line in output if line.strip()][-SHOWN:]
                how = f"exit {status}" if status > 0 else f"signal {-status}"
                self.screen.show(f"✗ tests {took}", "error", [f"{self.name}: {how}"] + last)

    def kill(self):
        """Ends the run in hand, if there is one. The caller holds the lock, or is about to exit."""
        child, self.child = self.child, None
        if child is not None:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def configured(config):
    """The user's command: a line for the shell, or a list of words."""
    mine = config.get("notify_tests") if isinstance(config, dict) else None
    command = mine.get("command") if isinstance(mine, dict) else None
    if isinstance(command, str) and command.strip():
        return command
    if isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        return command
    return None


def detected(cwd):
    """The command of a project that has tests as far as one can see."""

    def text(name):
        try:
            with open(os.path.join(cwd, name), encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def has(name):
        return os.path.exists(os.path.join(cwd, name))

    if has("Cargo.toml"):
        return ["cargo", "test", "--quiet"]
    try:
        if json.loads(text("package.json")).get("scripts", {}).get("test"):
            return ["npm", "test", "--silent"]
    except (ValueError, AttributeError):
        pass
    if any(line.startswith("test:") for line in text("Makefile").splitlines()):
        return ["make", "test"]
    if has("pytest.ini") or has("conftest.py") or has("tests/conftest.py") or "[tool.pytest" in text("pyproject.toml"):
        return ["python3", "-m", "pytest", "-q"]
    return None


def manifest(useful):
    """Where nothing is to be run nothing is declared, so that e has nobody to send events to."""
    declared = {"name": "notify_tests", "version": "1.0", "events": []}
    if useful:
        declared["events"] = ["turn_end"]
        declared["commands"] = [{"name": "tests", "description": "show the output of the last test run"}]
    return declared


def main():
    tests = None
    # Line by line as it comes: iterating over a text stream, unlike str.splitlines(), breaks lines at newlines only.
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params") or {}
        if method == "initialize":
            cwd = params.get("cwd") or "."
            command = configured(params.get("extensions_config")) or detected(cwd)
            # Under `e -p` nobody sees an outcome, and e leaves as soon as the turn is over.
            if command and params.get("ui"):
                tests = Tests(command, cwd, Screen())
            send({"id": message["id"], "result": manifest(tests is not None)})
        elif method == "event" and params.get("name") == "turn_end" and tests:
            tests.start()
        elif method == "command" and tests:
            body = "\n".join(tests.output.copy()) or "no output yet"
            send({"id": message["id"], "result": {"show": {"title": tests.name, "body": body}}})
        elif method == "shutdown":
            break
    # `shutdown`, or the end of the pipe because e is gone. e waits a moment only, so nothing here is polite.
    if tests:
        tests.kill()


if __name__ == "__main__":
    # Where the locale is not UTF-8, the wire still is.
    sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    main()
