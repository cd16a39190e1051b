#!/usr/bin/env bash
# Runs the commands in the shell blocks of ../ONE-MACHINE.md in a copy of the repository. See
# README.md.
#
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: a command failed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=one-machine
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=llamalib.sh
. "$here/llamalib.sh"
# shellcheck source=qwen.sh
. "$here/qwen.sh"

# Fetched here what the page's server would fetch: if that is skipped, the page would wait for it.
choose_model qwen05
fetch_weights
build_llama

mkdir "$work/copy"
cd "$repository"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$work/copy"
cd "$work/copy"

# With a free port. Findings of doctor do not count as a failure.
{
	echo 'set -ex'
	echo 'trap "kill \$(jobs -p) 2>/dev/null || true" EXIT'
	sed -n '/^```sh$/,/^```$/{/^```/d;p}' mcts/policy/ONE-MACHINE.md |
		sed "s/\\b8080\\b/$(free_port)/; /^bin\\/toolevo doctor/s/\$/ || [ \$? = 1 ]/"
} >"$work/commands"
grep -q '^bin/toolevo export' "$work/commands" || fail "the page has no commands"
timeout 2h bash "$work/commands" || fail "a command of the page failed (see above)"
echo "one-machine: everything held, in $SECONDS s"
