"""Runs programs and files of StableToolBench and DynamicToolBench beside ours, and prints a table of what came of it.

    table.py TOOLEVO STABLETOOLBENCH DYNAMICTOOLBENCH

The last two are checkouts: they are read, and what is run of them is run in a copy. Each row names a file or program,
what was tried, and that ours does the same, or in what not. A difference that no row knows of ends in exit 1.
"""

import collections
import contextlib
import glob
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request

from model import Model

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from names import value  # noqa: E402
from parts import functions  # noqa: E402

toolevo, stable, dynamic = (os.path.abspath(path) for path in sys.argv[1:])
here = os.path.dirname(os.path.abspath(__file__))
work = tempfile.mkdtemp()
judge = Model()
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
names = functions(stable + "/toolbench/utils.py", "standardize", "change_name", "standardize_category")
GROUPS = ["G1_instruction", "G1_category", "G1_tool", "G2_category", "G2_instruction", "G3_instruction"]


def ours(*arguments, json_output=True):
    """Runs toolevo, and returns the document that it prints."""
    command = [toolevo, *arguments] + ["--json"] * json_output
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, f"{' '.join(command)}: exit {ended.returncode}\n{ended.stderr}"
    return json.loads(ended.stdout) if json_output else ended.stderr + ended.stdout


def theirs(script, *arguments, **environment):
    """Runs a published program where it stands, and returns what it prints."""
    command = [sys.executable, os.path.basename(script), *arguments]
    ended = subprocess.run(command, cwd=os.path.dirname(script), env={**os.environ, **environment}, capture_output=True,
                           text=True)
    assert ended.returncode == 0, f"{script}: exit {ended.returncode}\n{ended.stderr}"
    return ended.stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def serving(url, command, **options):
    """Runs a server until the block ends; it answers at the URL when the block begins."""
    with open(work + "/server.log", "w+") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, **options)
        try:
            end = time.monotonic() + 60
            while True:
                try:
                    opener.open(url)
                except urllib.error.HTTPError:
                    break
                except OSError:
                    if server.poll() is not None or time.monotonic() > end:
                        log.seek(0)
                        raise AssertionError(f"{command} does not answer: {log.read()}") from None
                    time.sleep(0.1)
                else:
                    break
            yield
        finally:
            server.terminate()
            server.wait()


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with opener.open(request) as reply:
        return json.load(reply)


def queries(checkout):
    return {group: read(f"{checkout}/solvable_queries/test_instruction/{group}.json") for group in GROUPS}


def apis(checkout):
    """Returns the documents of all queries by category, tool and API."""
    return {(a["category_name"], a["tool_name"], a["api_name"]): a
            for group in queries(checkout).values() for query in group for a in query["api_list"]}


def tool_files(folder):
    """Writes the documents of the queries as the files of a tool each that published servers and scripts read."""
    tools = collections.defaultdict(list)
    for (category, tool, _), a in apis(stable).items():
        tools[category, tool].append({
            "name": a["api_name"], "url": "", "description": a["api_description"], "method": a["method"],
            "required_parameters": a["required_parameters"], "optional_parameters": a["optional_parameters"],
        })
    for (category, tool), listed in tools.items():
        path = f"{folder}/{names['standardize_category'](category)}/{names['standardize'](tool)}.json"
        write(path, {"tool_name": tool, "tool_description": "", "api_list": listed})
    return len(tools)


# StableToolBench


def query_files():
    said = ours("toolbench", "import", stable + "/solvable_queries", "--split", "test", "--data", work + "/data",
                json_output=False)
    every = [(a["category_name"], a["tool_name"], a["api_name"])
             for group in queries(stable).values() for query in group for a in query["api_list"]]
    counted = (f"{sum(map(len, queries(stable).values()))} queries of 6 groups, {len(set(every))} APIs of "
               f"{len({key[:2] for key in every})} tools in {len({key[0] for key in every})} categories")
    assert counted in said, f"want {counted}, got {said}"
    return "six query files, imported", "equal: " + counted


