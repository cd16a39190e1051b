#!/usr/bin/env bash
# Has a real language model, Qwen2.5-Coder-0.5B-Instruct, answer questions through the program in
# TOOLEVO_BIN: doctor, an evaluation, a collection that is killed and resumed, its export, and what
# the model wrote. See README.md.
#
#   MODEL    qwen05, or qwen15 for the one of 1.5 billion parameters
#   SERVER   llama, or ollama
#   THREADS  of the server; by default as many as there are processors
#
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=model
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=qwen.sh
. "$here/qwen.sh"
[ -n "${TOOLEVO_BIN:-}" ] || fail "TOOLEVO_BIN names no program; try: make test-model"

choose_model "${MODEL:-qwen05}"
threads=${THREADS:-$(nproc)}

# serve_llama: starts llama.cpp's server on a free port, named in host, with its log in log.
serve_llama() {
	# shellcheck source=llamalib.sh
	. "$here/llamalib.sh"
	fetch_weights
	build_llama
	local port
	port=$(free_port)
	log=$work/llama.log
	host=127.0.0.1:$port
	"$llama" "$here/llama/serve.py" "$weights" "$model" "$port" 4096 4 "$threads" >"$log" 2>&1 &
	server=$!
	await "http://$host/health" 120 "$log"
}

# serve_model_by_ollama: the same with an Ollama that is compiled for this machine's processor.
serve_model_by_ollama() {
	processor=$(gcc -march=native -Q --help=target 2>/dev/null | awk '$1 == "-march=" { print $2 }')
	# shellcheck source=ollamalib.sh
	. "$here/ollamalib.sh"
	fetch_weights
	build_ollama
	serve_ollama
	printf 'FROM %s\nPARAMETER num_thread %s\n' "$weights" "$threads" >"$work/Modelfile"
	create_model "$model" "$work/Modelfile"
}

case ${SERVER:-llama} in
llama) kind=openai checked='^Test(LanguageModel|LlamaCalls)$'; serve_llama ;;
ollama) kind=ollama checked='^TestLanguageModel$'; serve_model_by_ollama ;;
*) fail "no server is called $SERVER: it is llama or ollama" ;;
esac

timeout=2h # the larger model on one thread
export TOOLEVO_MODEL_POLICY=$kind:$model TOOLEVO_MODEL_SERVER=http://$host
tests "$checked" "$log"
echo "model: everything held, in $SECONDS s"
