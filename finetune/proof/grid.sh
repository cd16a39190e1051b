#!/usr/bin/env bash
# The grids of the proof: see finetune/PROOF.md and finetune/SEARCH.md. Runs the cells that are missing in results, or
# some of them.
#
#   [GRID=arms] grid.sh TOOLEVO DIR [CELL…]
#
# TOOLEVO is the built program, DIR the folder to work in. It can be stopped anywhere, and goes on. The cells are those of
# GRID.yaml, grid.yaml by default.
# Exit 0: the cells are there, or the last line begins with "SKIPPED: ". Exit 1: something went wrong. Exit 2: usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=grid
[ $# -ge 2 ] && [ -x "$1" ] || { sed -n '2,9p' "${BASH_SOURCE[0]}" >&2; exit 2; }
# shellcheck source=lib.sh
. "$here/lib.sh"

exec 8>lock
flock -n 8 || fail "another one works in $proof"
go -C "$repository" build -o "$proof/proofgrid" ./cmd/internal/proofgrid

# One program for all cells: that of the repository may be built again while they run, and a build
# has another hash wherever a file of the repository is new.
[ -x toolevo ] || cp "$toolevo" toolevo
toolevo=$proof/toolevo
echo "The program is $toolevo; remove it to have another one copied." >&2

if [ ! -e data/questions/SHA256SUMS ]; then
	quietly "$toolevo" data build --data data --dataset coffee --scale full --progress none
	quietly "$toolevo" data build --data data --dataset flights,dblp --progress none
	# Designs before this one were chosen by what failed on the questions of seeds 1 to 4.
	quietly "$toolevo" data questions --data data --dataset coffee,flights,dblp --seed 5 \
		--progress none
fi

# versions FOLDER SEED COUNT UNSEEN OPERATORS: made from p_c, the unseen ones of words that the others do not have.
versions() {
	[ -e "versions/$1/$2/unseen" ] ||
		quietly "$toolevo" versions make --from p_c --seed "$2" --count "$3" --unseen "$4" --ops "$5" \
			--out "versions/$1/$2"
}

# mix-forms has notices of two forms, as p_s_in has; add-option gives any tool one more parameter, so
# that a call has to be read off its notice each time; style-response has every answer say how the
# call went, as text, so that a notice is not the first thing to be read. add-flag and wrap-response are held out.
seed=1
while read -r operators; do
	versions many $seed 40 1 "$operators"
	seed=$((seed + 1))
done <<-'LISTS'
	rename-api,rename-parameter
	rename-api,add-option,style-response
	rename-api,mix-forms,rename-parameter
	rename-api,prefix-text,rename-parameter,add-option
	rename-api,number-list,prefix-text,rename-parameter,add-option,style-response
	rename-api,mix-forms,prefix-text,rename-parameter,add-option
	rename-api,number-list,rename-parameter,add-option,style-response
	rename-api,mix-forms,rename-parameter,special-characters,add-option,style-response
	rename-api,mix-forms,rename-parameter,add-option,style-response
	rename-api,mix-forms,rename-parameter,add-option
LISTS
# Those that reach the columns of these questions, and faults that pass.
seed=11
for operator in reorder-date quote-field half-answer rate-limit timeout; do
	versions subtle $seed 20 4 $operator
	seed=$((seed + 1))
done
versions add-flag 37 1 20 rename-api,add-flag
versions wrap-response 38 1 20 rename-api,wrap-response
ln -sfn "$here/search" search
find versions -name '*.yaml' | sort | xargs sha256sum >versions.sums

pretrained smollm2
pretrained qwen05 qwen05

# Threads that wait for each other leave the processors to others: on a machine that is shared they had a third of the time.
export OMP_WAIT_POLICY=passive
nice "$proof/proofgrid" -grid "$here/${GRID:-grid}.yaml" -results "$here/results" -dir "$proof" -toolevo "$toolevo" \
	-commit "$(git -C "$repository" rev-parse HEAD)" "${@:3}"
