#!/usr/bin/env bash
# Proves the openai backend, and the program in TOOLEVO_BIN if that is set, against a real vLLM on the CPU. See README.md.
#
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=vllm
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=vllm-install.sh
. "$here/vllm-install.sh"

"$env/bin/python" "$here/model.py" "$work/model" "$tokenizer" "$window" || fail "the model could not be made"
# serve MODEL_DIR: starts vLLM with native calls, and names it to the tests.
serve() {
	local port
	port=$(free_port)
	VLLM_ENV=$env VLLM_WORK=$work bash "$here/vllm-serve.sh" "$1" "$model" "$port" "$window" --enable-auto-tool-choice \
		--tool-call-parser hermes --chat-template "$here/hermes.jinja" >"$log" 2>&1 &
	server=$!
	echo "vllm: waiting for the server (about a minute)" >&2
	await "http://127.0.0.1:$port/health" 300 "$log"
	export TOOLEVO_VLLM_URL=http://127.0.0.1:$port/v1 TOOLEVO_VLLM_MODEL=$model
}

# learn: trains a model on native calls that a scripted policy wrote.
learn() {
	local questions=(--dataset coffee --difficulty easy --template coffee-easy/open,coffee-easy/high --limit 4 --api p_c)
	"$TOOLEVO_BIN" data build --data "$work/data" --dataset coffee --rows 300 --progress none
	"$TOOLEVO_BIN" data questions --data "$work/data" --dataset coffee --scale 0.1 --progress none
	"$TOOLEVO_BIN" collect --data "$work/data" "${questions[@]}" --policy scripted:reader --trees 1 --out "$work/written" \
		--config policies/tools --set search.simulations=1 --set server.prompt.tools=dataset --progress none
	"$TOOLEVO_BIN" export "$work/written" --data "$work/data" --out "$work/export" --for trl --allow-scripted
	# One thread: beside other programs several would wait for each other.
	OMP_NUM_THREADS=1 "$env/bin/python" "$here/learn.py" "$work/learnt" "$work/export/toolevo_sft.jsonl" "$window"
}

log=$work/vllm.log
serve "$work/model"
tests VLLM "$log"
stop

if [ -n "${TOOLEVO_BIN:-}" ]; then
	learn >"$work/learn.log" 2>&1 || { cat "$work/learn.log" >&2; fail "no model has learnt"; }
	tail -n 1 "$work/learn.log"
	serve "$work/learnt"
	export TOOLEVO_VLLM_DATA=$work/data
	tests '^TestLearnt$' "$log"
fi
echo "vllm: everything held, in $SECONDS s"
