#!/usr/bin/env bash
# Proves exports of every format against the programs they are for. See README.md.
#
#   run.sh TOOLEVO DEMO_DIR
#
# TOOLEVO is the built program, DEMO_DIR what its command demo wrote.
# With BATCHES=FOLDER both trainers train under the templates of Qwen2.5, Llama 3.1 and Qwen3, too, which takes some minutes,
# and the folder gets what they train, decoded. With UPDATE=1 the verdicts on chat templates are written anew.
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong. Exit 2: usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tokenizer=$here/../internal/bpe/testdata/llama3.json

skip() {
	echo "SKIPPED: $*"
	exit 0
}

fail() {
	echo "interop: $*" >&2
	exit 1
}

[ $# -eq 2 ] || { sed -n '2,8p' "${BASH_SOURCE[0]}" >&2; exit 2; }
[ -d "$2/run" ] || { echo "run.sh: $2 holds no demo" >&2; exit 2; }

toolevo=$1 demo=$2

cache=${XDG_CACHE_HOME:-$HOME/.cache}/toolevo
mkdir -p "$cache" || skip "the cache folder $cache cannot be made"

# shellcheck source=environment.sh
. "$here/environment.sh"
environment interop "$here/pins.txt"
factory=$environment
environment trl "$here/pins.txt"
trl=$environment
environment statistics "$here/../../finetune/tabulate/interop"
statistics=$environment
documents=
if newer=$(find_python 12); then
	need_gb=2 python=$newer environment documents "$here/pins.txt"
	documents=$environment
fi

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
				--allow-scripted --tokenizer "$tokenizer" >/dev/null 2>"$work/said" ||
				{ cat "$work/said" >&2; fail "no export of $format"; }
			"$toolevo" check "$out" >/dev/null || fail "the export of $format is damaged"
			"$toolevo" export "$out" --lint --tokenizer "$tokenizer" --show 1000000 --json >"$out.lint" 2>/dev/null ||
				fail "the linter faults the export of $format"
		done
	done
}

export_run react sft-trajectory sft-step dpo kto reward openai
export_run function-call sft-trajectory openai
export_run tools sft-trajectory sft-step dpo kto reward openai

# Runs of each suite, long enough to have trajectories with and without a reply from which no action can be read.
"$toolevo" tasks generate --data "$work/suites" --split train --n 6 >/dev/null 2>&1 || fail "no generated tasks"
"$toolevo" toolbench import "$here/../../envs/toolbench/testdata/queries" --data "$work/suites" --split train \
	>/dev/null 2>&1 || fail "no queries of ToolBench"

# The user's own tools: an order service, which is started for each state of a search.
(cd "$here/../.." && go build -o "$work/orders" ./envs/remote/ordertest/orders) || fail "no order service"
orders=$here/../../envs/remote/ordertest
"$toolevo" tools import --data "$work/suites" --openapi "$orders/openapi.yaml" --ready /health -- "$work/orders" {address} \
	>/dev/null 2>&1 || fail "no tools of the order service"
"$toolevo" tasks add "$orders/tasks.jsonl" --data "$work/suites" --split train >/dev/null 2>&1 || fail "no tasks with orders"

# rendered CODEC SUITE DATA FLAGS…: exports such a run as the chat templates of both trainers are tried on, and shows what
# our own templates make of it.
rendered() {
	local name=$1-$2 format formats="sft-trajectory sft-step dpo kto reward" template of=$work/rendered
	[ "$1" != react ] || formats+=" openai"
	"$toolevo" collect --set suite="$2" --data "$3" --set environment.codec="$1" --out "$of/$name" "${@:4}" \
		>/dev/null 2>"$work/said" || { cat "$work/said" >&2; fail "no run of $name"; }
	for format in $formats; do # some runs have no pair
		"$toolevo" export "$of/$name" --data "$3" --format $format --per-question 0 --out "$of/llamafactory/$name/$format" \
			--allow-scripted >/dev/null 2>"$work/said" || grep -q "no sample is left" "$work/said" || fail "no $format of $name"
	done
	for template in chatml llama3 qwen qwen3_nothink; do
		"$toolevo" export "$of/llamafactory/$name/sft-trajectory" --lint --tokenizer "$tokenizer" --show 1000000 --json \
			--chat-template $template >"$of/llamafactory/$name/sft-trajectory.$template" 2>/dev/null || fail "$name has faults"
	done
	"$toolevo" export "$of/$name" --data "$3" --for trl --per-question 0 --out "$of/trl/$name" --allow-scripted \
		>/dev/null 2>"$work/said" || { cat "$work/said" >&2; fail "no $name for TRL"; }
	[ "$1" = react ] || "$toolevo" export "$of/$name" --data "$3" --for trl --arguments string --per-question 0 \
		--allow-scripted --out "$of/trl/$1-text-$2" >/dev/null 2>&1 || fail "no texts of $name for TRL"
}

