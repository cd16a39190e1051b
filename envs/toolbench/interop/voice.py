"""Calls the mocked voice service with the official MCP SDK for Python.

    voice.py URL TOOLEVO ARGUMENT…

URL is the streamable HTTP endpoint; TOOLEVO and its ARGUMENTs start a server over stdio. Every tool is called as a task
would call it, and as none may. Sessions must be apart. Exit 1 and a traceback when anything is otherwise.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def call(session, tool, **arguments):
    """Returns what a tool gives, as the value of its JSON."""
    result = (await session.call_tool(tool, arguments)).model_dump(by_alias=True)
    text = result["content"][0]["text"]
    assert not result["isError"], (tool, arguments, text)
    return json.loads(text)


async def refused(session, tool, **arguments):
    result = (await session.call_tool(tool, arguments)).model_dump(by_alias=True)
    assert result["isError"] and result["content"][0]["text"], (tool, arguments, result)


async def check(session):
    tools = {t.name: t.model_dump(by_alias=True)["inputSchema"] for t in (await session.list_tools()).tools}
    assert len(tools) == 6, tools
    assert tools["text_to_speech"]["required"] == ["text"], tools

    voices = await call(session, "search_voice_library", search_category="any", search_gender="any")
    names = [voice["voice_name"] for voice in voices]
    assert len(names) == 10 and names == sorted(names), names

    spoken = await call(session, "text_to_speech", text="One two. Three!", voice_name=names[0], stability=0.25)
    assert (spoken["voice_name"], spoken["stability"], spoken["duration"]) == (names[0], 0.25, 1.2), spoken

    isolated = await call(session, "isolate_audio", input_speech=spoken["speech"])
    assert isolated["duration"] == 0.6, isolated
    await refused(session, "isolate_audio", input_speech=isolated["speech"])

    again = await call(session, "speech_to_speech", input_speech=isolated["speech"], voice_name=names[1])
    assert again["history"][-1] == f"spoken again by {names[1]}", again
    assert await call(session, "speech_to_text", input_speech=again["speech"]) == "One two. Three!"
    assert await call(session, "make_outbound_call", input_speech=again["speech"], voice_name=names[2]) is None

    await refused(session, "make_outbound_call", input_speech=again["speech"], voice_name="Nobody")
    await refused(session, "text_to_speech", text="One", stability=2)
    await refused(session, "text_to_speech", words="One")
    return spoken["speech"]


async def main():
    async with streamable_http_client(sys.argv[1]) as (read, write, *_):
        async with ClientSession(read, write) as session:
            await session.initialize()
            speech = await check(session)
    async with streamable_http_client(sys.argv[1]) as (read, write, *_):
        async with ClientSession(read, write) as session:
            await session.initialize()
            await refused(session, "speech_to_text", input_speech=speech)  # another session's
    async with stdio_client(StdioServerParameters(command=sys.argv[2], args=sys.argv[3:])) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            await check(session)
    print("voice: 6 tools, over HTTP and over stdio; a session does not have the speeches of another one")


asyncio.run(main())
