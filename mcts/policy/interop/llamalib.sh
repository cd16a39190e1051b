# What scripts share that ask a model on llama.cpp's server. Sourced by them, after lib.sh.
# shellcheck shell=bash

need_gb=1
# shellcheck source=../../../trajectories/interop/environment.sh
. "$repository/trajectories/interop/environment.sh"

# build_llama: has a Python with the server at $llama, made once.
build_llama() {
	environment llama "$servers/llama"
	llama=$environment/bin/python
	"$llama" -c 'import xllamacpp' || fail "xllamacpp does not load; on Debian: apt-get install libgomp1"
}
