"""Opens an export, its trajectories and the episodes of an evaluation in pyarrow, pandas, Polars, DuckDB and datasets,
and compares every value.

    readers.py EXPORT_DIR TRAJECTORIES.parquet [EPISODES.parquet]

The samples are compared with the JSONL file, row by row. The trajectories are compared between the readers, value by
value, and their nested turns with turn_count; the episodes with the JSONL file beside them. Exit 1 and a line for each
difference when something is wrong.
"""

import json
import sys
from pathlib import Path

import datasets
import duckdb
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


def read_all(path):
    """What each reader makes of a file. One that raises is a failure, not an end."""
    tables = {}
    for name, read in READERS.items():
        try:
            tables[name] = [plain(row) for row in read(path)]
        except Exception as error:  # whatever a reader raises, it could not read the file
            wrong(f"{name} cannot read {path.name}: {type(error).__name__}: {error}")
    return tables


def check_samples(export):
    jsonl = export / "toolevo_sft.jsonl"
    want = [json.loads(line) for line in jsonl.open(encoding="utf-8")]
    for name, got in read_all(export / "toolevo_sft.parquet").items():
        compare(name, export / "toolevo_sft.parquet", got, want)
    if want:  # of a file without lines datasets cannot tell the columns
        compare("datasets", jsonl, [plain(r) for r in with_datasets(jsonl)], want)
    lineage = [json.loads(line) for line in (export / "lineage.jsonl").open(encoding="utf-8")]
    if len(lineage) != len(want):
        wrong(f"lineage.jsonl has {len(lineage)} lines, want {len(want)}")
    for i, (line, row) in enumerate(zip(lineage, want)):
        if 2 * line["turns"] != len(row["conversations"]):
            wrong(f"sample {i} has {len(row['conversations'])} messages for {line['turns']} turns")
    return len(want)


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
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    samples = check_samples(Path(sys.argv[1]))
    rows = check_trajectories(Path(sys.argv[2]))
    episodes = check_episodes(Path(sys.argv[3])) if len(sys.argv) > 3 else 0
    if failures:
        print(f"readers: {failures} differences", file=sys.stderr)
        return 1
    print(f"readers: {', '.join(READERS)} agree on {samples} samples, {rows} trajectories and {episodes} episodes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
