#!/usr/bin/env bash
# Prints the path of a prometheus: the one on the PATH, or that of the Debian package, which is
# unpacked into a folder of the cache. Nothing is installed and no service is started.
#
# Exit 0: the last line is the path, or begins with "SKIPPED: " if none can be had here.
set -euo pipefail

folder=${XDG_CACHE_HOME:-$HOME/.cache}/toolevo/prometheus
program=$folder/usr/bin/prometheus

skip() {
	echo "SKIPPED: $*"
	exit 0
}

runs() { "$1" --version >/dev/null 2>&1; }

if found=$(command -v prometheus) || { found=$program && runs "$found"; }; then
	echo "$found"
	exit 0
fi
command -v apt-get >/dev/null || skip "prometheus is not on the PATH, and there is no apt-get to fetch the Debian package"
mkdir -p "$folder"
work=$(mktemp -d "$folder/new.XXXXXX")
trap 'rm -rf "$work"' EXIT
# apt-get becomes the user _apt if it can, who has to read the folder.
chmod 755 "$work"
for try in 1 2 3; do
	(cd "$work" && apt-get download -qq prometheus >&2) && break
	echo "fetch: attempt $try of 3 failed: apt-get download prometheus" >&2
	[ "$try" = 3 ] && skip "the Debian package prometheus could not be downloaded (see above; is apt-get update needed?)"
	sleep $((try * 5))
done
dpkg-deb -x "$work"/prometheus_*.deb "$folder"
runs "$program" || skip "the prometheus of the Debian package does not run here"
echo "$program"
