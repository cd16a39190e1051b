#!/usr/bin/env bash
# Proves exports of every format against the programs they are for. See README.md.
#
#   run.sh TOOLEVO DEMO_DIR
#
# TOOLEVO is the built program, DEMO_DIR what its command demo wrote.
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong. Exit 2: usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tokenizer=$here/../internal/bpe/testdata/llama3.json
need_gb=12 # to build an environment: it takes 7 GB, and 3 GB of downloads while it is made

skip() {
	echo "SKIPPED: $*"
	exit 0
}

fail() {
	echo "interop: $*" >&2
	exit 1
}

find_python() {
	local candidate
	for candidate in python3.11 python3.12 python3.13 python3; do
		if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
			command -v "$candidate"
			return
		fi
	done
	return 1
}

# build_env DIR PINS: makes the virtual environment, or leaves none.
build_env() {
	local env=$1 pins=$2 try
	rm -rf "$env"
	"$python" -m venv "$env" || skip "python -m venv failed"
	mkdir -p "$env/tmp"
	for try in 1 2 3; do
		if TMPDIR="$env/tmp" "$env/bin/python" -m pip install --quiet --disable-pip-version-check --retries 5 --timeout 60 \
			--cache-dir "$env/pip-cache" -r "$pins/requirements.txt" -c "$pins/constraints.txt"; then
			rm -rf "$env/pip-cache" "$env/tmp"
			touch "$env/complete"
			return
		fi
		echo "interop: installing the Python packages failed, attempt $try of 3" >&2
		sleep $((try * 5))
	done
	rm -rf "$env"
	skip "the Python packages of $pins could not be installed (see above)"
}

# environment NAME PINS: sets environment to the folder of the virtual environment of the pins, and makes it if need be.
environment() {
	local pins=$2 hash env free_gb
	hash=$({ cat "$pins/requirements.txt" "$pins/constraints.txt"; "$python" -c 'import sys; print(sys.version_info[:2])'; } | sha256sum | cut -c1-12)
	env=$cache/$1-$hash
	exec 9>"$env.lock"
	flock 9
	if [ ! -e "$env/complete" ]; then
		rm -rf "$env" # what an interrupted build left
		free_gb=$(($(df -Pk "$cache" | awk 'NR == 2 { print $4 }') / 1024 / 1024))
		[ "$free_gb" -ge "$need_gb" ] || skip "$cache has $free_gb GB free, building the Python environment needs $need_gb GB"
		echo "interop: building the Python environment in $env (some minutes, 7 GB)" >&2
		build_env "$env" "$pins"
	fi
	flock -u 9
	environment=$env
}

[ $# -eq 2 ] || { sed -n '2,7p' "${BASH_SOURCE[0]}" >&2; exit 2; }
[ -d "$2/run" ] || { echo "run.sh: $2 holds no demo" >&2; exit 2; }

toolevo=$1 demo=$2

python=$(find_python) || skip "no Python 3.11 to 3.13 with venv on the PATH"
command -v flock >/dev/null || skip "no flock on the PATH"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/toolevo
mkdir -p "$cache" || skip "the cache folder $cache cannot be made"

environment interop "$here"
factory=$environment
environment trl "$here/trl"
trl=$environment

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# export_run CODEC FORMAT…: collects a small run whose actions a codec writes, exports it in some formats, and asks the
# linter what of each sample is trained.
export_run() {
	local codec=$1 format trainer out
	"$toolevo" collect --data "$demo/data" --dataset coffee --limit 2 --trees 4 --set environment.codec="$codec" \
		--out "$work/$codec" >/dev/null 2>"$work/said" || { cat "$work/said" >&2; fail "no run in $codec"; }
	for format in "${@:2}"; do
		for trainer in llamafactory trl; do
			out=$work/$trainer/$codec-$format
			"$toolevo" export "$work/$codec" --out "$out" --format $format --for $trainer --per-question 1 --dev 0.2 \
				--tokenizer "$tokenizer" >/dev/null 2>"$work/said" || { cat "$work/said" >&2; fail "no export of $format"; }
			"$toolevo" check "$out" >/dev/null || fail "the export of $format is damaged"
			"$toolevo" export "$out" --lint --tokenizer "$tokenizer" --show 1000000 --json >"$out.lint" 2>/dev/null ||
				fail "the linter faults the export of $format"
		done
	done
}

export_run react sft-trajectory sft-step dpo kto reward openai
export_run function-call sft-trajectory openai

# Nothing is looked up and nothing is cached outside the work folder: a stale cache would prove an older file.
export HF_HOME=$work/hf HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 CUDA_VISIBLE_DEVICES= TOKENIZERS_PARALLELISM=false \
	PYTHONDONTWRITEBYTECODE=1 HF_DATASETS_DISABLE_PROGRESS_BARS=1 OMP_NUM_THREADS="$(nproc)"

mkdir -p "$HF_HOME"
"$factory/bin/python" "$here/recipes.py" "$here/../../configs/finetune" ||
	fail "LLaMA-Factory refuses a recipe (see above)"
"$factory/bin/python" "$here/readers.py" "$demo/run/trajectories.parquet" "$demo/eval/episodes.parquet" \
	"$work"/llamafactory/*/ "$work"/trl/*/ || fail "a reader disagrees (see above)"
"$factory/bin/python" "$here/train.py" "$tokenizer" "$work/factory" "$work"/llamafactory/*/ ||
	fail "LLaMA-Factory disagrees (see above)"
"$trl/bin/python" "$here/trl/train.py" "$tokenizer" "$work/trl-work" "$work"/trl/*/ || fail "TRL disagrees (see above)"
echo "interop: everything held"
