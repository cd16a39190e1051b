#!/usr/bin/env bash
# Serves Qwen2.5-Coder-0.5B-Instruct (qwen05) or -1.5B-Instruct (qwen15) by llama.cpp on 127.0.0.1,
# until it is ended. The server and the weights are fetched once.
#
#   llama-serve.sh qwen05|qwen15 PORT [WINDOW [SLOTS]]
#
# It keeps SLOTS (4) conversations of WINDOW (4096) tokens each, and computes with THREADS threads
# (by default as many as there are processors).
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,8p' "${BASH_SOURCE[0]}" >&2; exit 2; }

name=llama
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=llamalib.sh
. "$servers/llamalib.sh"
# shellcheck source=qwen.sh
. "$servers/qwen.sh"

choose_model "$1"
fetch_weights
build_llama
rm -rf "$work"
exec "$llama" "$servers/llama/serve.py" "$weights" "$model" "$2" "${3:-4096}" "${4:-4}" "${THREADS:-$(nproc)}"
