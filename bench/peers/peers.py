"""Cairn next to other programs that search a directory of Markdown, over copies of the same notes.

    python peers/peers.py DIR --cairn ../bin/cairn [--rounds 5] [--limit 600] [--only qmd]

Each program is taken from the PATH, as its ordinary client installs it, and left out with the
reason where it is missing:

    qmd           npm install @tobilu/qmd          (needs Node.js 22)
    basic-memory  pip install basic-memory
    zk            a package of the system, or a release

Only keyword search is measured: no models are loaded, and the semantic search of each is off.
Each has a home of its own below a temporary directory. Prints Markdown, with the load of the
machine; compare processor time where it is not idle.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

WORDS = ["garden", "memory", "stoa", "capitalism", "protocol"]


class Peer:
    def __init__(self, name, version, index, sync, search, server=None, tool=None):
        self.name, self.version, self.index, self.sync = name, version, index, sync
        self.search, self.server, self.tool = search, server, tool


def peers(cairn, notes):
    """The programs, with the commands that each takes in its home."""
    return [
        Peer("cairn", [cairn, "version"], [[cairn, "config", "set", "embed", "off"], [cairn, "space", "add", notes, "--name", "notes"], [cairn, "sync"]], [cairn, "sync"],
             lambda w: [cairn, "search", w], [cairn, "mcp"], lambda w: ("recall", {"query": w, "mode": "fts"})),
        Peer("qmd", ["qmd", "--version"], [["qmd", "collection", "add", notes, "--name", "notes"]], ["qmd", "update"],
             lambda w: ["qmd", "search", w, "-n", "10"], ["qmd", "mcp"],
             lambda w: ("query", {"searches": [{"type": "lex", "query": w}], "rerank": False, "limit": 10})),
        Peer("basic-memory", ["basic-memory", "--version"], [["basic-memory", "project", "add", "notes", notes, "--default"], ["basic-memory", "reindex", "--search"]],
             ["basic-memory", "reindex", "--search"], lambda w: ["basic-memory", "tool", "search-notes", w], ["basic-memory", "mcp"],
             lambda w: ("search_notes", {"query": w, "project": "notes"})),
        Peer("zk", ["zk", "--version"], [["zk", "init", "--no-input", notes], ["zk", "index", "--notebook-dir", notes]], ["zk", "index", "--notebook-dir", notes],
             lambda w: ["zk", "list", "--notebook-dir", notes, "--match", w, "--limit", "10", "--no-pager"]),
    ]


def run(command, env, limit):
    """Returns the wall time and processor time of a command; None past the limit."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    try:
        done = subprocess.run(command, env=env, cwd=env["HOME"], stdin=subprocess.DEVNULL, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3):  # 3 is no match
        raise RuntimeError(f"{command[0]} {command[1]}: exit code {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}")
    return wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def warm(peer, env, rounds):
    """Returns the median time of a search in a running server."""
    server = subprocess.Popen(peer.server, env=env, cwd=env["HOME"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    count = 0

    def call(method, params):
        nonlocal count
        count += 1
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": count, "method": method, "params": params}) + "\n")
        server.stdin.flush()
        for line in server.stdout:
            answer = json.loads(line)
            if answer.get("id") == count:
                if "error" in answer or answer["result"].get("isError"):
                    raise RuntimeError(f"{peer.name}: {line[:300]}")
                return answer["result"]
        raise RuntimeError(f"{peer.name}: the server ended")

    try:
        call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
        times = []
        for turn in range(rounds + 1):
            for word in WORDS:
                name, arguments = peer.tool(word)
                start = time.monotonic()
                call("tools/call", {"name": name, "arguments": arguments})
                if turn:  # the first loads what is loaded once
                    times.append(time.monotonic() - start)
        return statistics.median(times)
    finally:
        server.stdin.close()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()


def show(timed):
    return f"{timed[0]:.2f} s, {timed[1]:.2f} s CPU"


def measure(peer, env, rounds, limit):
    """Returns the cells of the row of a program."""
    wall = cpu = 0
    for command in peer.index:
        timed = run(command, env, limit)
        if timed is None:
            return [f"over {limit} s", "–", "–", "–"]
        wall, cpu = wall + timed[0], cpu + timed[1]

    def median(commands):
        all = [run(c, env, limit) for c in commands]
        if None in all:
            return f"over {limit} s"
        return show([statistics.median(t[i] for t in all) for i in (0, 1)])

    cells = [show((wall, cpu)), median([peer.sync] * rounds), median([peer.search(w) for w in WORDS] * rounds)]
    if not peer.server:
        return cells + ["no server"]
    try:
        return cells + [f"{warm(peer, env, rounds) * 1000:.1f} ms"]
    except (RuntimeError, OSError, ValueError) as err:
        return cells + [f"failed: {err}"]


def main():
    args = argparse.ArgumentParser()
    args.add_argument("dir")
    args.add_argument("--cairn", default="cairn")
    args.add_argument("--rounds", type=int, default=5)
    args.add_argument("--limit", type=int, default=600, help="seconds that one command may take")
    args.add_argument("--only", default="")
    args = args.parse_args()
    cairn = shutil.which(args.cairn)
    if cairn is None:
        sys.exit(f"no program {args.cairn}: build it with make build, and name it with --cairn")
    print(f"Load at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.\n")
    print("| program | version | to searchable | nothing changed | a search, as a process | a search, in a server |\n|---|---|---|---|---|---|", flush=True)
    for name in ["cairn", "qmd", "basic-memory", "zk"]:
        if args.only and name not in args.only.split(","):
            continue
        with tempfile.TemporaryDirectory() as home:
            notes = os.path.join(home, "notes")
            shutil.copytree(args.dir, notes)
            env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "CAIRN_"))}
            env |= {"HOME": home, "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false"}
            peer = next(p for p in peers(os.path.abspath(cairn), notes) if p.name == name)
            if shutil.which(peer.version[0]) is None:
                print(f"| {name} | left out: it is not on the PATH | | | | |", flush=True)
                continue
            try:
                version = subprocess.run(peer.version, env=env, capture_output=True, text=True, timeout=120).stdout.strip().splitlines()[0]
                row = measure(peer, env, args.rounds, args.limit)
            except (RuntimeError, IndexError) as err:
                print(f"| {name} | left out: {err} | | | | |", flush=True)
                continue
            print(f"| {name} | {version} | " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
