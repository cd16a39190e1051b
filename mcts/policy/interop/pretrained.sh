#!/usr/bin/env bash
# Has a small pretrained model, SmolLM2-135M-Instruct (Apache-2.0), answer questions through a real Ollama: doctor,
# collect, an evaluation of three API versions, and what it wrote. It needs TOOLEVO_BIN. See README.md.
#
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=pretrained
# shellcheck source=lib.sh
. "$here/lib.sh"
processor=$(gcc -march=native -Q --help=target 2>/dev/null | awk '$1 == "-march=" { print $2 }')
# shellcheck source=ollamalib.sh
. "$here/ollamalib.sh"
# shellcheck source=smollm2.sh
. "$here/smollm2.sh"

[ -n "${TOOLEVO_BIN:-}" ] || fail "TOOLEVO_BIN names no program; try: make test-pretrained"

model=smollm2-135m-instruct
window=3072 # tokens: a prompt with one demonstration is some 700 of the model's

# step WORDS…: runs toolevo, and shows how.
step() {
	echo
	echo "\$ toolevo $*"
	"$TOOLEVO_BIN" "$@"
}

# ids: the questions of an evaluation.
ids() {
	"$TOOLEVO_BIN" inspect "$work/eval" --json |
		python3 -c 'import json, sys; [print(q["question_id"]) for q in json.load(sys.stdin)["questions"]]'
}

fetch_weights
build_ollama
serve_ollama
# Threads that spin for each other are slow on a machine that is busy.
cat >"$work/Modelfile" <<END
FROM $weights
PARAMETER num_thread 1
END
create_model "$model" "$work/Modelfile"

export TOOLEVO_DATA=$work/data
if ! { "$TOOLEVO_BIN" data build --dataset coffee && "$TOOLEVO_BIN" data questions; } >"$work/data.log" 2>&1; then
	cat "$work/data.log" >&2
	fail "the data folder could not be filled"
fi

ask=(--policy "ollama:$model" --server "http://$host" --set dataset=coffee --set server.prompt.tools=dataset
	--set "server.window=$window" --set server.shots=1 --set server.sampling.max_tokens=96 --set server.logprobs=false)
# Ollama remembers one prompt: trees that took turns would have it read each other's turns again.
some=("${ask[@]}" --difficulty easy --parallel 1 --workers 1 --progress none)

step doctor --quick "${ask[@]}" || [ $? = 1 ] # of this Ollama there are findings
step collect "${some[@]}" --limit 5 --trees 1 --set search.simulations=2 --set search.samples=2 \
	--set search.max_depth=4 --out "$work/run"
step check "$work/run"
step inspect "$work/run"
step eval "${some[@]}" --limit 2 --api p_c,p_s_in,p_s_ood --set eval.max_turns=5 --out "$work/eval"
step check "$work/eval"

ids | sort -u | head -n 2 | while read -r id; do
	for episode in 0 1 2; do
		step inspect "$work/eval" "$id" "$episode"
	done
done

echo
echo "pretrained: everything held, in $SECONDS s"
