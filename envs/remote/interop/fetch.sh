#!/usr/bin/env bash
# Prints the folder with the npm packages of packages.txt, which are fetched once into the cache. Servers among them are
# installed in its folder servers, with what they need and without their scripts; nothing else is unpacked, or run.
#
# Exit 0: the last line is the folder, or begins with "SKIPPED: " when a package is not to be had here. Exit 1: a
# package is not the one of packages.txt.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/toolevo/npm

# Without what servers need their tests are skipped, and those of documents are not.
without() { echo "fetch: no server $*" >&2; }

skip() {
	echo "SKIPPED: $*"
	exit 0
}

hash() { echo "sha512-$(openssl dgst -sha512 -binary "$1" | openssl base64 -A)"; }

command -v openssl >/dev/null || skip "openssl is not on the PATH"
mkdir -p "$folder" || skip "the cache folder $folder cannot be made"

while read -r name version want kind; do
	case $name in '' | '#'*) continue ;; esac
	# As npm calls it.
	file=${name#@}
	file=${file//\//-}-$version.tgz
	if [ ! -f "$folder/$file" ]; then
		command -v npm >/dev/null || skip "npm is not on the PATH, and $name is not in $folder"
		work=$(mktemp -d "$folder/new.XXXXXX")
		trap 'rm -rf "$work"' EXIT
		npm pack "$name@$version" --ignore-scripts --silent --pack-destination "$work" >&2 ||
			skip "$name $version could not be fetched (see above)"
		mv "$work/$file" "$folder/$file"
		rm -rf "$work"
	fi
	[ "$(hash "$folder/$file")" = "$want" ] || {
		echo "fetch: $folder/$file has another hash than in packages.txt: remove it" >&2
		exit 1
	}
	servers=$folder/servers/${file%.tgz}
	if [ "$kind" = server ] && [ ! -d "$servers" ]; then
		command -v node >/dev/null && command -v npm >/dev/null || {
			without "$name $version: node and npm are not on the PATH"
			continue
		}
		work=$(mktemp -d "$folder/new.XXXXXX")
		trap 'rm -rf "$work"' EXIT
		npm install --prefix "$work" --ignore-scripts --no-audit --no-fund --silent "$folder/$file" >&2 || {
			without "$name $version: what it needs could not be fetched (see above)"
			rm -rf "$work"
			continue
		}
		mkdir -p "$folder/servers"
		mv "$work" "$servers"
	fi
done <"$here/packages.txt"
echo "$folder"
