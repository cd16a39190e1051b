"""Runs a checkout of github.com/YuhengHuang42/stateful_bench: its generator, or its evaluator on rows of toolevo.

    stateeval.py generate CHECKOUT DOMAIN N FOLDER [URL]    N evaluator_*.json into FOLDER
    stateeval.py score CHECKOUT DOMAIN ROWS.jsonl [URL]     how many of the rows' own programs pass

URL is where a session service is, for the domain session. Both end with a line "NAME: K of N", behind a line for each
row that does not pass. The generator is seeded, so that one checkout and one version of its libraries write the same.
"""
import importlib
import inspect
import json
import pathlib
import random
import sys


def checkout(folder):
    sys.path.insert(0, folder)
    from loguru import logger

    logger.remove()


def generate(tree, domain, number, folder, url="http://localhost:8080"):
    checkout(tree)
    import numpy
    import yaml
    from faker import Faker

    for seed in (random.seed, numpy.random.seed, Faker.seed):
        seed(1)
    if domain == "tensor":
        import torch

        torch.manual_seed(1)
    config = yaml.safe_load(pathlib.Path(tree, "config/example_%s_generation.yaml" % domain).read_text())
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    config["env"].update(trace_save_path=folder, base_url=url)
    config["generation_config"]["num_of_tests"] = int(number)
    settings = out / "config.yaml"
    settings.write_text(yaml.safe_dump(config))
    main = importlib.import_module("trace_generation").main
    known = {"config_file": settings, "trace_save_path": out, "occurence_book_path": None}
    main(**{name: known[name] for name in inspect.signature(main).parameters if name in known})
    print("%s: %d of %s" % (domain, len(list(out.glob("evaluator_*.json"))), number))


def score(tree, domain, rows, url=None):
    checkout(tree)
    evaluator = getattr(importlib.import_module("Sgenerator.%s_state" % domain), domain.capitalize() + "Evaluator")
    passed = number = 0
    for number, line in enumerate(open(rows), 1):
        row = json.loads(line)
        try:
            e = evaluator.load(json.loads(row["evaluator_json"]), {"base_url": url} if url else {})
            verdicts, why = e.evaluate(e.test_cases[0]["program"])
        except Exception as error:
            verdicts, why = [], repr(error)
        if verdicts and all(verdicts):
            passed += 1
        else:
            print("row %d: %s" % (row["example_id"], str(why)[:500]))
    print("%s: %d of %d" % (domain, passed, number))


{"generate": generate, "score": score}[sys.argv[1]](*sys.argv[2:])
