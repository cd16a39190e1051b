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
port=$(free_port)
log=$work/vllm.log
# Prompts are read in one piece: a request with a seed whose prompt is read in several ends this build's engine ("CPU
# Generator does not use offset"). Nothing is compiled, which would take longer than it saves, and a compiler. Nothing is
# kept outside the working folder, but the bytecode of the modules it loads.
TMPDIR=$work VLLM_CACHE_ROOT=$work/cache VLLM_CONFIG_ROOT=$work/config VLLM_NO_USAGE_STATS=1 PYTHONDONTWRITEBYTECODE='' \
	TORCH_COMPILE_DISABLE=1 VLLM_TARGET_DEVICE=cpu CUDA_VISIBLE_DEVICES='' \
	VLLM_CPU_KVCACHE_SPACE=1 VLLM_CPU_OMP_THREADS_BIND=nobind OMP_NUM_THREADS=1 \
	"$env/bin/vllm" serve "$work/model" --served-model-name "$model" --host 127.0.0.1 --port "$port" --dtype float32 \
	--max-model-len "$window" --max-num-seqs 16 --enforce-eager \
	--no-enable-chunked-prefill --max-num-batched-tokens "$window" >"$log" 2>&1 &
server=$!
echo "vllm: waiting for the server (about a minute)" >&2
await "http://127.0.0.1:$port/health" 300 "$log"

export TOOLEVO_VLLM_URL=http://127.0.0.1:$port/v1 TOOLEVO_VLLM_MODEL=$model
tests VLLM "$log"
echo "vllm: everything held, in $SECONDS s"