for codec in react function-call tools; do
	rendered $codec toolqa "$demo/data" --dataset coffee --limit 6 --trees 4
	rendered $codec toolbench "$work/suites" --limit 8 --trees 6
	rendered $codec stategen "$work/suites" --limit 2 --trees 6
done
rendered tools remote "$work/suites" --limit 8 --trees 6

# Search trees of two codecs, small enough to train all their paths one by one.
for codec in react tools; do
	"$toolevo" collect --data "$demo/data" --dataset coffee --difficulty easy --limit 8 --trees 4 --preset reference \
		--set search.simulations=1 --set server.prompt.tools=dataset --set environment.codec=$codec \
		--out "$work/grown-$codec" >/dev/null 2>"$work/said" || { cat "$work/said" >&2; fail "no trees in $codec"; }
	"$toolevo" export "$work/grown-$codec" --out "$work/trees-$codec" --format tree --for trl --dev 0.1 --per-question 0 \
		--allow-scripted >/dev/null 2>"$work/said" || { cat "$work/said" >&2; fail "no trees of $codec"; }
	"$toolevo" check "$work/trees-$codec" >/dev/null || fail "the export of trees is damaged"
done

# export_documents RUN OUT FLAGS…: exports a run for other programs.
export_documents() {
	"$toolevo" export "$1" --out "$work/$2" "${@:3}" >/dev/null 2>"$work/said" || { cat "$work/said" >&2; fail "no $2"; }
	"$toolevo" check "$work/$2" >/dev/null || fail "the export of $2 is damaged"
}

# Eight turns are too few for some of 70 questions.
"$toolevo" eval --data "$demo/data" --limit 5 --policy scripted:noisy --api p_s_in --set eval.max_turns=8 \
	--out "$work/eval" >/dev/null 2>"$work/said" || { cat "$work/said" >&2; fail "no evaluation"; }
export_documents "$demo/run" run-documents --format atif --score any --per-question 0
export_documents "$work/eval" eval-documents --format atif
export_documents "$work/eval" trials --format atif-files
export_documents "$work/eval" logs --format inspect

# Every sample of three runs, and of two of them together, against all trees.
"$toolevo" collect --data "$demo/data" --dataset coffee --limit 3 --trees 6 --preset paper \
	--out "$work/paper" >/dev/null 2>"$work/said" || { cat "$work/said" >&2; fail "no run of the preset paper"; }

