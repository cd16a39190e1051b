#!/usr/bin/env bash
# Proves the ollama backend, and the program in TOOLEVO_BIN if that is set, against a real Ollama. See README.md.
#
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=ollama
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=ollamalib.sh
. "$here/ollamalib.sh"

build_ollama

python3 "$here/model.py" "$work/model" "$tokenizer" "$window" || fail "the model could not be made"
# A template and a top_k that must have no effect. One thread, because on a busy machine several
# would spin waiting for each other.
cat >"$work/Modelfile" <<EOF
FROM $work/model
TEMPLATE "{{ .System }} You are asked: {{ .Prompt }}"
PARAMETER top_k 1
PARAMETER num_thread 1
EOF

serve_ollama
create_model "$model" "$work/Modelfile"

export TOOLEVO_OLLAMA_HOST=$host TOOLEVO_OLLAMA_MODEL=$model TOOLEVO_OLLAMA_WINDOW=$window TOOLEVO_OLLAMA_LOG=$log
tests Ollama "$log"
echo "ollama: everything held, in $SECONDS s"
