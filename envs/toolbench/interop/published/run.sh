#!/usr/bin/env bash
# Runs the programs and files of the companion papers beside ours, and prints a table: what was tried, and that ours does the
# same or in what not.
#
#   run.sh TOOLEVO STABLETOOLBENCH DYNAMICTOOLBENCH
#
# The last two are checkouts of THUNLP-MT/StableToolBench and trishamaturi/DynamicToolBench, which are read alone. Python
# packages are fetched once (150 MB). Exit 0: no other difference than the table says, or the last line begins with
# "SKIPPED: ". Exit 1: a row has one that is not known.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

skip() {
	echo "SKIPPED: $*"
	exit 0
}

[ $# -eq 3 ] || { sed -n '2,10p' "${BASH_SOURCE[0]}" >&2; exit 2; }
usage="make published STABLETOOLBENCH=DIR DYNAMICTOOLBENCH=DIR"
[ -d "$2/solvable_queries" ] || { echo "published: '$2' is no checkout of StableToolBench: $usage" >&2; exit 2; }
[ -d "$3/perturbations" ] || { echo "published: '$3' is no checkout of DynamicToolBench: $usage" >&2; exit 2; }

cache=${XDG_CACHE_HOME:-$HOME/.cache}/toolevo
mkdir -p "$cache" || skip "the cache folder $cache cannot be made"

need_gb=1
# shellcheck source=../../../../trajectories/interop/environment.sh
. "$here/../../../../trajectories/interop/environment.sh"
environment published "$here"

at() { git -C "$1" rev-parse --short HEAD || echo "an unknown commit"; }
echo "StableToolBench at $(at "$2"), DynamicToolBench at $(at "$3"), $("$1" version | head -n 1)"
echo
echo "| Of | tried | ours |"
echo "|---|---|---|"
exec "$environment/bin/python" "$here/table.py" "$@"
