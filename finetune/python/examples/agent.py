"""Plays the tasks of a running server with a plain OpenAI client, using the tools that the server's MCP lists.

    toolevo serve env --config policies/tools --dataset coffee --api p_c &
    OPENAI_BASE_URL=http://127.0.0.1:8000/v1 OPENAI_API_KEY=none python agent.py http://127.0.0.1:8083 MODEL 10

It needs openai and websockets. A reply without a readable call ends a task, as with other agents.
"""

import json
import sys

from openai import OpenAI
from websockets.sync.client import connect

url, model, tasks = sys.argv[1:]
replies = readable = won = 0
with connect(url.replace("http", "ws", 1) + "/ws", max_size=None) as server:

    def ask(kind, **data):
        server.send(json.dumps({"type": kind, "data": data}))
        return json.loads(server.recv())["data"]

    def mcp(method, **params):
        return ask("mcp", jsonrpc="2.0", id=1, method=method, params=params)["result"]

    for seed in range(int(tasks)):
        task, now, calls = ask("reset", seed=seed)["observation"], {"done": False, "reward": None}, True
        listed = [{**t, "parameters": t.pop("inputSchema")} for t in mcp("tools/list")["tools"]]
        chat = {"model": model, "temperature": 0, "tools": [{"type": "function", "function": f} for f in listed]}
        messages = [{"role": "system", "content": task["system"]}, {"role": "user", "content": task["text"]}]
        while calls and not now["done"]:
            said = OpenAI().chat.completions.create(messages=messages, **chat).choices[0].message
            messages.append(said.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True))
            try:
                calls = [(c.id, c.function.name, json.loads(c.function.arguments)) for c in said.tool_calls or []]
            except ValueError:
                calls = []
            replies, readable = replies + 1, readable + bool(calls)
            for call, name, arguments in calls:
                if not now["done"]:
                    answer = mcp("tools/call", name=name, arguments=arguments)
                    messages.append({"role": "tool", "tool_call_id": call, "content": answer["content"][0]["text"]})
                    now = answer["structuredContent"]
        won += now["reward"] == 1
        print(json.dumps({"task_id": task["task_id"], "reward": now["reward"], "messages": messages}), flush=True)
print(f"{readable} of {replies} replies have a readable call, {won} of {tasks} tasks are won", file=sys.stderr)
