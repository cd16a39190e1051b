"""Opens exports, trajectories and the episodes of an evaluation in pyarrow, pandas, Polars, DuckDB and datasets, and
compares every value.

    readers.py TRAJECTORIES.parquet EPISODES.parquet EXPORT_DIR…

The samples are compared with the JSONL files, row by row, and datasets loads the folder as it is, by its card. The
trajectories are compared between the readers, value by value, and their nested turns with turn_count; the episodes with
the JSONL file beside them. Exit 1 and a line for each difference when something is wrong.
"""

import json
import os
import shutil
import sys
from pathlib import Path

import datasets
import duckdb
import huggingface_hub
import pandas
import polars
import pyarrow.parquet


def plain(value):
    """The value in terms of dict, list, str, int, float, bool and None."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def with_pyarrow(path):
    return pyarrow.parquet.read_table(path).to_pylist()


def with_pandas(path):
    return pandas.read_parquet(path).to_dict("records")


def with_polars(path):
    return polars.read_parquet(path).to_dicts()


def with_duckdb(path):
    cursor = duckdb.execute("SELECT * FROM read_parquet(?)", [str(path)])
    names = [d[0] for d in cursor.description]
    return [dict(zip(names, row)) for row in cursor.fetchall()]


def with_datasets(path):
    kind = "parquet" if path.suffix == ".parquet" else "json"
    return datasets.load_dataset(kind, data_files=[str(path)], split="train").to_list()


# Before, datasets has no JSON, and fills objects up with nulls: TRL's exports are not for it (see trl/train.py).
LOADS_JSON = tuple(map(int, datasets.__version__.split(".")[:2])) >= (4, 7)

READERS = {
    "pyarrow": with_pyarrow,
    "pandas": with_pandas,
    "Polars": with_polars,
    "DuckDB": with_duckdb,
    "datasets": with_datasets,
}

failures = 0


def wrong(message):
    global failures
    failures += 1
    if failures <= 20:
        print(f"readers: {message}", file=sys.stderr)


def compare(name, path, got, want):
    if len(got) != len(want):
        wrong(f"{name} reads {len(got)} rows of {path.name}, want {len(want)}")
        return
    for i, (g, w) in enumerate(zip(got, want)):
        if g != w:
            keys = [k for k in set(g) | set(w) if g.get(k) != w.get(k)] if isinstance(g, dict) else []
            wrong(f"{name} reads another row {i} of {path.name}: columns {keys}: {str(g)[:300]} want {str(w)[:300]}")


def read_all(path, *without):
    """What each reader makes of a file. One that raises is a failure, not an end."""
    tables = {}
    for name, read in READERS.items():
        if name in without:
            continue
        try:
            tables[name] = [plain(row) for row in read(path)]
        except Exception as error:  # whatever a reader raises, it could not read the file
            wrong(f"{name} cannot read {path.name}: {type(error).__name__}: {error}")
    return tables


def check_card(export, samples):
    """The head of the card has the Hub's keys, with values of those that huggingface_hub documents, and stays as it is
    when somebody else writes it."""
    text = (export / "README.md").read_text()
    card = huggingface_hub.DatasetCard(text)
    data = card.data
    want = {"language": ["en"], "task_categories": ["text-generation"], "license": "unknown"}
    if {key: data.get(key) for key in want} != want or "tool-use" not in data.tags:
        wrong(f"{export.name}: the card's head says {data.to_dict()}")
    if str(card) != text:
        wrong(f"{export.name}: huggingface_hub writes another card")
    sizes = [s for s in data.size_categories if f"'{s}'" in huggingface_hub.DatasetCardData.__doc__]
    if sizes != ["n<1K"] or samples >= 1000:
        wrong(f"{export.name}: {samples} samples are of the size {data.size_categories}")


def parsed(row):
    """The row with its lists of JSON texts as lists of what they say: TRL's messages in Parquet are such, which Polars
    knows as bytes."""
    texts = (str, bytes)
    return {
        k: [json.loads(e) for e in v] if isinstance(v, list) and v and isinstance(v[0], texts) else v for k, v in row.items()
    }


def without_nothing(value):
    """The value without keys that hold nothing, which JSON leaves out and a table cannot."""
    if isinstance(value, dict):
        return {k: without_nothing(v) for k, v in value.items() if v is not None and v != []}
    if isinstance(value, list):
        return [without_nothing(v) for v in value]
    return value


def load(export):
    """The export as datasets loads it, in the place of the one before, which has left its rows in the cache."""
    place = Path(os.environ["HF_HOME"]) / "export"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(export, place)
    return datasets.load_dataset(str(place))


def check_export(export):
    """Returns how many samples each split of an export has."""
    counts = {}
    objects = json.loads((export / "manifest.json").read_text())["trainer"] == "trl"
    by_card = not objects or LOADS_JSON
    loaded = load(export) if by_card else {}
    for lineage, split in (("lineage.jsonl", "train"), ("lineage_dev.jsonl", "dev")):
        lines = [json.loads(line) for line in (export / lineage).open(encoding="utf-8")]
        name = json.loads((export / "manifest.json").read_text())["files"]
        stem = next(f["name"] for f in name if f["name"].endswith("_dev.parquet" if split == "dev" else ".parquet"))
        parquet = export / stem
        jsonl = parquet.with_suffix(".jsonl")
        want = [without_nothing(json.loads(line)) for line in jsonl.open(encoding="utf-8")]
        for reader, got in read_all(parquet, *([] if want and by_card else ["datasets"])).items():
            compare(reader, parquet, [without_nothing(parsed(row)) for row in got], want)
        if want and by_card:  # of nothing datasets cannot tell the columns
            compare("datasets", jsonl, [without_nothing(plain(r)) for r in with_datasets(jsonl)], want)
            compare("datasets, by the card,", parquet, [without_nothing(plain(r)) for r in loaded[split].to_list()], want)
        elif split in loaded:
            wrong(f"{export.name}: the card names the split {split}, which is empty")
        if len(lines) != len(want):
            wrong(f"{export.name}: {lineage} has {len(lines)} lines, want {len(want)}")
        counts[split] = len(want)
    check_card(export, sum(counts.values()))
    return counts


def check_trajectories(path):
    tables = read_all(path)
    if not tables:
        return 0
    first, want = next(iter(tables.items()))
    for name, got in tables.items():
        if name != first:
            compare(name, path, got, want)
        for i, row in enumerate(got):
            turns = row["turns"]
            if len(turns) != row["turn_count"] or not turns:
                wrong(f"{name}: row {i} has {len(turns)} turns, turn_count says {row['turn_count']}")
            elif turns[-1]["outcome"] != "correct" or not all(t["action"] for t in turns):
                wrong(f"{name}: row {i} has turns that are not whole: {str(turns)[:300]}")
    return len(want)


def check_episodes(path):
    """Every reader makes the same of the episodes, and they are those of the JSONL file beside them."""
    lines = [json.loads(line) for line in path.with_suffix(".jsonl").open(encoding="utf-8")]
    for name, got in read_all(path).items():
        shared = [{k: row.get(k) for k in line} for row, line in zip(got, lines)]
        compare(name, path, shared if len(got) == len(lines) else got, lines)
    return len(lines)


def main():
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    rows = check_trajectories(Path(sys.argv[1]))
    episodes = check_episodes(Path(sys.argv[2]))
    print(f"readers: {', '.join(READERS)} agree on {rows} trajectories and {episodes} episodes")
    for export in map(Path, sys.argv[3:]):
        counts = check_export(export)
        print(f"readers: {export.parent.name}/{export.name}: {counts['train']} samples and {counts['dev']} held out, read alike")
    if failures:
        print(f"readers: {failures} differences", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
