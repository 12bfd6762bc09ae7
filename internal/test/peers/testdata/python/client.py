"""Uses cairn through the client of the Python SDK.

Arguments: how to connect, "legacy" (the handshake of 2025) or "auto" (what the
server offers), then "stdio COMMAND ARGS..." or "http URL TOKEN". Each line of
the output names something that worked.
"""
import asyncio
import json
import os
import sys
import warnings

import mcp
from mcp_types import ResourceTemplateReference

mode, way, target, *rest = sys.argv[1:]
warnings.simplefilter("ignore", mcp.MCPDeprecationWarning)  # of the older handshake


def server():
    if way == "stdio":
        return mcp.stdio_client(mcp.StdioServerParameters(command=target, args=rest, env=dict(os.environ)))
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    return streamable_http_client(
        target, http_client=httpx2.AsyncClient(headers={"Authorization": f"Bearer {rest[0]}"}, timeout=60)
    )


def said(name):
    print(name, flush=True)


async def main():
    heard = asyncio.Event()

    async def on_message(message):
        if isinstance(message, mcp.ResourceUpdatedNotification):
            heard.set()

    client = mcp.Client(
        server(), mode=mode, message_handler=on_message,
        client_info=mcp.Implementation(name="peer", version="1"),
    )
    async with client as c:

        async def call(name, **arguments):
            r = await c.call_tool(name, arguments)
            value = json.loads(r.content[0].text)
            assert r.is_error or r.structured_content == value
            return value, r.is_error

        assert c.server_info.name == "cairn" and "recall" in c.instructions
        modern = c.protocol_version >= "2026"
        assert modern == (mode == "auto"), c.protocol_version
        said("initialize")

        tools = (await c.list_tools()).tools
        assert sorted(t.name for t in tools) == "browse edit read recall remember status undo write".split()
        assert all(t.annotations and t.output_schema for t in tools)
        said("tools/list")

        title = f"Cairns of {mode} Python over {way}"
        kept, _ = await call("remember", text="A pile of stones that marks the way.", title=title)
        page = kept["pages"][0]
        said("remember")

        found, _ = await call("recall", query=title, limit=1)
        assert found["items"][0]["ref"] == page["ref"]
        recent, _ = await call("browse", what="recent")
        assert recent["items"][0]["actor"] == "agent:peer", recent
        said("recall")

        read, _ = await call("read", ref=page["ref"])
        edited, _ = await call(
            "edit", ref=page["ref"], edits=[{"do": "append", "text": "More stones."}], expected_version=read["version"]
        )
        assert edited["pages"][0]["version"] == read["version"] + 1
        said("edit")

        stale, failed = await call("write", ref=page["ref"], text="Lost.", expected_version=read["version"])
        assert failed and stale["error"]["code"] == "conflict"
        assert stale["error"]["details"]["current_version"] == read["version"] + 1
        said("stale write refused")

        uri = f"memory://pages/{page['ref']}"
        contents = (await c.read_resource(uri)).contents
        assert "More stones" in contents[0].text
        assert any(str(r.uri) == "memory://index" for r in (await c.list_resources()).resources)
        assert len((await c.list_resource_templates()).resource_templates) == 2
        try:
            await c.read_resource("memory://pages/no-such-page")
            raise AssertionError("a page that is not there can be read")
        except mcp.MCPError:
            said("resources")

        asked = await c.get_prompt("recall", {"topic": "cairns"})
        assert "cairns" in asked.messages[0].content.text
        assert len((await c.list_prompts()).prompts) == 5
        said("prompts")

        done = await c.complete(
            ResourceTemplateReference(type="ref/resource", uri="memory://pages/{+slug}"),
            {"name": "slug", "value": "cairns-of"},
        )
        assert done.completion.values
        said("completion")

        again = [{"do": "append", "text": "Still more."}]
        if not modern:
            await c.subscribe_resource(uri)
            await call("edit", ref=page["ref"], edits=again)
            await heard.wait()
        else:
            async with c.listen(resource_subscriptions=[uri]) as changes:
                await call("edit", ref=page["ref"], edits=again)
                assert (await anext(changes)).uri == uri
        said("subscription")


asyncio.run(main())
