#!/usr/bin/env bash
# Serves a small model by a vLLM on the CPU, until it is ended.
#
#   vllm-serve.sh MODEL_DIR NAME PORT WINDOW [FLAG…]
#
# VLLM_ENV is the environment that vllm-install.sh built; what vLLM keeps goes into VLLM_WORK. Its
# cache of keys and values has VLLM_CPU_KVCACHE_SPACE GiB, 1 unless set: if 16 sequences do not fit,
# it computes some of them again and again.
set -euo pipefail
[ $# -ge 4 ] || { sed -n '2,8p' "${BASH_SOURCE[0]}" >&2; exit 2; }

# Nothing is compiled: that would need a compiler, and take longer than it saves. Nothing is kept
# outside the working folder, except the bytecode of the modules it loads.
export TMPDIR=$VLLM_WORK VLLM_CACHE_ROOT=$VLLM_WORK/cache VLLM_CONFIG_ROOT=$VLLM_WORK/config VLLM_NO_USAGE_STATS=1 \
	PYTHONDONTWRITEBYTECODE='' TORCH_COMPILE_DISABLE=1 VLLM_TARGET_DEVICE=cpu CUDA_VISIBLE_DEVICES='' \
	VLLM_CPU_KVCACHE_SPACE=${VLLM_CPU_KVCACHE_SPACE:-1} VLLM_CPU_OMP_THREADS_BIND=nobind OMP_NUM_THREADS=1
mkdir -p "$VLLM_WORK"

# Prompts are read in one piece: a request with a seed whose prompt is read in several crashes this
# build's engine ("CPU Generator does not use offset").
exec "$VLLM_ENV/bin/vllm" serve "$1" --served-model-name "$2" --host 127.0.0.1 --port "$3" --dtype float32 \
	--trust-request-chat-template --max-model-len "$4" --max-num-seqs 16 --enforce-eager --no-enable-chunked-prefill \
	--max-num-batched-tokens "$4" "${@:5}"
