"""Records the calls of calls.jsonl with Basic Memory: how each ended, and the text.

usage: record.py, with Python 3.12 and the packages basic-memory==0.24.1; it works in a
directory of its own, without a model
"""
import asyncio
import json
import os
import pathlib
import shutil
import sys
import tempfile

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

here = pathlib.Path(__file__).parent
FAILED = ("# Error", "Error", "# Edit Failed", "# Move Failed", "# Delete Failed", "# Search Failed",
          "# Note Not Found", "# File Not Found", "# No Schema", "Failed")
# What the test compares of an answer: which of these it names.
TITLES = ("Ada Lovelace", "Charles Babbage", "Analytical Engine", "Difference Engine", "Jacquard Loom", "Loom Two",
          "In second", "only.txt")


def names(tool, text, title):
    if tool == "search_notes":  # a hit may also quote other titles
        return any(mark + title in text for mark in ("### ", '"title":"'))
    return title in text


def ended(result, text):
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    if result.is_error or text.strip().startswith(FAILED) or isinstance(data, dict) and data.get("error") or text == "false":
        return "error"
    return "ok"


async def main():
    home = pathlib.Path(tempfile.mkdtemp())
    shutil.copytree(here / "vault", home / "vault")
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "BASIC_MEMORY_HOME": str(home / "vault"),
           "BASIC_MEMORY_CONFIG_DIR": str(home / "config"), "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false"}
    command = pathlib.Path(sys.executable).parent / "basic-memory"
    out = []
    async with Client(StdioTransport(str(command), ["mcp"], env=env)) as client:
        await asyncio.sleep(15)  # it indexes
        for line in (here / "calls.jsonl").read_text().splitlines():
            call = json.loads(line)
            given = json.loads(json.dumps(call["arguments"]).replace("HOME", str(home)))
            result = await client.call_tool_mcp(call["tool"], given)
            result.is_error = result.isError
            text = "".join(getattr(c, "text", "") for c in result.content).replace(str(home), "HOME")
            call |= {"there": ended(result, text), "titles": [t for t in TITLES if names(call["tool"], text, t)], "text": text[:300]}
            out.append(json.dumps({k: call[k] for k in ("tool", "arguments", "there", "titles", "here", "titles_here", "why", "text") if k in call}, ensure_ascii=False))
    (here / "calls.jsonl").write_text("\n".join(out) + "\n")


asyncio.run(main())
