// Command dist writes what a release consists of: for each processor a static binary in an archive
// with the licences of what is linked and a list of it (CycloneDX), a wheel for pip, and checksums.
// Two runs on one commit, Go and C compiler write the same bytes. `make dist` calls it.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	toolevo "toolevo/cmd/internal/app"
)

// sbom is the tool that lists modules, at a version that was tried.
const sbom = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"

// target is a processor that a release is built for.
type target struct {
	arch      string   // as Go names it
	compiler  string   // of C
	flags     []string // of go build
	platforms string   // as a wheel names it: a static binary runs with any C library
	copyright string   // where Debian has the licence of the C library that is linked
}

var targets = []target{
	{
		"amd64", "gcc", nil, "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64",
		"/usr/share/doc/libc6-dev/copyright",
	},
	// Multiplying and adding in one step, as arm64 can, rounds once where amd64 rounds twice.
	// Without it both compute the same bits, in the libraries and SQLite as well.
	{
		"arm64", "aarch64-linux-gnu-gcc", []string{"-gcflags=all=-d=fmahash=qn"},
		"manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64",
		"/usr/share/doc/libc6-dev-arm64-cross/copyright",
	},
}

const tags = "netgo,osusergo,sqlite_omit_load_extension"

func main() {
	log.SetFlags(0)
	out := flag.String("out", "dist", "write into the folder `DIR`")
	arch := flag.String("arch", "amd64,arm64", "build for these `PROCESSORS`")
	flag.Parse()

	if err := release(*out, strings.Split(*arch, ",")); err != nil {
		log.Fatal("dist: ", err)
	}
}

// release writes all files of the processors into a folder.
func release(out string, arches []string) error {
	work, err := os.MkdirTemp("", "toolevo-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)

	out, err = filepath.Abs(out)
	if err != nil {
		return err
	}

	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}

	// The tool runs on this machine, whichever processor is built for.
	if err := run([]string{"GOBIN=" + work}, "go", "install", sbom); err != nil {
		return err
	}

	for _, t := range targets {
		if !slices.Contains(arches, t.arch) {
			continue
		}

		if err := t.release(out, work); err != nil {
			return fmt.Errorf("%s: %w", t.arch, err)
		}
	}

	// The sums cover the files of all processors, so they come last.
	return checksums(out)
}

// release builds one processor's binary, and packs it.
func (t target) release(out, work string) error {
	binary, list := filepath.Join(work, "toolevo-"+t.arch), filepath.Join(work, "sbom-"+t.arch)

	build := slices.Concat([]string{"build", "-buildvcs=auto", "-trimpath", "-tags", tags}, t.flags, []string{
		"-ldflags", `-s -w -linkmode external -extldflags "-static"`, "-o", binary, "./cmd/toolevo",
	})
	if err := run(t.environment(), "go", build...); err != nil {
		return err
	}

	// No serial number and no time, which would differ between two builds of a commit.
	tool := filepath.Join(work, "cyclonedx-gomod")
	if err := run(nil, tool, "bin", "-json", "-std", "-noserial", "-notimestamp", "-version", toolevo.Version,
		"-output", list, binary); err != nil {
		return err
	}

	program, err := os.ReadFile(binary)
	if err != nil {
		return err
	}

	components, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	return t.pack(out, program, components)
}

// pack writes the archive of a program, the list of what is linked into it, and the wheel.
func (t target) pack(out string, program, components []byte) error {
	name := fmt.Sprintf("toolevo-%s-linux-%s", toolevo.Version, t.arch)

	licences, err := t.licences()
	if err != nil {
		return err
	}

	files := append([]file{
		{"toolevo", 0o755, program}, {"toolevo.cdx.json", 0o644, components},
	}, licences...)
	if err := write(filepath.Join(out, name+".tar.gz"), func(f *os.File) error {
		return archive(f, name, files)
	}); err != nil {
		return err
	}

	if err := os.WriteFile(filepath.Join(out, name+".cdx.json"), components, 0o666); err != nil {
		return err
	}

	w := wheel{toolevo.Version, t.platforms}
	return write(filepath.Join(out, w.name()), func(f *os.File) error { return w.write(f, program, licences) })
}

func (t target) environment() []string {
	return []string{
		"CGO_ENABLED=1", "GOOS=linux", "GOARCH=" + t.arch, "CC=" + t.compiler,
		"CGO_CFLAGS=-g -O2 -ffp-contract=off",
	}
}

// write makes a file, or leaves none.
func write(path string, content func(*os.File) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}

	if err := content(f); err != nil {
		f.Close()
		os.Remove(path)
		return err
	}
	return f.Close()
}

// checksums writes the SHA-256 of every file of a folder, as sha256sum -c reads them.
func checksums(dir string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "toolevo-*"))
	if err != nil {
		return err
	}

	var lines strings.Builder
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}

		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(data), filepath.Base(path))
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(lines.String()), 0o666)
}

func run(environment []string, program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stderr = os.Stderr

	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", program, args[0], err)
	}
	return nil
}
