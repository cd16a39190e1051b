#!/usr/bin/env bash
# Proves the ollama backend, and the program in TOOLEVO_BIN if that is set, against a real Ollama. See README.md.
#
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=ollama
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=ollama-install.sh
. "$here/ollama-install.sh"

python3 "$here/model.py" "$work/model" "$tokenizer" "$window" || fail "the model could not be made"
# A template and a top_k that must have no effect. Threads that spin for each other are slow on a machine that is busy.
cat >"$work/Modelfile" <<EOF
FROM $work/model
TEMPLATE "{{ .System }} You are asked: {{ .Prompt }}"
PARAMETER top_k 1
PARAMETER num_thread 1
EOF

log=$work/ollama.log
host=127.0.0.1:$(free_port)
env -u OLLAMA_DEBUG HOME="$work" OLLAMA_HOST="$host" OLLAMA_MODELS="$work/models" OLLAMA_NUM_PARALLEL=1 OLLAMA_KEEP_ALIVE=-1 \
	CUDA_VISIBLE_DEVICES=-1 "$program" serve >"$log" 2>&1 &
server=$!
await "http://$host/api/version" 60 "$log"
if ! HOME=$work OLLAMA_HOST=$host "$program" create "$model" -f "$work/Modelfile" >"$work/create.log" 2>&1; then
	tail -n 20 "$work/create.log" "$log" >&2
	fail "the server does not take the model"
fi

export TOOLEVO_OLLAMA_HOST=$host TOOLEVO_OLLAMA_MODEL=$model TOOLEVO_OLLAMA_WINDOW=$window TOOLEVO_OLLAMA_LOG=$log
tests Ollama "$log"
echo "ollama: everything held, in $SECONDS s"
