"""Calls every published API of ToolBench as the client of StableToolBench does, which spells names in its own way.

    names.py URL FOLDER

URL is the /virtual of a server of the published documents; FOLDER has the query files (*.json) at any depth, and may
have answers of agents (data_example/answer). The spelling is that of the published client: its own functions where
FOLDER is a checkout, and else what follows from their rule. The values are defaults or fit the types. Each call is made twice, spelled so and as the document has it: both must be answered, and
alike, and a header must count the names that were spelled otherwise. Calls in the answers of agents are made as they
stand. Exit 1 and a traceback when anything is otherwise.
"""

import glob
import json
import os
import re
import sys
import urllib.request

from parts import functions

RESERVED = {"from", "class", "return", "false", "true", "id", "and"}
HEADER = "Toolevo-Standardised-Names"
VALUES = {"NUMBER": 3, "BOOLEAN": True, "ARRAY": [], "OBJECT": {}}
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def standard(name):
    """Returns a name as the published client spells it."""
    name = re.sub("_+", "_", re.sub("[^\u4e00-\u9fa5a-zA-Z0-9_^]", "_", name)).lower().strip("_")
    if name[:1].isdigit():
        name = "get_" + name
    return "is_" + name if name in RESERVED else name


def category(name):
    return re.sub("[ ,/]", "_", name).replace("__", "_")


def call(url, api, arguments):
    """Returns the text that a call is answered with, and how many names were spelled otherwise."""
    body = {
        "category": category(api["category_name"]),
        "tool_name": standard(api["tool_name"]),
        "api_name": standard(api["api_name"]),
        "tool_input": json.dumps(arguments) if isinstance(arguments, dict) else arguments,
        "strip": "truncate",
        "toolbench_key": "",
    }
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with opener.open(request) as reply:
        return reply.read().decode(), int(reply.headers.get(HEADER, 0))


def value(parameter):
    """Returns a value that fits a parameter."""
    default, kind = parameter["default"], parameter["type"].upper()
    if default != "" and isinstance(default, type(VALUES.get(kind, ""))):
        return default
    return VALUES.get(kind, "Bern")


def published(folder):
    """Returns the APIs of all query files, by category, tool and name, and the queries by ID."""
    apis, queries = {}, {}
    for path in sorted(glob.glob(folder + "/**/*.json", recursive=True)):
        entries = json.load(open(path))
        for query in entries if isinstance(entries, list) else []:
            if "api_list" not in query:
                continue  # other files are no queries
            queries[query["query_id"]] = query
            for api in query["api_list"]:
                apis[api["category_name"], api["tool_name"], api["api_name"]] = api
    return apis, queries


def check_apis(url, apis):
    wrong, respelled, shared = [], 0, 0
    for api in apis.values():
        # The published client shows no optional parameters where nothing is required; here all are given.
        documented = {p["name"]: value(p) for p in api["required_parameters"] + api["optional_parameters"]}
        spelled = {standard(name): v for name, v in documented.items()}
        if len(spelled) < len(documented):
            shared += 1  # the client itself can give only one of two parameters
            continue

        otherwise = len(spelled.keys() - documented.keys())
        respelled += otherwise > 0
        answer, counted = call(url, api, spelled)
        if json.loads(answer)["error"] or counted != otherwise or call(url, api, documented) != (answer, 0):
            wrong.append((api["tool_name"], api["api_name"], spelled, answer, counted))

    for one in wrong[:5]:
        print(*one, file=sys.stderr)
    assert not wrong and apis, f"{len(wrong)} of {len(apis)} APIs are refused, or answered otherwise"
    print(f"names: {len(apis)} APIs called, {respelled} of them with names spelled otherwise, all answered as by the "
          f"documents' names; {shared} left out, of which two parameters share a spelling")


def check_answers(url, folder, queries):
    made, misnamed = 0, []
    for path in sorted(glob.glob(folder + "/data_example/answer/*/*/*.json")):
        apis = queries[int(os.path.basename(path).split("_")[0])]["api_list"]
        functions = {standard(a["api_name"]) + "_for_" + standard(a["tool_name"]): a for a in apis}
        for conversation in json.load(open(path))["answer_generation"]["train_messages"]:
            for message in conversation:
                called = message.get("function_call")
                api = called and functions.get(called["name"])
                if not api:
                    continue  # Finish, or a function that nobody offered

                made += 1
                answer, _ = call(url, api, called["arguments"])
                if "additional propert" in answer or "there is no API" in answer:
                    misnamed.append((path, called, answer))

    assert not misnamed, misnamed
    print(f"names: {made} calls of published answers made again, none of them refused for its names")


if __name__ == "__main__":
    url, folder = sys.argv[1:]
    client = folder + "/toolbench/utils.py"
    if os.path.exists(client):
        own = functions(client, "standardize", "change_name", "standardize_category")
        category = own["standardize_category"]

        def standard(name):
            return own["change_name"](own["standardize"](name))

    apis, queries = published(folder)
    check_apis(url, apis)
    check_answers(url, folder, queries)
