#!/usr/bin/env bash
# The part of the proof with many made versions, on a pretrained model: see finetune/PROOF.md.
#
#   many.sh TOOLEVO DIR
#
# TOOLEVO is the built program, DIR the folder to work in. One that was interrupted goes on where it stopped.
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong. Exit 2: usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=many
[ $# = 2 ] && [ -x "$1" ] || { sed -n '2,7p' "${BASH_SOURCE[0]}" >&2; exit 2; }
# shellcheck source=lib.sh
. "$here/lib.sh"

data
if [ ! -e made ]; then
	rm -rf made.new
	quietly "$toolevo" versions make --from p_c --count 400 --seed 1 --out made.new
	mv made.new made
fi

pretrained
rounds "$repository/configs/improve/many.yaml" 1:p_c=80-100 1:p_s_ood=0-10 2:p_s_ood=80-100
