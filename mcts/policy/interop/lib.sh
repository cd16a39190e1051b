# What scripts with real servers share. Sourced by them, after they have set name.
# shellcheck shell=bash

servers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$servers/../../.." && pwd)
tokenizer=$repository/trajectories/internal/bpe/testdata/llama3.json
window=8192 # tokens: a prompt with three demonstrations has some 5,000 of the tiny tokenizer's
model=toolevo-tiny

# A prompt must not promise modules that programs cannot import.
python3 -c 'import numpy' 2>/dev/null || export TOOLEVO_PYTHON_MODULES=

skip() {
	echo "SKIPPED: $*"
	exit 0
}

fail() {
	echo "$name: $*" >&2
	exit 1
}

# need_disk GB: skips when the cache folder has less than that.
need_disk() {
	local free_gb
	free_gb=$(($(df -Pk "$cache" | awk 'NR == 2 { print $4 }') / 1024 / 1024))
	[ "$free_gb" -ge "$1" ] || skip "$cache has $free_gb GB free, $1 GB are needed to build what the tests run"
}

# thrice COMMAND…: tries up to three times.
thrice() {
	local try
	for try in 1 2 3; do
		"$@" && return
		echo "$name: attempt $try of 3 failed: $*" >&2
		[ "$try" = 3 ] || sleep $((try * 5))
	done
	return 1
}

free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# await URL SECONDS LOG: waits until the server that was started answers; if not, shows its log.
await() {
	local end=$((SECONDS + $2))
	until curl -fsS --noproxy '*' -o /dev/null --max-time 5 "$1" 2>/dev/null; do
		if ! kill -0 "$server" 2>/dev/null || [ $SECONDS -ge $end ]; then
			tail -n 60 "$3" >&2
			fail "the server did not come up (its log is above)"
		fi
		sleep 0.5
	done
}

# stop ends the server that was started, and waits for it.
stop() {
	[ -n "${server:-}" ] || return 0
	kill "$server" 2>/dev/null || true
	for _ in $(seq 60); do
		kill -0 "$server" 2>/dev/null || break
		sleep 0.5
	done
	kill -9 "$server" 2>/dev/null || true
	wait "$server" 2>/dev/null || true
	server=
}

# tests PATTERN LOG: runs the Go tests, and shows the server's log if they fail. None may be
# skipped, except those of the program if TOOLEVO_BIN is not set.
tests() {
	if ! (cd "$repository" && go test ./mcts/policy/interop -run "$1" -count=1 -timeout "${timeout:-20m}" -v | tee "$work/tests"); then
		echo "$name: the end of the server's log:" >&2
		tail -n 60 "$2" >&2
		fail "something is wrong (see above)"
	fi
	if [ -n "${TOOLEVO_BIN:-}" ] && grep -q '^ *--- SKIP' "$work/tests"; then
		fail "some test did not run (see SKIP above)"
	fi
}

for tool in python3 go curl flock; do
	command -v "$tool" >/dev/null || fail "$tool is not on the PATH; on Debian: apt-get install ${tool/flock/util-linux}"
done
cache=${XDG_CACHE_HOME:-$HOME/.cache}/toolevo
mkdir -p "$cache" || skip "the cache folder $cache cannot be made"

work=$(mktemp -d)
server=
trap 'stop; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Requests to 127.0.0.1 go there directly, and no model hub is asked for anything.
export NO_PROXY=127.0.0.1 no_proxy=127.0.0.1 HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 HF_HOME=$work/hf PYTHONDONTWRITEBYTECODE=1
if [ -n "${TOOLEVO_BIN:-}" ]; then
	TOOLEVO_BIN=$(cd "$(dirname "$TOOLEVO_BIN")" && pwd)/$(basename "$TOOLEVO_BIN")
	[ -x "$TOOLEVO_BIN" ] || fail "$TOOLEVO_BIN is no program"
	export TOOLEVO_BIN
fi
