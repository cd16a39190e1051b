#!/usr/bin/env bash
# A real router (PyPI's vllm-router, installed once) before eight simulated servers. A run through it is byte for byte
# that on one server; where it sends session ids, at least nine tenths of the share of prompts that one server finds
# cached are found.
#
#   TOOLEVO_BIN=bin/toolevo router.sh
#
# Exit 0: it is so, or the last line begins with "SKIPPED: ". Exit 1: something went wrong.
set -euo pipefail

name=router
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[ -n "${TOOLEVO_BIN:-}" ] || fail "TOOLEVO_BIN names no program"

version=0.1.17
env=$cache/vllm-router-$version
exec 9>"$env.lock"
flock 9
if [ ! -e "$env/complete" ]; then
	rm -rf "$env" # what an interrupted build left
	python3 -m venv "$env" || fail "python -m venv failed; on Debian: apt-get install python3-venv"
	thrice "$env/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile "vllm-router==$version" ||
		{ rm -rf "$env"; skip "vllm-router could not be installed (see above)"; }
	touch "$env/complete"
fi
flock -u 9
exec 9>&-

cd "$work"
"$TOOLEVO_BIN" data build --data data --dataset coffee --progress none >/dev/null 2>&1
"$TOOLEVO_BIN" data questions --data data --dataset coffee --progress none >/dev/null 2>&1

started=()
trap 'kill "${started[@]}" 2>/dev/null || true; stop; rm -rf "$work"' EXIT
urls=()
for i in $(seq 0 8); do # the first is asked directly
	port=$(free_port)
	"$TOOLEVO_BIN" bench serve --listen "127.0.0.1:$port" --data data --slots 16 --latency 5ms >"server-$i" 2>&1 &
	started+=($!)
	urls+=("http://127.0.0.1:$port")
done
port=$(free_port)
"$env/bin/vllm-router" --host 127.0.0.1 --port "$port" --worker-urls "${urls[@]:1}" --policy consistent_hash \
	--prometheus-port "$(free_port)" >router 2>&1 &
server=$!
started+=("$server")
await "http://127.0.0.1:$port/v1/models" 120 router

# collect NAME URL FLAG…: a run, and the share of its prompts that was cached, in percent.
collect() {
	local run=$1 url=$2
	shift 2
	"$TOOLEVO_BIN" collect --data data --policy openai:sim --limit 40 --trees 2 --set search.simulations=4 \
		--set server.window=32768 --engine unsafe --run-id one --progress none --server "$url/v1" --out "$run" "$@" \
		>"$run.out" 2>&1 || { cat "$run.out" >&2; fail "collect failed"; }
	python3 - "$run/account.json" <<-'END'
		import json, sys
		passes = json.load(open(sys.argv[1]))
		read, cached = (sum(p[key] for p in passes) for key in ("prompt_tokens", "cached_tokens"))
		print(round(100 * cached / read, 1))
	END
}

router=http://127.0.0.1:$port
direct=$(collect direct "${urls[0]}")
session=$(collect session "$router" --set server.session.header=x-session-id)
without=$(collect without "$router")
echo "prompt tokens found cached: $direct % at one server, $session % at eight behind vllm-router $version with a session" \
	"id, $without % without"

for run in session without; do
	cmp -s direct/trajectories.parquet $run/trajectories.parquet || fail "the run through the router differs ($run)"
done
python3 -c "import sys; sys.exit(not $session >= 0.9 * $direct)" || fail "too few prompts are found with a session id"
