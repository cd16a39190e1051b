"""Calls ToolBench's functions with the official MCP SDK for Python.

    client.py URL TOOLEVO ARGUMENT…

URL is the streamable HTTP endpoint of a version in which the invented functions have moved on; TOOLEVO and its ARGUMENTs
start a server of the same version over stdio. Every function is listed, called with arguments that its schema asks for,
and with others, which must be refused. Exit 1 and a traceback when anything is otherwise.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

VALUES = {"string": "Bern", "number": 3, "integer": 3, "boolean": True, "array": [], "object": {}}


def arguments(schema):
    """Returns arguments that fit a schema: what it requires, by their defaults or types."""
    fitting = {}
    for name in schema.get("required", []):
        of = schema["properties"][name]
        kind = of.get("type", "string")
        fitting[name] = of.get("default", VALUES[kind if isinstance(kind, str) else kind[0]])
    return fitting


async def check(read, write):
    async with ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        assert len(tools) > 1, tools
        assert not any(t.name.startswith("forecast_for") for t in tools), "a name of the old version is listed"

        answered = 0
        for tool in tools:
            schema = tool.model_dump(by_alias=True)["inputSchema"]
            result = (await session.call_tool(tool.name, arguments(schema))).model_dump(by_alias=True)
            text = json.loads(result["content"][0]["text"])
            assert set(text) == {"error", "response"}, text
            answered += not result["isError"]

            wrong = (await session.call_tool(tool.name, {"nobody_has_this": 1})).model_dump(by_alias=True)
            assert wrong["isError"], (tool.name, wrong)
            assert json.loads(wrong["content"][0]["text"])["error"], wrong

        assert answered >= len(tools) - 2, f"{answered} of {len(tools)} calls are answered"  # a text may spell a number
        print(f"client: {len(tools)} functions, {answered} calls answered, {len(tools)} refused")


async def main():
    async with streamable_http_client(sys.argv[1]) as (read, write, *_):
        await check(read, write)
    async with stdio_client(StdioServerParameters(command=sys.argv[2], args=sys.argv[3:])) as (read, write):
        await check(read, write)


asyncio.run(main())