# check_samples NAME RUN…: exports runs together in every format, and checks every sample.
check_samples() {
	local name=$1 format trainer out=$work/samples/$1
	for format in sft-trajectory sft-step dpo kto reward openai; do
		for trainer in llamafactory trl; do
			"$toolevo" export "${@:2}" --out "$out/$trainer-$format" --format $format --for $trainer \
				--allow-scripted >/dev/null 2>"$work/said" || { cat "$work/said" >&2; fail "no samples of $name"; }
		done
	done
	"$toolevo" export "${@:2}" --out "$out/recovery" --require-recovery --allow-scripted >/dev/null 2>"$work/said" ||
		{ cat "$work/said" >&2; fail "no recoveries of $name"; }
	"$toolevo" export "${@:2}" --out "$out/faultless" --max-faulty 0 --allow-scripted >/dev/null 2>"$work/said" ||
		{ cat "$work/said" >&2; fail "no faultless trajectories of $name"; }
	"$python" "$here/samples/check.py" "$toolevo" "$demo/data" "${@:2}" -- "$out"/*/ ||
		fail "the samples of $name are not what the trees say (see above)"
}

# A second export for mixtures, of other trees.
for format in llamafactory,sft-trajectory trl,openai; do
	"$toolevo" export "$work/paper" --out "$work/few/${format%,*}" --for "${format%,*}" --format "${format#*,}" \
		--per-question 1 --allow-scripted >/dev/null 2>"$work/said" ||
		{ cat "$work/said" >&2; fail "no second export of $format"; }
done

check_samples react "$work/react"
check_samples paper "$work/paper"
check_samples calls "$work/function-call"
check_samples tools "$work/tools"
check_samples together "$work/react" "$work/paper"
"$python" "$here/samples/foreign.py" "$toolevo" "$demo/data" "$work/eval-documents/toolevo_atif.jsonl" "$work/foreign" ||
	fail "questions of the test split are exported (see above)"

# Nothing is looked up and nothing is cached outside the work folder: a stale cache would prove an older file.
export HF_HOME=$work/hf HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 CUDA_VISIBLE_DEVICES= TOKENIZERS_PARALLELISM=false \
	PYTHONDONTWRITEBYTECODE=1 HF_DATASETS_DISABLE_PROGRESS_BARS=1 OMP_NUM_THREADS="$(nproc)"

mkdir -p "$HF_HOME"
"$factory/bin/python" "$here/recipes.py" "$here/../../configs/finetune" ||
	fail "LLaMA-Factory refuses a recipe (see above)"
"$factory/bin/python" "$here/readers.py" "$demo/run/trajectories.parquet" "$demo/eval/episodes.parquet" \
	"$work"/llamafactory/*/ "$work"/trl/*/ "$work"/trees-*/ || fail "a reader disagrees (see above)"
# Its template llama3 is none of native calls.
"$factory/bin/python" "$here/train.py" "$toolevo" "$tokenizer" "$work/factory" "$work"/llamafactory/{react,function}*/ ||
	fail "LLaMA-Factory disagrees (see above)"
"$trl/bin/python" "$here/trl/train.py" "$toolevo" "$tokenizer" "$work/trl-work" "$work"/trl/*/ || fail "TRL disagrees (see above)"
OMP_NUM_THREADS=1 PYTHONPATH=$here/../../finetune/python "$trl/bin/python" "$here/trl/searchtrees.py" \
	"$here/../internal/bpe/testdata" "$work/trees" "$work"/trees-{react,tools} || fail "trees are trained otherwise (see above)"
verdicts=$here/../export/templates.yaml
shipped=$("$trl/bin/python" -c 'import pathlib, trl; print(pathlib.Path(trl.__file__).parent / "chat_templates")')
"$factory/bin/python" "$here/factory_verdicts.py" "$verdicts" "$shipped" "$work/rendered/trl" ${UPDATE:+--update} \
	"$work"/rendered/llamafactory/*/ ||
	fail "a chat template of LLaMA-Factory does otherwise (see above)"
"$trl/bin/python" "$here/trl/verdicts.py" "$verdicts" "$work/rendered/llamafactory" ${UPDATE:+--update} \
	"$work"/rendered/trl/* || fail "a chat template of TRL does otherwise (see above)"
"$factory/bin/python" "$here/mix.py" "$toolevo" "$tokenizer" "$work/mix" "$work/llamafactory/react-sft-trajectory" \
	"$work/few/llamafactory" ||
	fail "LLaMA-Factory trains another mixture (see above)"
"$trl/bin/python" "$here/trl/mix.py" "$toolevo" "$tokenizer" "$work/trl-mix" "$work/trl/react-openai" "$work/few/trl" ||
	fail "TRL trains another mixture (see above)"
if [ -n "${BATCHES:-}" ]; then
	mkdir -p "$BATCHES"
	kinds=(react/T-sft-trajectory react/T-sft-step calls/T-{sft-trajectory,sft-step,dpo,kto,reward})
	kinds=("${kinds[@]/#/$work/samples/}")
	"$trl/bin/python" "$here/trl/templates.py" "$toolevo" "$here/../internal/bpe/testdata" "$work/trl-templates" \
		"${kinds[@]/T-/trl-}" >"$BATCHES/trl.txt" || fail "a template of TRL trains otherwise (see above)"
	"$factory/bin/python" "$here/factory_templates.py" "$here/../internal/bpe/testdata" "$work/factory-templates" \
		"${kinds[@]/T-/llamafactory-}" >"$BATCHES/llamafactory.txt" ||
		fail "a template of LLaMA-Factory trains otherwise (see above)"
fi
"$statistics/bin/python" "$here/../../finetune/tabulate/interop/reference.py" \
	"$here/../../finetune/tabulate/testdata/reference.json" || fail "statsmodels disagrees (see above)"
(cd "$here/../.." && TOOLEVO_JUNIT_PYTHON=$statistics/bin/python CGO_ENABLED=1 go test -count=1 \
	-run '^TestJUnitIsReadByOthers$' ./finetune/gate) || fail "junitparser reads another report of a gate (see above)"
(cd "$here/../.." && TOOLEVO_TORCH_PYTHON=$trl/bin/python CGO_ENABLED=1 go test -count=1 -run '^TestTorch$' \
	./envs/stategen/tensor) || fail "PyTorch disagrees with the tensors of generated tasks (see above)"
if [ -n "$documents" ]; then
	"$documents/bin/python" "$here/documents/check.py" "$work/trials" "$work/logs" "$work"/*-documents/*.jsonl ||
		fail "Harbor or inspect_ai disagrees (see above)"
	echo "interop: everything held"
else
	echo "SKIPPED: Harbor and inspect_ai need Python 3.12 or 3.13, and there is none; everything else held"
fi
