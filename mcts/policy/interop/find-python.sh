# Sourced by scripts that make virtual environments.
# shellcheck shell=bash

# find_python: prints the path of a Python that can make an environment and that the pinned packages run on.
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
