#!/usr/bin/env bash
# The part of the proof with own tools, on a pretrained model: see finetune/PROOF.md.
#
#   tools.sh TOOLEVO DIR
#
# TOOLEVO is the built program, DIR the folder to work in. One that was interrupted goes on where it stopped.
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong. Exit 2: usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=tools
[ $# = 2 ] && [ -x "$1" ] || { sed -n '2,7p' "${BASH_SOURCE[0]}" >&2; exit 2; }
# shellcheck source=lib.sh
. "$here/lib.sh"

quietly go -C "$repository" build -o "$proof/orders" ./envs/remote/ordertest/orders
if [ ! -e data/remote/tasks/test.jsonl ]; then
	rm -rf data
	quietly "$toolevo" tools import --data data --openapi "$repository/envs/remote/ordertest/openapi.yaml" \
		--ready /health -- "$proof/orders" "{address}"
	quietly "$toolevo" tasks make --data data --split train --count 160 --calls 2 --seed 1 --progress none
	quietly "$toolevo" tasks make --data data --split test --count 40 --calls 2 --seed 2 --progress none
fi

if [ ! -e made ]; then
	rm -rf made.new
	quietly "$toolevo" versions make --set suite=remote --data data --from p_c --count 400 --seed 1 --out made.new
	mv made.new made
fi

pretrained
rounds "$repository/configs/improve/tools.yaml" 1:p_c=20-100 1:p_s_ood=0-15 2:p_s_ood=20-100
