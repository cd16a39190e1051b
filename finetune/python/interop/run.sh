#!/usr/bin/env bash
# Proves `toolevo serve env` and the package toolevo_env with programs of others: OpenEnv's client and validator, and TRL's
# GRPOTrainer, which trains a tiny model on a CPU. See README.md.
#
#   run.sh TOOLEVO
#
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong. Exit 2: usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../../.." && pwd)

skip() {
	echo "SKIPPED: $*"
	exit 0
}

fail() {
	echo "rl: $*" >&2
	exit 1
}

[ $# -eq 1 ] && [ -x "$1" ] || { sed -n '2,7p' "${BASH_SOURCE[0]}" >&2; exit 2; }
toolevo=$(realpath "$1")

cache=${XDG_CACHE_HOME:-$HOME/.cache}/toolevo
mkdir -p "$cache" || skip "the cache folder $cache cannot be made"

# shellcheck source=../../../trajectories/interop/environment.sh
. "$repository/trajectories/interop/environment.sh"
environment trl "$repository/trajectories/interop/pins.txt"
python=$environment/bin/python

work=$(mktemp -d)
server='' model=''
trap 'kill $server $model 2>/dev/null || true; rm -rf "$work"' EXIT

# Nothing is looked up, and nothing is kept outside the work folder. Threads that spin for each other are slow on a machine
# that is busy.
export TOOLEVO_DATA=$work/data HF_HOME=$work/hf HF_HUB_OFFLINE=1 CUDA_VISIBLE_DEVICES='' TOKENIZERS_PARALLELISM=false \
	PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 TRL_EXPERIMENTAL_SILENCE=1
python3 -c 'import numpy' 2>/dev/null || export TOOLEVO_PYTHON_MODULES= # a prompt promises what is there

# quietly COMMAND…: runs it, and shows what it said when it fails.
quietly() {
	"$@" >"$work/said" 2>&1 || { tail -n 60 "$work/said" >&2; fail "this failed: $*"; }
}

# serve FLAG…: starts the server on a free port, and sets url.
serve() {
	local end=$((SECONDS + 60))
	rm -f "$work/server.log" # of the server before
	"$toolevo" serve env "$@" --listen 127.0.0.1:0 >"$work/used" 2>"$work/server.log" &
	server=$!
	until url=$(grep -osm 1 'http://127[0-9.:]*' "$work/server.log"); do
		kill -0 "$server" 2>/dev/null && [ $SECONDS -lt $end ] || { cat "$work/server.log" >&2; fail "no server"; }
		sleep 0.2
	done
}

# stop: ends the server as Ctrl-C does.
stop() {
	kill -INT "$server"
	wait "$server" || { cat "$work/server.log" >&2; fail "the server ended with an error"; }
	server=''
}

# The wheel, built and installed as a user would have it, without a network.
quietly "$python" -m pip --disable-pip-version-check wheel --no-deps --no-build-isolation -w "$work" "$here/.."
quietly "$python" -m pip --disable-pip-version-check install --no-deps --target "$work/site" "$work"/toolevo_env-*.whl
export PYTHONPATH=$work/site

quietly "$toolevo" data build --dataset coffee,agenda,dblp,airbnb --progress none
quietly "$toolevo" data questions --scale 0.05 --progress none

# A hundred tasks and four, in three versions, by a policy that solves them and by one that makes mistakes.
versions=p_c,p_s_in,p_s_ood
quietly "$toolevo" eval --split train --limit 13 --policy scripted:reader,scripted:noisy --api $versions \
	--out "$work/hundred" --set environment.reward=strict --progress none
serve --api $versions
"$python" "$here/protocol.py" "$url" "$work/hundred/episodes.jsonl" || fail "OpenEnv's client disagrees (see above)"
stop

# What a tiny model can learn by heart.
few=(--split train --dataset coffee --difficulty easy --template coffee-easy/open,coffee-easy/high --limit 4 --api p_s_in)
quietly "$toolevo" eval "${few[@]}" --policy scripted:reader --out "$work/few" \
	--set environment.reward=strict --progress none
"$python" "$here/package.py" "$toolevo" "$work/few/episodes.jsonl" "${few[@]}" || fail "the package is wrong (see above)"

serve "${few[@]}"
"$python" "$here/tiny.py" "$work/model" "$url" "$work/few/episodes.jsonl" 2>"$work/said" ||
	{ tail -n 60 "$work/said" >&2; fail "no tiny model"; }
stop
serve "${few[@]}" --record "$work/recorded" --agent tiny
quietly "$python" "$here/../examples/grpo.py" --url "$url" --model "$work/model" --out "$work/trained" \
	--steps 10 --save-steps 5 --episodes 16 --tokens 640 --learning-rate 1e-4
stop
quietly "$toolevo" check "$work/recorded"
"$python" "$here/learnt.py" "$work/trained" "$work/recorded/episodes.jsonl" || fail "GRPO did not do what it should (see above)"

# A plain OpenAI client, of a server whose native calls a script writes that solves the tasks.
serve --config policies/tools --dataset coffee --difficulty easy --template coffee-easy/open,coffee-easy/high --api p_c
"$toolevo" bench serve --policy scripted:reader --codec tools --listen 127.0.0.1:0 >"$work/used" 2>"$work/model.log" &
model=$!
until at=$(grep -osm 1 'http://127[0-9.:]*' "$work/model.log"); do
	kill -0 "$model" 2>/dev/null || { cat "$work/model.log" >&2; fail "no model"; }
	sleep 0.2
done
OPENAI_BASE_URL=$at/v1 OPENAI_API_KEY=none quietly "$python" "$here/../examples/agent.py" "$url" sim 10
grep '^40 of 40 replies .* 10 of 10 tasks are won$' "$work/said" || fail "a plain client lost a task: $(tail -n 1 "$work/said")"
stop
echo "rl: everything held, in $SECONDS s"
