# Builds virtual environments of Python, each once. Sourced by scripts that have skip, a function that ends them, and
# cache, the folder where environments are kept.
# shellcheck shell=bash

need_gb=${need_gb:-12} # to build an environment: it takes 7 GB, and 3 GB of downloads while it is made

# shellcheck source=../../mcts/policy/interop/find-python.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../mcts/policy/interop/find-python.sh"

# pinned NAME PINS requirements|constraints: prints what the environment is made of. PINS is a folder of two such files, or
# a file of several environments, pins.txt.
pinned() {
	if [ -d "$2" ]; then
		cat "$2/$3.txt"
		return
	fi
	awk -v name="$1" -v wanted="$3" '
		/^# environment / { here = $3 == name; part = "requirements"; next }
		!here || /^#/ { next }
		/^$/ { part = "constraints"; next }
		{
			split($1, pin, "==")
			if (pin[2]) version[pin[1]] = pin[2]
			if (part == wanted) print pin[1] "==" version[pin[1]]
		}' "$2"
}

# build_env NAME DIR PINS: makes the virtual environment, or leaves none.
build_env() {
	local env=$2 pins=$3 try
	rm -rf "$env"
	"$python" -m venv "$env" || skip "python -m venv failed"
	mkdir -p "$env/tmp"
	pinned "$1" "$pins" requirements >"$env/requirements.txt"
	pinned "$1" "$pins" constraints >"$env/constraints.txt"
	for try in 1 2 3; do
		if TMPDIR="$env/tmp" "$env/bin/python" -m pip install --quiet --disable-pip-version-check --retries 5 --timeout 60 \
			--cache-dir "$env/pip-cache" -r "$env/requirements.txt" -c "$env/constraints.txt"; then
			rm -rf "$env/pip-cache" "$env/tmp"
			touch "$env/complete"
			return
		fi
		echo "python: installing the Python packages failed, attempt $try of 3" >&2
		sleep $((try * 5))
	done
	rm -rf "$env"
	skip "the Python packages of $pins could not be installed (see above)"
}

# environment NAME PINS: sets environment to the folder of the virtual environment of the pins, and makes it if need be.
environment() {
	local pins=$2 hash env free_gb
	hash=$({ pinned "$1" "$pins" requirements; pinned "$1" "$pins" constraints; "$python" -c 'import sys; print(sys.version_info[:2])'; } | sha256sum | cut -c1-12)
	env=$cache/$1-$hash
	exec 9>"$env.lock"
	flock 9
	if [ ! -e "$env/complete" ]; then
		rm -rf "$env" # what an interrupted build left
		free_gb=$(($(df -Pk "$cache" | awk 'NR == 2 { print $4 }') / 1024 / 1024))
		[ "$free_gb" -ge "$need_gb" ] || skip "$cache has $free_gb GB free, building the Python environment needs $need_gb GB"
		echo "python: building the Python environment in $env (up to some minutes)" >&2
		build_env "$1" "$env" "$pins"
	fi
	flock -u 9
	environment=$env
}

python=$(find_python) || skip "no Python 3.11 to 3.13 with venv on the PATH"
command -v flock >/dev/null || skip "no flock on the PATH"
