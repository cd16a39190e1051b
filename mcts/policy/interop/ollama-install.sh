# Builds Ollama from its Go module, once. Sourced after lib.sh; sets program.
# shellcheck shell=bash

version=0.9.6 # the last that its module alone builds
program=$cache/ollama-$version/ollama

install_ollama() {
	GOBIN=$cache/ollama-$version/new CGO_ENABLED=1 GOFLAGS= \
		go install -ldflags "-X=github.com/ollama/ollama/version.Version=$version" "github.com/ollama/ollama@v$version"
}

command -v g++ >/dev/null || fail "g++ is not on the PATH, and the server's engine is C++; on Debian: apt-get install g++"
exec 9>"$cache/ollama-$version.lock"
flock 9
if [ ! -x "$program" ]; then
	need_disk 4
	echo "$name: building Ollama $version in $cache (some minutes)" >&2
	# From elsewhere, so that no go.mod has a say.
	(cd "$work" && thrice install_ollama) || skip "Ollama $version could not be built (see above)"
	mv "$cache/ollama-$version/new/ollama" "$program"
	rm -rf "$cache/ollama-$version/new"
fi
flock -u 9
exec 9>&-
