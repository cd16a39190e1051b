#!/usr/bin/env bash
# The proof that it works, from nothing: see finetune/PROOF.md.
#
#   run.sh TOOLEVO DIR [ROUNDS]
#
# TOOLEVO is the built program, DIR the folder to work in. A proof that was interrupted goes on where it stopped. With
# ROUNDS 1 it is the first round alone.
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong. Exit 2: usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=proof
case $# in 2 | 3) [ -x "$1" ] ;; *) false ;; esac || { sed -n '2,8p' "${BASH_SOURCE[0]}" >&2; exit 2; }
toolevo=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
proof=$(cd "$2" && pwd)

# shellcheck source=../interop/programs.sh
. "$here/../interop/programs.sh"
unset OMP_NUM_THREADS # a training takes all processors

mkdir -p "$work/bin"
ln -s "$factory" "$work/bin/llamafactory-cli"
ln -s "$servers/vllm-serve.sh" "$work/bin/vllm-serve"
export PATH="$work/bin:$PATH" HF_HOME="$work/hf"

cd "$proof"
questions=(--data data --dataset coffee --difficulty easy --limit 20 --policy scripted:reader --trees 1
	--set search.simulations=1 --progress none)

if [ ! -e model/config.json ]; then
	"$toolevo" data build --data data --dataset coffee --scale full --progress none >/dev/null 2>&1 || fail "no data"
	"$toolevo" data questions --data data --dataset coffee --progress none >/dev/null 2>&1 || fail "no questions"
	rm -rf texts
	for api in p_c p_s_in; do
		"$toolevo" collect "${questions[@]}" --api $api --out texts/$api >/dev/null 2>&1 || fail "no texts under $api"
		"$toolevo" export texts/$api --data data --out texts/$api-export >/dev/null 2>&1 || fail "no texts under $api"
	done
	rm -rf model.new
	"$(dirname "$factory")/python" "$here/model.py" model.new texts/*-export/toolevo_sft.jsonl 2>"$work/said" ||
		{ cat "$work/said" >&2; fail "no model"; }
	mv model.new model
fi

rounds=${3:-2}
sed "s/^rounds: .*/rounds: $rounds/" "$repository/configs/improve/proof.yaml" >rounds.yaml
"$toolevo" improve rounds.yaml --out rounds --redo
"$(dirname "$factory")/python" "$here/check.py" rounds/rounds.csv "$rounds" || fail "the effect is not there (see above)"
echo "proof: everything held, in $SECONDS s; $proof/rounds has the weights, the episodes and all figures"
