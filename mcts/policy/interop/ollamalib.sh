# Shared by ollama.sh and test-model.sh: a real Ollama. Sourced by them, after lib.sh. If processor
# is set, to gcc's name of one, the program is compiled for it; else for any, without vector
# instructions: seven times slower.
# shellcheck shell=bash

version=0.9.6 # the last that builds from its module alone
processor=${processor-}
folder=$cache/ollama-$version${processor:+-${processor//[^a-z0-9]/-}}
program=$folder/ollama

install_ollama() {
	local flags=(${processor:+"CGO_CFLAGS=-O3 -march=$processor" "CGO_CXXFLAGS=-O3 -march=$processor"})
	env GOBIN="$folder/new" CGO_ENABLED=1 GOFLAGS= "${flags[@]}" \
		go install -ldflags "-X=github.com/ollama/ollama/version.Version=$version" "github.com/ollama/ollama@v$version"
}

# build_ollama: makes the program, once.
build_ollama() {
	command -v g++ >/dev/null || fail "g++ is not on the PATH, and the server's engine is C++; on Debian: apt-get install g++"
	exec 9>"$folder.lock"
	flock 9
	if [ ! -x "$program" ]; then
		need_disk 4
		echo "$name: building Ollama $version in $folder (some minutes)" >&2
		# In a folder outside the repository, so that its go.mod does not count.
		(cd "$work" && thrice install_ollama) || skip "Ollama $version could not be built (see above)"
		mv "$folder/new/ollama" "$program"
		rm -rf "$folder/new"
	fi
	flock -u 9
	exec 9>&-
}

# serve_ollama: starts it on a free port, named in host, with its log in log.
serve_ollama() {
	log=$work/ollama.log
	host=127.0.0.1:$(free_port)
	env -u OLLAMA_DEBUG HOME="$work" OLLAMA_HOST="$host" OLLAMA_MODELS="$work/models" OLLAMA_NUM_PARALLEL=1 \
		OLLAMA_KEEP_ALIVE=-1 CUDA_VISIBLE_DEVICES=-1 "$program" serve >"$log" 2>&1 &
	server=$!
	await "http://$host/api/version" 60 "$log"
}

# create_model NAME MODELFILE: registers a model with the server.
create_model() {
	if ! HOME=$work OLLAMA_HOST=$host "$program" create "$1" -f "$2" >"$work/create.log" 2>&1; then
		tail -n 20 "$work/create.log" "$log" >&2
		fail "the server does not take the model"
	fi
}
