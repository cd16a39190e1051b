#!/usr/bin/env bash
# Runs StateGen's published generator and StateEval's evaluators, from a checkout of
# github.com/YuhengHuang42/stateful_bench, against toolevo: what the one writes is imported and played, what toolevo
# exports the others judge. Prints a table.
#
#   run.sh TOOLEVO CHECKOUT FOLDER
#
# FOLDER keeps what comes of it: rows/COMMIT/DOMAIN/evaluator_N.json (TOOLEVO_STATEEVAL=FOLDER/rows lets a test read
# them), and toolevo's own rows. PYTHON names an interpreter with torch, faker, loguru, stdlib-list, filelock, networkx,
# typer, tqdm, requests and pyyaml (default: python3). TENSORS=4 generates as many tensor tasks (default: 24): December's
# take 4 GB in all. Exit 0: the table stands there, whatever it says.
set -euo pipefail

[ $# -eq 3 ] || { sed -n '2,12p' "${BASH_SOURCE[0]}" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
toolevo=$(realpath "$1") checkout=$(realpath "$2")
mkdir -p "$3" && folder=$(realpath "$3")
python=${PYTHON:-python3}
export PYTHONHASHSEED=0

port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port
"$toolevo" serve sessions --listen "127.0.0.1:$port" >"$folder/service.log" 2>&1 &
service=$!
trap 'kill $service 2>/dev/null || true' EXIT
until curl -sS --noproxy '*' -o /dev/null --max-time 5 "$url" 2>/dev/null; do
	kill -0 $service || { cat "$folder/service.log" >&2; exit 1; }
	sleep 0.2
done

"$toolevo" tasks generate --split test --n 60 --seed 7 --data "$folder/own" >/dev/null 2>&1

for commit in f85b507 dcfd4e1; do
	form=april
	[ $commit = dcfd4e1 ] && form=december
	tree=$folder/$commit
	mkdir -p "$tree" && git -C "$checkout" archive $commit | tar x -C "$tree"
	"$toolevo" tasks export --split test --data "$folder/own" --form $form --out "$folder/exported-$form" >/dev/null

	for domain in session voice tensor; do
		n=60
		[ $domain = tensor ] && n=${TENSORS:-24}
		rows=$folder/rows/$commit/$domain
		data=$folder/data/$commit-$domain
		rm -rf "$rows" "$data"

		(cd "$tree" && "$python" "$here/stateeval.py" generate "$tree" $domain $n "$rows" $url) \
			>"$folder/$commit-$domain.generated" 2>&1 || true
		"$toolevo" tasks import "$rows"/evaluator_*.json --data "$data" >"$folder/$commit-$domain.imported" 2>&1 || true
		echo "$commit $domain: their rows here: $(tail -n 1 "$folder/$commit-$domain.imported")"

		service_of=''
		[ $domain = session ] && service_of=$url
		"$python" "$here/stateeval.py" score "$tree" $domain "$folder/exported-$form/$domain.jsonl" $service_of \
			>"$folder/$commit-$domain.scored" 2>&1 || true
		echo "$commit $domain: our rows ($form) there: $(tail -n 1 "$folder/$commit-$domain.scored")"
	done
done
