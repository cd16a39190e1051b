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
# shellcheck source=lib.sh
. "$here/lib.sh"

questions=(--data data --dataset coffee --difficulty easy --limit 20 --policy scripted:reader --trees 1
	--set search.simulations=1 --progress none)

data
if [ ! -e model/config.json ]; then
	rm -rf texts model.new
	for api in p_c p_s_in; do
		quietly "$toolevo" collect "${questions[@]}" --api $api --out texts/$api
		quietly "$toolevo" export texts/$api --data data --out texts/$api-export --allow-scripted
	done
	quietly "$python" "$here/model.py" model.new texts/*-export/toolevo_sft.jsonl
	mv model.new model
fi

sed "s/^rounds: .*/rounds: ${3:-2}/" "$repository/configs/improve/proof.yaml" >rounds.yaml
wanted=(1:p_c=80-100 1:p_s_in=0-10)
[ "${3:-2}" = 1 ] || wanted+=(2:p_s_in=80-100)
rounds rounds.yaml "${wanted[@]}"
