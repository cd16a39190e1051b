"""Checks documents with Harbor and logs with inspect_ai.

    check.py TRIALS LOGS DOCUMENTS…

TRIALS and LOGS are exports of one evaluation, as atif-files and as inspect, DOCUMENTS are files of exports as atif.
"""

import json
import logging
import subprocess
import sys
from collections import Counter
from pathlib import Path

from harbor.utils.traces_utils import iter_trial_dirs
from harbor.utils.trajectory_validator import TrajectoryValidator
from harbor_atif2otel import convert_trajectory
from harbor_atif2otel.export import export_trials
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries

# What has to occur among the documents, or looking at them would show nothing.
KINDS = ("malformed", "deprecated", "UpdateTool", "Finish", "truncated")


def expect(holds, *words):
    if not holds:
        sys.exit("documents: " + " ".join(str(word) for word in words))


def valid(document, name):
    validator = TrajectoryValidator()
    expect(validator.validate(document), name, "is refused by Harbor:", validator.errors[:3])


def attributes(span):
    return {a.key: a.value.string_value for a in span.attributes}


def check_spans(document, kinds):
    """Every step of the agent is an LLM span, every call a TOOL span with what it met, and the answer is the root's.
    A text of which no call can be read, or no arguments, is the output of its LLM span."""
    name = document["trajectory_id"]
    ours = document["extra"]["toolevo"]
    steps = [step for step in document["steps"] if step["source"] == "agent"]
    spans = [(span, attributes(span)) for span in convert_trajectory(document).scope_spans[0].spans]
    of = lambda kind: [pair for pair in spans if pair[1]["openinference.span.kind"] == kind]

    llm, tools = of("LLM"), of("TOOL")
    calls = [(step, call) for step in steps for call in step.get("tool_calls", [])]
    expect(len(llm) == len(steps) and len(tools) == len(calls), name, "has", len(llm), "LLM and", len(tools), "TOOL spans")

    for step, (_, said) in zip(steps, llm):
        outcome = step["extra"]["toolevo"]["outcome"]
        kinds[outcome] += 1
        if "tool_calls" not in step:
            expect(outcome in ("malformed", "invocation-error") and said["output.value"] and "metadata.reasoning_content" not in said, name,
                   "has a step without a call that is", outcome)

    for (step, call), (span, said) in zip(calls, tools):
        kinds[call["function_name"]] += 1
        met = step["observation"]["results"][0]["content"]
        expect(span.name == call["function_name"] and json.loads(said["input.value"]) == call["arguments"]
               if len(said["input.value"]) < 2000 else True, name, "calls", call, "and its span has", said)
        expect(len(met) > 1500 or said["output.value"] == met, name, "met", met, "and its span has", said)
        if step["extra"]["toolevo"]["outcome"] == "deprecated":
            expect("deprecated" in met or "no longer" in met, name, "met no notice:", met)

    ended = bool(steps) and steps[-1]["extra"]["toolevo"]["outcome"] in ("correct", "incorrect")
    expect(ended == ("limit" not in ours), name, "is neither ended nor truncated")
    if ended:
        expect(spans[0][1]["output.value"] == ours["answer"], name, "answers", ours["answer"], "and not", spans[0][1])
    else:
        kinds["truncated"] += 1
        expect(ours["limit"] in document["notes"], name, "does not say what truncated it")

    return spans[0][0].trace_id


def check_documents(files):
    kinds, traces, n = Counter(), set(), 0
    for file in files:
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                document = json.loads(line)
                valid(document, document["trajectory_id"])
                traces.add(check_spans(document, kinds))
                n += 1

    expect(len(traces) == n, n, "documents are", len(traces), "traces")
    for kind in KINDS:
        expect(kinds[kind] > 0, "no document has", kind)

    document["steps"][-1]["step_id"] += 1
    expect(not TrajectoryValidator().validate(document), "Harbor takes a document whose steps are not in order")
    print(f"documents: {n} are valid, and become spans: {dict(kinds)}")


def check_trials(folder, work):
    trials = list(iter_trial_dirs(folder))
    for trial in trials:
        valid(trial / "agent" / "trajectory.json", trial)

    logging.disable(logging.WARNING)  # the converter knows versions up to 1.7, and says so of each 1.8, which added audio
    result = export_trials(trials, output=Path(work), encoding="json")
    expect(result.converted == len(trials) > 0 and not result.errors, "of", len(trials), "trials", result)

    return len(trials)


def accuracy(samples, scorer):
    scored = [sample.scores[scorer].value == "C" for sample in samples if sample.scores]
    return sum(scored) / len(scored) if scored else 0


def check_transcript(sample):
    """Every reply is an event after the messages before it, every answer of a tool one, too, and both scores are."""
    kinds = Counter(event.event for event in sample.events)
    roles = Counter(message.role for message in sample.messages)
    expect((kinds["model"], kinds["tool"], kinds["score"]) == (roles["assistant"], roles["tool"], 2), sample.id, "has", kinds)

    for event in sample.events:
        if event.event == "model":
            before = len(event.input)
            expect(event.input == sample.messages[:before] and event.output.message.id == sample.messages[before].id,
                   sample.id, "has a reply to other messages:", event.input)


def check_logs(folder):
    logs = list_eval_logs(str(folder))
    n = 0
    for info in logs:
        log = read_eval_log(info.name)
        header = read_eval_log(info.name, header_only=True)
        expect(header.eval == log.eval and header.results == log.results, info.name, "has two headers")
        expect(len(read_eval_log_sample_summaries(info.name)) == len(log.samples), info.name, "lacks summaries")

        for score in log.results.scores:
            said, found = score.metrics["accuracy"].value, accuracy(log.samples, score.name)
            expect(abs(said - found) < 1e-9, info.name, "says", said, "for", score.name, "and has", found)

        for sample in log.samples:
            roles = [message.role for message in sample.messages]
            expect(roles[:3] == ["system", "user", "assistant"], info.name, sample.id, "has messages of", roles)
            check_transcript(sample)
            n += 1

    dumped = subprocess.run([Path(sys.executable).with_name("inspect"), "log", "dump", "--header-only", logs[0].name],
                            capture_output=True, text=True, check=True)
    expect(json.loads(dumped.stdout)["status"] == "success", "inspect log dump says", dumped.stdout)
    print(f"documents: {len(logs)} logs of {n} episodes are read by inspect_ai")

    return n


def main():
    trials_folder, logs_folder, *files = map(Path, sys.argv[1:])
    check_documents(files)
    trials = check_trials(trials_folder, trials_folder.with_suffix(".spans.jsonl"))
    episodes = check_logs(logs_folder)
    expect(trials == episodes, trials, "trials and", episodes, "samples of one evaluation")


main()
