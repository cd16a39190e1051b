# What the parts of the proof share. Sourced by them with their own arguments, after they have set here and name: checks
# TOOLEVO and DIR, goes to DIR, and sets toolevo, proof, python (LLaMA-Factory's), and what programs.sh sets.
# shellcheck shell=bash

toolevo=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
proof=$(cd "$2" && pwd)

# shellcheck source=../interop/programs.sh
. "$here/../interop/programs.sh"
unset OMP_NUM_THREADS # a training takes all processors

python=$(dirname "$factory")/python
mkdir -p "$work/bin"
ln -s "$factory" "$work/bin/llamafactory-cli"
ln -s "$servers/vllm-serve.sh" "$work/bin/vllm-serve"
export PATH="$work/bin:$PATH" HF_HOME="$work/hf"
cd "$proof"

# quietly WORDS…: runs a command, and shows what it said when it fails.
quietly() {
	"$@" >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "this failed: $*"; }
}

# data: a corpus and questions.
data() {
	[ ! -e data/questions ] || return 0
	quietly "$toolevo" data build --data data --dataset coffee --scale full --progress none
	quietly "$toolevo" data questions --data data --dataset coffee --progress none
}

# pretrained [FOLDER [NAME]]: the weights of SmolLM2-135M-Instruct, or those of a NAME of qwen.sh, as a folder that
# trainers read, model unless it is named.
pretrained() {
	local folder=${1:-model}
	# 16 sequences of 4096 tokens take 3 GiB: 30 layers of 3 heads of 64, keys and values, in float32.
	export VLLM_CPU_KVCACHE_SPACE=4
	[ ! -e "$folder/config.json" ] || return 0
	# shellcheck source=../../mcts/policy/interop/smollm2.sh
	. "$servers/smollm2.sh"
	if [ $# = 2 ]; then
		# shellcheck source=../../mcts/policy/interop/qwen.sh
		. "$servers/qwen.sh"
		choose_model "$2"
	fi
	fetch_weights
	rm -rf "$folder.new"
	[ -e "$work/gguf" ] || thrice "$python" -m pip install --quiet --disable-pip-version-check --no-deps \
		--target "$work/gguf" gguf==0.19.0 || skip "the package gguf could not be installed (see above)"
	PYTHONPATH=$work/gguf quietly "$python" "$here/pretrained.py" "$folder.new" "$weights"
	mv "$folder.new" "$folder"
}

# rounds CONFIG WANTED…: trains and measures as configs/improve/CONFIG says, and checks what came out.
rounds() {
	"$toolevo" improve "$1" --out rounds --redo
	"$python" "$here/check.py" rounds/rounds.csv "${@:2}" || fail "the effect is not there (see above)"
	echo "$name: everything held, in $SECONDS s; $proof/rounds has the weights, the episodes and all figures"
}
