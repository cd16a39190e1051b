#!/usr/bin/env bash
# Measures what it costs to hold more conversations with a server than it has slots: one evaluation
# and one collection at a server that keeps one prompt in each slot, as the program does them by
# itself, and by hand with --workers 1 to the number of slots. Each is a line: seconds, prompt
# tokens read, seconds spent on reading, completions, tokens written.
#
#   TOOLEVO_BIN=bin/toolevo POLICY=openai:MODEL SERVER=http://127.0.0.1:8080 SLOTS=4 slots.sh
#   TOOLEVO_BIN=bin/toolevo POLICY=ollama:MODEL SERVER=http://127.0.0.1:11434 SLOTS=1 slots.sh
#
# BEFORE names another build of the program, which is measured by itself and by hand, too.
# TOOLEVO_DATA names a data folder; without it one is made. QUESTIONS is how many are asked (6),
# TURNS how many an episode has (8), WHAT the commands to measure ("eval collect"), ARGS more flags,
# HANDS the workers by hand ("1 2 … SLOTS"). RESTART is a command that restarts the server before
# each line, because what its slots kept of the line before would count. PIDFILE holds the server's
# process id, whose processor time is added to each line.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=slots
# shellcheck source=lib.sh
. "$here/lib.sh"

[ -n "${TOOLEVO_BIN:-}" ] || fail "TOOLEVO_BIN names no program; try: make bench-slots"
[ -n "${POLICY:-}" ] && [ -n "${SERVER:-}" ] && [ -n "${SLOTS:-}" ] ||
	fail "POLICY, SERVER and SLOTS say what to measure, see $here/slots.sh"

SERVER=${SERVER%/v1} sums=$work/sums.json port=$(free_port)
python3 "$here/meter.py" "$SERVER" "$port" "$sums" 2>"$work/meter.log" &
server=$! # ended by lib.sh
until [ -e "$sums" ]; do sleep 0.1; done

if [ -z "${TOOLEVO_DATA:-}" ]; then
	export TOOLEVO_DATA=$work/data
	{ "$TOOLEVO_BIN" data build --dataset coffee && "$TOOLEVO_BIN" data questions; } >"$work/data.log" 2>&1 ||
		fail "the data folder could not be filled: $(tail -n 3 "$work/data.log")"
fi

ask=(--policy "$POLICY" --set dataset=coffee --difficulty easy --set server.prompt.tools=dataset
	--set server.logprobs=false --set server.sampling.max_tokens=128 --limit "${QUESTIONS:-6}" --progress none)
case $POLICY in
openai:*) ask+=(--server "http://127.0.0.1:$port/v1" --set server.extensions=false) ;;
*) ask+=(--server "http://127.0.0.1:$port" --set server.window=4096) ;;
esac
read -ra more <<<"${ARGS:-}"

used() { # the server's processor time in seconds, if PIDFILE names it
	[ -z "${PIDFILE:-}" ] && echo 0 && return
	awk -v hz="$(getconf CLK_TCK)" '{ print ($14 + $15) / hz }' "/proc/$(cat "$PIDFILE")/stat"
}

sum() { python3 -c 'import json, sys; s = json.load(open(sys.argv[1])); print(*[s[k] for k in sys.argv[2:]])' "$sums" "$@"; }

# measure WHAT HOW PROGRAM FLAGS…: one line.
measure() {
	local what=$1 how=$2 program=$3 began cpu before after
	shift 3
	[ -z "${RESTART:-}" ] || bash -c "$RESTART"
	local own=(--set "eval.max_turns=${TURNS:-8}" --api p_c)
	[ "$what" = eval ] || own=(--api p_s_in --trees 2 --set search.simulations=4 --set search.max_depth=6)
	before=$(sum completions read written reading_s) began=$(date +%s.%N) cpu=$(used)
	"$program" "$what" "${ask[@]}" "${own[@]}" "${more[@]}" "$@" --out "$work/run-$RANDOM$RANDOM" >"$work/log" 2>&1 ||
		fail "$what $how: $(tail -n 5 "$work/log")"
	after=$(sum completions read written reading_s)
	python3 - "$what" "$how" "$began" "$(date +%s.%N)" "$cpu" "$(used)" "$before" "$after" <<-'END'
		import sys
		what, how, began, ended, cpu, used, before, after = sys.argv[1:]
		n, read, written, reading = (float(y) - float(x) for x, y in zip(before.split(), after.split()))
		spent = f"{float(used) - float(cpu):7.0f} s of processor" if float(used) else ""
		print(f"{what:8}{how:24}{float(ended) - float(began):7.0f} s{read:9.0f} read in {reading:6.1f} s"
		      f"{n:6.0f} completions{written:8.0f} written{spent}", flush=True)
	END
}

set_slots=()
case $POLICY in ollama:*) set_slots=(--set "server.slots=$SLOTS") ;; esac # Ollama does not report them

for what in ${WHAT:-eval collect}; do
	if [ -n "${BEFORE:-}" ]; then
		measure "$what" before "$BEFORE"
		for n in ${HANDS-$(seq "$SLOTS")}; do
			measure "$what" "before --workers $n" "$BEFORE" --workers "$n"
		done
	fi
	measure "$what" "as it is" "$TOOLEVO_BIN" "${set_slots[@]}"
done
