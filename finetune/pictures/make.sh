#!/usr/bin/env bash
# Makes the pictures of the README, of the demo's run and evaluation: make.sh TOOLEVO. It needs a chromium.
set -euo pipefail

bin=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
dir=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
server=

# shoot FILE WIDTH,HEIGHT URL
shoot() {
	chromium --headless --no-sandbox --hide-scrollbars --user-data-dir="$dir/chromium" \
		--window-size="$2" --screenshot="$dir/shot.png" "$3" 2>/dev/null
	python3 "$here/shrink.py" "$dir/shot.png" "$here/$1"
}

"$bin" demo --out "$dir/demo" >/dev/null
"$bin" view "$dir/demo" --listen 127.0.0.1:0 2>"$dir/said" &
server=$!
until url=$(grep -o 'http://[^ ]*' "$dir/said"); do sleep 0.1; done
shoot tree.png 1280,800 "${url}run/easy-dblp-train-0001/0"

"$bin" report "$dir/demo/eval" --out "$dir/report.html" >/dev/null
shoot versions.png 900,495 "file://$dir/report.html"
