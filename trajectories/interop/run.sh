#!/usr/bin/env bash
# Proves an export and a trajectories file against the programs they are for. See README.md.
#
#   run.sh                                          on a small synthetic export it makes itself
#   run.sh EXPORT_DIR TRAJECTORIES.parquet [EPISODES.parquet] [TOKENIZER.json]   on yours
#
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong. Exit 2: usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
need_gb=12 # to build the environment: it takes 7 GB, and 3 GB of downloads while it is made

skip() {
	echo "SKIPPED: $*"
	exit 0
}

fail() {
	echo "interop: $*" >&2
	exit 1
}

find_python() {
	local candidate
	for candidate in python3.11 python3.12 python3.13 python3; do
		if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
			command -v "$candidate"
			return
		fi
	done
	return 1
}

# build_env DIR: makes the virtual environment, or leaves none.
build_env() {
	local env=$1 try
	rm -rf "$env"
	"$python" -m venv "$env" || skip "python -m venv failed"
	mkdir -p "$env/tmp"
	for try in 1 2 3; do
		if TMPDIR="$env/tmp" "$env/bin/python" -m pip install --quiet --disable-pip-version-check --retries 5 --timeout 60 \
			--cache-dir "$env/pip-cache" -r "$here/requirements.txt" -c "$here/constraints.txt"; then
			rm -rf "$env/pip-cache" "$env/tmp"
			touch "$env/complete"
			return
		fi
		echo "interop: installing the Python packages failed, attempt $try of 3" >&2
		sleep $((try * 5))
	done
	rm -rf "$env"
	skip "the Python packages of requirements.txt could not be installed (see above)"
}

case $# in
0) ;;
2 | 3 | 4)
	[ -d "$1" ] || { echo "run.sh: $1 is not a folder" >&2; exit 2; }
	[ -f "$2" ] || { echo "run.sh: $2 is not a file" >&2; exit 2; }
	;;
*)
	sed -n '2,7p' "${BASH_SOURCE[0]}" >&2
	exit 2
	;;
esac

python=$(find_python) || skip "no Python 3.11 to 3.13 with venv on the PATH"
command -v flock >/dev/null || skip "no flock on the PATH"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/toolevo
pins=$({ cat "$here/requirements.txt" "$here/constraints.txt"; "$python" -c 'import sys; print(sys.version_info[:2])'; } | sha256sum | cut -c1-12)
env=$cache/interop-$pins
mkdir -p "$cache" || skip "the cache folder $cache cannot be made"

exec 9>"$env.lock"
flock 9
if [ ! -e "$env/complete" ]; then
	rm -rf "$env" # what an interrupted build left
	free_gb=$(($(df -Pk "$cache" | awk 'NR == 2 { print $4 }') / 1024 / 1024))
	[ "$free_gb" -ge "$need_gb" ] || skip "$cache has $free_gb GB free, building the Python environment needs $need_gb GB"
	echo "interop: building the Python environment in $env (some minutes, 7 GB)" >&2
	build_env "$env"
fi
flock -u 9

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ $# -eq 0 ]; then
	(cd "$here/../.." && go run ./trajectories/interop/sample "$work/sample") || fail "the sample could not be written"
	set -- "$work/sample/export" "$work/sample/trajectories.parquet" "$here/../internal/bpe/testdata/llama3.json"
fi

export_dir=$1 trajectories=$2 episodes='' tokenizer=''
for extra in "${@:3}"; do
	case $extra in
	*.parquet) episodes=$extra ;;
	*) tokenizer=$extra ;;
	esac
done

# Nothing is looked up and nothing is cached outside the work folder: a stale cache would prove an older file.
export HF_HOME=$work/hf HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 CUDA_VISIBLE_DEVICES= TOKENIZERS_PARALLELISM=false \
	PYTHONDONTWRITEBYTECODE=1 HF_DATASETS_DISABLE_PROGRESS_BARS=1

"$env/bin/python" "$here/readers.py" "$export_dir" "$trajectories" ${episodes:+"$episodes"} || fail "a reader disagrees (see above)"
"$env/bin/python" "$here/train.py" "$export_dir" "$work" ${tokenizer:+--tokenizer "$tokenizer"} || fail "LLaMA-Factory disagrees (see above)"
echo "interop: everything held"
