#!/usr/bin/env bash
# Builds the last commit's release twice, in two folders, and compares; has the wheel and the archive run
# the demo; and has arm64, under qemu, check and continue what amd64 began. `make test-dist` calls it.
set -euo pipefail
here=$(git rev-parse --show-toplevel)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
processors=amd64
if [ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
	skip="arm64 programs cannot be run: apt-get install qemu-user-static, and binfmt_misc has to know it"
elif ! command -v aarch64-linux-gnu-gcc >/dev/null; then
	skip="no cross compiler: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
else
	processors=amd64,arm64
fi

for one in first second; do
	git clone -q --shared "$here" "$work/$one"
	(cd "$work/$one" && go run ./cmd/internal/dist -out "$work/$one-out" -arch $processors)
done
diff -r "$work/first-out" "$work/second-out"
echo "two builds in two folders are byte-equal"
(cd "$work/first-out" && sha256sum -c SHA256SUMS && ls -l)

python3 -m venv --system-site-packages "$work/venv"
"$work/venv/bin/pip" install -q --no-index "$work"/first-out/toolevo-*x86_64.whl
[ "$(stat -c %s "$work"/first-out/toolevo-*x86_64.whl)" -lt 30000000 ]
PATH="$work/venv/bin:$PATH" toolevo demo --out "$work/demo" >/dev/null
echo "the wheel is installed, and its demo ends"

mkdir "$work/amd64" && tar xzf "$work"/first-out/toolevo-*-amd64.tar.gz -C "$work/amd64" --strip-components 1
amd64=$work/amd64/toolevo
"$amd64" demo --out "$work/demo2" >/dev/null
! ldd "$amd64" >/dev/null 2>&1 || exit 1 # it succeeds only for a dynamic one
echo "the archive's program is static, and its demo ends"

if [ $processors = amd64 ]; then
	echo "SKIPPED: arm64: $skip"
	exit 0
fi

mkdir "$work/arm64" && tar xzf "$work"/first-out/toolevo-*-arm64.tar.gz -C "$work/arm64" --strip-components 1
arm64=$work/arm64/toolevo
GOARCH=arm64 CGO_ENABLED=0 go test -vet=off ./envs/exact
"$amd64" data build --data "$work/amd64-data" 2>/dev/null
"$arm64" data build --data "$work/arm64-data" 2>/dev/null
diff -r "$work/amd64-data" "$work/arm64-data"
echo "both build the same data"

# No engine has its walls under qemu.
run=(collect --data "$work/demo/data" --limit 30 --set python.engine=unsafe)
"$amd64" "${run[@]}" --out "$work/whole" >/dev/null 2>&1
"$arm64" check "$work/whole" --data "$work/demo/data"
timeout -s KILL 2 "$amd64" "${run[@]}" --out "$work/here" >/dev/null 2>&1 || echo "killed"
cp -r "$work/here" "$work/there"
"$amd64" "${run[@]}" --out "$work/here" --resume >/dev/null 2>&1
"$arm64" "${run[@]}" --out "$work/there" --resume 2>&1 | tail -n 3
cmp "$work"/{here,there}/trajectories.parquet
echo "arm64 finds no problem in a run of amd64, and ends one of it with the same bytes"