def client_names():
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with serving(url, [toolevo, "serve", "tools", "--data", work + "/data", "--listen", f"127.0.0.1:{port}"]):
        said = subprocess.run([sys.executable, os.path.dirname(here) + "/names.py", url + "/virtual", stable],
                              capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    called = re.search(r"(\d+) APIs called, (\d+) of them .*?; (\d+) left out", said.stdout)
    return ("every API, its names spelled by the client's own `standardize` and `change_name`, with every parameter",
            f"{called[1]} accepted, {called[2]} of them with names spelled otherwise, none refused; in {called[3]} two "
            "parameters share a spelling")


def server_requests():
    """Has their server and ours ask the same model, and compares what it is asked."""
    prompts = work + "/prompts"
    subprocess.run([sys.executable, os.path.dirname(here) + "/prompts.py", stable, prompts], check=True)
    folder = work + "/server"
    shutil.copytree(stable + "/server", folder)
    tool_files(folder + "/tools")
    port = free_port()
    with open(folder + "/config_mirrorapi.yml", "w") as file:
        json.dump({"api_key": "none", "api_base": judge.url, "temperature": 0, "tools_folder": folder + "/tools",
                   "port": port, "model": "m"}, file)
    calls = []
    for (category, tool, api), a in sorted(apis(stable).items()):
        arguments = {p["name"]: value(p) for p in a["required_parameters"]}
        calls.append({"category": names["standardize_category"](category), "tool_name": names["standardize"](tool),
                      "api_name": names["change_name"](names["standardize"](api)), "tool_input": json.dumps(arguments),
                      "strip": "", "toolbench_key": ""})
    random.Random(1).shuffle(calls)

    def asked(url, command, **options):
        del judge.asked[:]
        with serving(url, command, **options):
            said = []
            for call in calls[:300]:
                before = len(judge.asked)
                try:
                    post(url + "/virtual", call)
                except urllib.error.HTTPError:
                    pass
                said.append([b["messages"] for b in judge.asked[before:]])
            return said

    theirs_said = asked(f"http://127.0.0.1:{port}", [sys.executable, "main_mirrorapi.py"], cwd=folder)
    port = free_port()
    ours_said = asked(f"http://127.0.0.1:{port}", [
        toolevo, "serve", "tools", "--data", work + "/data", "--simulator", "openai:m", "--server", judge.url, "--mode",
        "mirrorapi-sft", "--prompts", prompts, "--cache", work + "/answers.db", "--listen", f"127.0.0.1:{port}"])
    same = sum(a == b for a, b in zip(theirs_said, ours_said))
    refused = sum(a != [] and b == [] for a, b in zip(theirs_said, ours_said))
    crashed = sum(a == [] for a in theirs_said)
    for a, b in zip(theirs_said, ours_said):
        if a and b and a != b:
            print(json.dumps([a, b], indent=1), file=sys.stderr)
    assert same + refused + crashed == len(ours_said), (same, refused, crashed)
    return ("`server/main_mirrorapi.py` and `serve tools --mode mirrorapi-sft`, 300 calls, what the model is asked",
            f"{same} byte-equal; {crashed} at which theirs ends with an error, {refused} that ours refuses by the document")


def converted():
    both, published = 0, 0
    for agent, method in ("virtual_chatgpt_cot", "CoT@1"), ("virtual_chatgpt_dfs", "DFS_woFilter_w2"):
        answers = f"{stable}/data_example/answer/{agent}"
        ours("toolbench", "convert", answers, "--out", f"{work}/converted/{agent}", json_output=False)
        theirs(stable + "/toolbench/tooleval/convert_to_answer_format.py", "--answer_dir", answers + "/G1_instruction",
               "--method", method, "--output", f"{work}/theirs-{agent}.json")
        we = read(f"{work}/converted/{agent}/G1_instruction.json")
        they = read(f"{work}/theirs-{agent}.json")
        shipped = read(f"{stable}/data_example/model_predictions_converted/{agent}/G1_instruction.json")
        both += sum(we[key] == they[key] for key in they)
        published += sum(we[key] == shipped[key] for key in shipped)
    assert (both, published) == (6, 6), (both, published)
    return ("`data_example/answer`, converted by `convert_to_answer_format.py` and by `toolbench convert`",
            "equal: 6 of 6, and as the published files")


def judged(folder, agent, group):
    """Has eval_pass_rate.py and `eval judge` judge the same answers by the same model, three times each. Returns the
    verdicts by query and pass of both, and what ours said.
    """
    answered = read(f"{folder}/{agent}/{group}.json")
    ids = f"{work}/ids/{agent}"
    write(f"{ids}/{group}.json", {key: 0 for key in answered})
    judge.queries = sorted({a["query"] for a in answered.values()}, key=len, reverse=True)
    theirs(work + "/tooleval/eval_pass_rate.py", "--converted_answer_path", folder, "--save_path", work,
           "--reference_model", agent, "--test_ids", ids, "--test_set", group, "--max_eval_threads", "8",
           "--evaluate_times", "3", "--overwrite", API_POOL_FILE=work + "/pool.json")
    they = read(f"{work}/{group}_{agent}.json")
    report = ours("eval", "judge", f"{folder}/{agent}/{group}.json", "--ids", ids, "--by", "openai:m", "--server", judge.url,
                  "--out", f"{work}/judged/{agent}/{group}", "--progress", "none")
    we = read(next(path for path in report["files"] if path.endswith(".json")))
    judge.queries = []
    return [{(key, n): v for key, of in verdicts.items() for n, v in of["is_solved"].items()} for verdicts in (they, we)]


def pass_rates():
    shutil.copytree(stable + "/toolbench/tooleval", work + "/tooleval")
    write(work + "/pool.json", [{"api_key": "none", "api_base": judge.url}])
    counted, equal, unlike = 0, 0, collections.Counter()
    examples = stable + "/data_example/model_predictions_converted"
    evalset = stable + "/toolbench/tooleval/results/default_evalset"
    for folder, agent in (examples, "virtual_chatgpt_cot"), (examples, "virtual_chatgpt_dfs"), (
            evalset, "gpt-3.5-turbo_CoT"):
        for path in sorted(glob.glob(f"{folder}/{agent}/*.json")):
            they, we = judged(folder, agent, os.path.basename(path)[:-5])
            counted += len(they)
            equal += sum(they[key] == we.get(key) for key in they)
            unlike.update((verdict, we.get(key)) for key, verdict in they.items() if verdict != we.get(key))
    assert not unlike, unlike
    return ("`eval_pass_rate.py` and `eval judge --by` on `data_example` and `default_evalset`, the same model judging",
            f"equal: {equal} of {counted} verdicts")


def complete():
    """Compares what fac_eval.py asks its model with what `eval judge` asks."""
    text = read_prompt("fac")
    answered = read(f"{stable}/toolbench/tooleval/results/default_evalset/gpt-3.5-turbo_CoT/G1_category.json")
    del judge.asked[:]
    ours("eval", "judge", f"{stable}/toolbench/tooleval/results/default_evalset/gpt-3.5-turbo_CoT/G1_category.json", "--by",
         "openai:m", "--server", judge.url, "--score", "fac", "--fac-prompt", "published", "--prompts", work + "/prompts",
         "--out", work + "/complete", "--progress", "none")
    asked = {body["messages"][0]["content"] for body in judge.asked}
    counted = collections.Counter()
    for a in answered.values():
        before, after = text.format(query=a["query"], answer="\0").split("\0")
        shown = [p[len(before):-len(after)] for p in asked if p.startswith(before) and p.endswith(after)]
        counted["unasked" if not shown else "equal" if a["answer"]["final_answer"] in shown else "unwrapped"] += 1
    assert sum(counted.values()) - counted["unasked"] == len(asked), (counted, len(asked))
    return ("`fac_eval.py` and `eval judge --fac-prompt published`, what is asked about `default_evalset`, G1_category",
            f"its prompt in {len(asked)} of {len(asked)}; about the answer where theirs shows the JSON around it "
            f"({counted['unwrapped']}); {counted['unasked']} that gave up or did not end are Unsolved unasked")


def read_prompt(name):
    with open(f"{work}/prompts/{name}.txt", encoding="utf-8", newline="") as file:
        return file.read()


# DynamicToolBench


def dropped_queries():
    said = ours("toolbench", "import", dynamic + "/solvable_queries", "--split", "test", "--data", work + "/dynamic",
                json_output=False)
    count = sum(map(len, queries(dynamic).values()))
    ids = {(g, key) for g in GROUPS for key in read(f"{dynamic}/solvable_queries/test_query_ids/{g}.json")}
    gone = sorted(ids - {(g, str(q["query_id"])) for g, listed in queries(dynamic).items() for q in listed})
    assert f"{count} queries" in said and f"{len(gone)} queries that an ID file lists are missing" in said, said
    return "its six query files, imported", f"equal: {count} queries, and {len(gone)} IDs without one"


def documents(version):
    """Returns our functions of a version, as an MCP client lists them, by name."""
    import asyncio

    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp_types import PaginatedRequestParams

    async def listed():
        command = StdioServerParameters(command=toolevo, args=["serve", "tools", "--data", work + "/data", "--api", version,
                                                               "--stdio"])
        tools, cursor = [], None
        async with stdio_client(command) as streams, ClientSession(*streams) as session:
            await session.initialize()
            while True:
                page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
                tools += page.tools
                cursor = page.next_cursor
                if not cursor:
                    return {t.name: t.model_dump(by_alias=True)["inputSchema"] for t in tools}

    return asyncio.run(listed())


def function(tool, api):
    return names["change_name"](names["standardize"](api)) + "_for_" + names["standardize"](tool)


def drifted(script, version):
    """Runs a published script of drift on the documents, and compares each with ours: the names of its parameters, which
    are texts, and what the optional ones are without a value. Objects and swaps are drawn by either's own chance: who has
    parameters in objects is left out, and types are compared where a parameter is optional in one of both, too.
    """
    folder = work + "/drift"
    if not os.path.isdir(folder):
        shutil.copytree(dynamic + "/perturbations", folder + "/perturbations")
        tool_files(folder + "/tools/toolenv2404_filtered")
    theirs(f"{folder}/perturbations/{script}")
    optional = {function(tool, api): {p["name"] for p in a["optional_parameters"]}
                for (_, tool, api), a in apis(stable).items()}
    renamed = read(folder + "/perturbations/renames.json")
    we, same, objects, apart, twice, unlike = documents(version), 0, 0, 0, [], []
    target = {"create_new_api_version.py": "new", "api_versioning_v2.py": "v2", "api_versioning_v3.py": "v3"}[script]
    for path in sorted(glob.glob(f"{folder}/tools/toolenv_{target}/*/*.json")):
        tool = read(path)
        for api in tool["api_list"]:
            name = function(tool["tool_name"], api["name"])
            ours_of = [schema for key, schema in we.items() if key == name or len(name) > 64 and key[:55] == name[:55]]
            parameters = api["required_parameters"] + api["optional_parameters"]
            if len(ours_of) != 1:
                apart += 1  # a name too long, which ours shortens in its own way
                continue
            properties = ours_of[0]["properties"]
            if any("fields" in p for p in parameters) or any("properties" in of for of in properties.values()):
                objects += 1
                continue
            if len({p["name"] for p in parameters}) < len(parameters):
                twice.append(name)
                continue
            could_be_left_out = {renamed.get(p, p) for p in optional[name]}
            if all(alike(p, properties.get(p["name"]), p["name"] in could_be_left_out) for p in parameters) and len(
                    properties) == len(parameters):
                same += 1
            else:
                unlike.append((name, parameters, properties))
    assert not unlike, (len(unlike), unlike[:3])
    others = f", {objects} with objects" if objects else ""
    return (f"`perturbations/{script}` and `{version}`: parameters' names, texts, defaults",
            f"{same} functions equal; {len(twice)} have one name twice there, which ours tells apart; left out: {apart} of long "
            f"names{others}")


def alike(published, schema, could_be_left_out):
    """Reports whether a published parameter is a property of ours."""
    if schema is None:
        return False
    kinds = schema.get("type", "string")
    if published["type"] == "string" and "string" not in kinds:
        return False
    default = str(published["default"]).lower()
    flips = default in ("true", "false", "asc", "desc")
    return not (flips and could_be_left_out and "default" in schema) or str(schema["default"]).lower() == default


def perturbed():
    """Has queries perturbed by perturb_query.py and by an evaluation, and compares what may come of each."""
    own = functions(dynamic + "/perturbations/perturb_query.py", "maybe_add_trailing_period", "perturb_distractor_story",
                    "perturb_case", "perturb_punctuation_noise")
    own["maybe_add_trailing_period"].__globals__["random"] = random
    listed = {str(q["query_id"]): q["query"] for group in queries(stable).values() for q in group}
    counted = collections.Counter()
    for kind, perturb in (("case-mix", "perturb_case"), ("punctuation-noise", "perturb_punctuation_noise")):
        out = f"{work}/perturbed-{kind}"
        ours("eval", "--set", "suite=toolbench", "--data", work + "/data", "--split", "test", "--policy", "scripted:oracle",
             "--api", "p_c", "--set", "perturb=" + kind, "--set", "perturb_values=true", "--set", "python.modules=", "--set",
             "python.executable=" + sys.executable, "--out", out, "--progress", "none", json_output=False)
        with open(glob.glob(out + "/**/episodes.jsonl", recursive=True)[0], encoding="utf-8") as file:
            said = {e["question_id"].rsplit("-", 1)[1]: e["question"] for e in map(json.loads, file)}
        for key, text in said.items():
            query = listed[key]
            if kind == "case-mix":
                possible = text.lower() == query.lower()
            else:
                possible = any(text == own[perturb](query) for _ in range(200))
            assert possible, (kind, query, text)
            counted[kind] += 1
    return ("`perturbations/perturb_query.py` and `perturb`: is each perturbed query one that theirs can draw?",
            ", ".join(f"{kind}: {n} of {n}" for kind, n in counted.items()) + "; the story of `distractor` is another one")


ROWS = [
    ("StableToolBench", query_files),
    ("StableToolBench", client_names),
    ("StableToolBench", server_requests),
    ("StableToolBench", converted),
    ("StableToolBench", pass_rates),
    ("StableToolBench", complete),
    ("DynamicToolBench", dropped_queries),
    ("DynamicToolBench", lambda: drifted("api_versioning_v2.py", "dtb_v2")),
    ("DynamicToolBench", lambda: drifted("api_versioning_v3.py", "dtb_v3")),
    ("DynamicToolBench", lambda: drifted("create_new_api_version.py", "dtb_combined")),
    ("DynamicToolBench", perturbed),
]


def main():
    wrong = False
    for project, row in ROWS:
        try:
            tried, result = row()
        except Exception as error:  # the other rows are told, too
            traceback.print_exc()
            wrong, tried, result = True, row.__name__, "DIFFERENT: " + str(error).splitlines()[0][:200]
        print(f"| {project} | {tried} | {result} |", flush=True)
    shutil.rmtree(work)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
