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
VLLM_ENV=$env VLLM_WORK=$work bash "$here/vllm-serve.sh" "$work/model" "$model" "$port" "$window" >"$log" 2>&1 &
server=$!
echo "vllm: waiting for the server (about a minute)" >&2
await "http://127.0.0.1:$port/health" 520 "$log"

export TOOLEVO_VLLM_URL=http://127.0.0.1:$port/v1 TOOLEVO_VLLM_MODEL=$model
tests VLLMSimulator "$log"
echo "vllm: everything held, in $SECONDS s"
