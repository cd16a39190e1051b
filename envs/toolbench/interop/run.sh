#!/usr/bin/env bash
# Proves `toolevo serve tools`, `serve voice` and `serve sessions` with clients that others wrote: hey, a load tool (its
# Go module, v0.1.4), and the official MCP SDK for Python (a virtual environment of 60 MB in the cache folder, made once).
#
#   run.sh TOOLEVO
#
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

skip() {
	echo "SKIPPED: $*"
	exit 0
}

fail() {
	echo "serve: $*" >&2
	exit 1
}

[ $# -eq 1 ] || { sed -n '2,7p' "${BASH_SOURCE[0]}" >&2; exit 2; }
toolevo=$(realpath "$1")

cache=${XDG_CACHE_HOME:-$HOME/.cache}/toolevo
mkdir -p "$cache" || skip "the cache folder $cache cannot be made"

need_gb=1
# shellcheck source=../../../trajectories/interop/environment.sh
. "$here/../../../trajectories/interop/environment.sh"
environment mcp "$here"

hey=$cache/hey-0.1.4/hey
[ -x "$hey" ] || GOBIN=$(dirname "$hey") go install github.com/rakyll/hey@v0.1.4 || skip "hey could not be built"

work=$(mktemp -d)
server='' model=''
trap 'kill $server $model 2>/dev/null || true; rm -rf "$work"' EXIT

free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# await URL LOG: waits until a server that we started answers; its log is shown when it does not.
await() {
	local end=$((SECONDS + 60))
	until curl -sS --noproxy '*' -o /dev/null --max-time 5 "$1" 2>/dev/null; do
		[ $SECONDS -lt $end ] || { cat "$2" >&2; fail "$1 does not answer (its log is above)"; }
		sleep 0.2
	done
}

"$toolevo" toolbench import "$here/../testdata/queries" --data "$work/data" --split test >/dev/null 2>&1

at_model=$(free_port)
python3 "$here/model.py" "$at_model" "$work/asked" >"$work/model.log" 2>&1 &
model=$!
await "http://127.0.0.1:$at_model/" "$work/model.log"

at=127.0.0.1:$(free_port)
OPENAI_BASE_URL=http://127.0.0.1:$at_model/v1 "$toolevo" serve tools --data "$work/data" --api p_c,p_s_in \
	--feedback invocation --simulator openai:mirror --cache "$work/answers.db" --listen "$at" --json \
	>"$work/report" 2>"$work/server.log" &
server=$!
await "http://$at/metrics" "$work/server.log"

# A hundred equal requests at the same time.
call='"category": "Weather", "tool_name": "24h Weather", "api_name": "Forecast", "strip": "",
	"tool_input": "{\"city\": \"Bern\", \"days\": 3}", "toolbench_key": ""'
echo "{$call}" >"$work/call"
load() { "$hey" "$@" -m POST -T application/json -D "$work/call" "http://$at/virtual"; }

load -n 100 -c 100 >"$work/hey"
grep -q '\[200\][[:space:]]*100 responses' "$work/hey" || { cat "$work/hey" >&2; fail "not all of 100 requests were answered"; }
[ "$(cat "$work/asked")" = 1 ] || fail "100 equal requests asked the model $(cat "$work/asked") times, want once"
echo "hey: 100 equal requests at the same time, asked of the model once"

# What is valid in the old version only.
answer=$(curl -sS --noproxy '*' -d "{$call, \"version\": \"p_s_in\"}" "http://$at/virtual")
case $answer in
'{"error": "argument error: '*) echo "curl: the old call under p_s_in: $answer" ;;
*) fail "a call of the old version is answered $answer" ;;
esac

# As fast as it goes, from the cache.
load -z 5s -c 20 >"$work/hey"
awk '/Requests\/sec|99% in/ { print "hey, from the cache: " $0 }' "$work/hey"
! grep -E '^  \[[0-9]+\]' "$work/hey" | grep -qv '\[200\]' || { cat "$work/hey" >&2; fail "a request failed under load"; }

"$environment/bin/python" "$here/client.py" "http://$at/mcp/p_s_in" \
	"$toolevo" serve tools --data "$work/data" --api p_s_in --stdio || fail "the MCP SDK for Python found something wrong"

# The cache is readable after kill -9, and holds the answer.
kill -9 "$server"
wait "$server" 2>/dev/null || true
before=$(cat "$work/asked")
OPENAI_BASE_URL=http://127.0.0.1:$at_model/v1 "$toolevo" serve tools --data "$work/data" --simulator openai:mirror \
	--cache "$work/answers.db" --listen "$at" --json >"$work/report" 2>"$work/server.log" &
server=$!
await "http://$at/metrics" "$work/server.log"
load -n 100 -c 10 >/dev/null
[ "$(cat "$work/asked")" = "$before" ] || fail "what the cache held was asked again after kill -9"

kill -INT "$server"
wait "$server" || { cat "$work/server.log" >&2; fail "Ctrl-C ended it with an error"; }
server=''
python3 - "$work/report" <<'PYTHON' || fail "the report is wrong"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["requests"]["ok"] == 100 and report["answers"]["replayed"] == 100, report
PYTHON

# The published functions, under the names that StableToolBench's own client gives them.
published=${TOOLEVO_STABLETOOLBENCH:-${TOOLEVO_SHARED_DATA:-$here/../../../../shared/data}/stabletoolbench}
if [ -d "$published" ]; then
	"$toolevo" toolbench import "$published" --data "$work/published" --split test >/dev/null 2>&1
	at=127.0.0.1:$(free_port)
	"$toolevo" serve tools --data "$work/published" --listen "$at" >/dev/null 2>"$work/server.log" &
	server=$!
	await "http://$at/metrics" "$work/server.log"
	python3 "$here/names.py" "http://$at/virtual" "$published" || fail "a name of StableToolBench's client is refused"
	kill -INT "$server"
	wait "$server" || { cat "$work/server.log" >&2; fail "Ctrl-C ended the published functions with an error"; }
	server=''
else
	echo "names: left out, there are no published queries in $published (TOOLEVO_SHARED_DATA names the folder above it)"
fi

# The voice service.
at=127.0.0.1:$(free_port)
"$toolevo" serve voice --listen "$at" --json >"$work/report" 2>"$work/server.log" &
server=$!
await "http://$at/mcp" "$work/server.log"
"$environment/bin/python" "$here/voice.py" "http://$at/mcp" "$toolevo" serve voice --stdio ||
	fail "the MCP SDK for Python found something wrong in the voice service"

kill -INT "$server"
wait "$server" || { cat "$work/server.log" >&2; fail "Ctrl-C ended the voice service with an error"; }
server=''
python3 - "$work/report" <<'PYTHON' || fail "the report of the voice service is wrong"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["calls"] == 6 and report["refused"] == 5, report
PYTHON

# The session service, under two versions.
at=127.0.0.1:$(free_port)
"$toolevo" serve sessions --listen "$at" >/dev/null 2>"$work/server.log" &
server=$!
await "http://$at/" "$work/server.log"
moved=127.0.0.1:$(free_port)
"$toolevo" serve sessions --api p_s_in --listen "$moved" >/dev/null 2>"$work/moved.log" &
model+=" $!"
await "http://$moved/" "$work/moved.log"
"$environment/bin/python" "$here/sessions.py" "http://$at" "http://$moved" || fail "httpx2 found something wrong"
echo "serve: everything held, in $SECONDS s"
