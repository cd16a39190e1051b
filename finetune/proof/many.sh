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
# shellcheck source=../../mcts/policy/interop/smollm2.sh
. "$servers/smollm2.sh"

data
if [ ! -e made ]; then
	rm -rf made.new
	quietly "$toolevo" versions make --from p_c --count 400 --seed 1 --out made.new
	mv made.new made
fi

if [ ! -e model/config.json ]; then
	fetch_weights
	rm -rf model.new
	thrice "$python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$work/gguf" gguf==0.19.0 ||
		skip "the package gguf could not be installed (see above)"
	PYTHONPATH=$work/gguf quietly "$python" "$here/pretrained.py" model.new "$weights"
	mv model.new model
fi

# 16 sequences of 4096 tokens take 3 GiB: 30 layers of 3 heads of 64, keys and values, in float32.
export VLLM_CPU_KVCACHE_SPACE=4
rounds "$repository/configs/improve/many.yaml" 1:p_c=80-100 1:p_s_ood=0-10 2:p_s_ood=80-100
