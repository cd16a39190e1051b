# Shared by scripts that ask a model on llama.cpp's server. Sourced by them, after lib.sh.
# shellcheck shell=bash

need_gb=1
# shellcheck source=../../../trajectories/interop/environment.sh
. "$repository/trajectories/interop/environment.sh"

# build_llama: makes a Python environment with the server, once, and sets llama to its Python.
build_llama() {
	environment llama "$servers/llama"
	llama=$environment/bin/python
	"$llama" -c 'import xllamacpp' || fail "xllamacpp does not load; on Debian: apt-get install libgomp1"
}
