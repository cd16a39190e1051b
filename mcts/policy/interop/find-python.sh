# Sourced by scripts that make virtual environments.
# shellcheck shell=bash

# find_python [MINOR]: prints the path of a Python that can make an environment and runs the pinned
# packages, 3.11 (or 3.MINOR) or newer: one on the PATH, or else one installed by pyenv.
find_python() {
	local candidate oldest=${1:-11}
	for candidate in python3.11 python3.12 python3.13 python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[123].*/bin/python3; do
		if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(not (3, int(sys.argv[1])) <= sys.version_info < (3, 14))' "$oldest" 2>/dev/null; then
			command -v "$candidate"
			return
		fi
	done
	return 1
}
