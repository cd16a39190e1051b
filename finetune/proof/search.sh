#!/usr/bin/env bash
# What models are trained on to compare trees with independent samples: see finetune/SEARCH.md.
#
#   search.sh TOOLEVO DIR [ARM...]
#
# For each ARM of search/ARM.yaml (all) it collects in DIR, with as many completions of a question as for any other, and
# exports to DIR/ARM/export. What is there already is kept; a collection that was interrupted goes on.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 2 ] && [ -x "$1" ] || { sed -n '2,7p' "${BASH_SOURCE[0]}" >&2; exit 2; }
toolevo=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
cd "$2"
arms=("${@:3}")
[ ${#arms[@]} -gt 0 ] || arms=(samples ended efficient reference paper)

if [ ! -e data/questions ]; then
	"$toolevo" data build --data data --dataset coffee --scale full --progress none
	"$toolevo" data questions --data data --dataset coffee --progress none
fi
[ -e made ] || "$toolevo" versions make --from p_c --count 400 --seed 1 --out made

for arm in "${arms[@]}"; do
	mkdir -p "$arm"
	how=(--resume)
	[ -e "$arm/run/run.json" ] || how=(--config "$here/search/$arm.yaml" --data data --policy "${POLICY:-scripted:weak}"
		--dataset coffee --difficulty easy --limit 128 --api 'file:made/*.yaml'
		--template coffee-easy/open,coffee-easy/low,coffee-easy/high,coffee-easy/close,coffee-easy/volume
		--set "search.completions=${COMPLETIONS:-120}" --set server.prompt.tools=dataset)
	[ -e "$arm/export/manifest.json" ] || {
		"$toolevo" collect "${how[@]}" --out "$arm/run" --progress plain
		"$toolevo" export "$arm/run" --data data --per-question 1 --allow-scripted --out "$arm/export"
	}
done
