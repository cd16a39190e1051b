package confine

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/envs/keeper"
)

// launcherInside is where bubblewrap shows this binary to the program.
const launcherInside = "/.confine"

// bubblewrap returns the beginning of the command line: bubblewrap with its options, and this
// binary as it is seen inside.
//
// Inside there are the files to read and to write, this binary with the libraries it needs, and a
// bare /dev; no /proc, which a container often may not mount, and which no program needs that only
// computes.
func bubblewrap(path string, read, hide, write []string) ([]string, error) {
	found, err := exec.LookPath(path)
	if err != nil {
		return nil, fmt.Errorf("bubblewrap: %w: install it, e.g. with "+
			"`apt-get install bubblewrap`, or choose another engine", err)
	}

	self := helper
	// To bubblewrap, that path would be bubblewrap itself.
	if self == keeper.OwnBinary {
		if self, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("bubblewrap: find this binary: %w", err)
		}
	}

	libraries, err := libraryFolders(self)
	if err != nil {
		return nil, fmt.Errorf("bubblewrap: %w", err)
	}

	args := []string{found, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL",
		"--hostname", "localhost", "--dev", "/dev"}

	// /dev is left out, since bubblewrap makes its own.
	outer := Outermost(slices.Concat(read, libraries), "/dev")
	for _, path := range outer {
		args = append(args, "--ro-bind-try", path, path)
	}

	// A later option covers an earlier one: an empty folder hides what was bound, and what may be
	// read in it is bound again on top.
	for _, folder := range hide {
		if slices.ContainsFunc(outer, func(o string) bool { return Within(folder, o) }) {
			args = append(args, "--tmpfs", folder)
			for _, path := range read {
				if Within(path, folder) {
					args = append(args, "--ro-bind-try", path, path)
				}
			}

			args = append(args, "--remount-ro", folder)
		}
	}

	for _, path := range Outermost(write, "/dev") {
		args = append(args, "--bind-try", path, path)
	}

	// The root is an empty folder in memory, which nobody may fill.
	args = append(args, "--ro-bind", self, launcherInside, "--remount-ro", "/")
	return append(args, "--", launcherInside), nil
}

// CheckBubblewrap says why bubblewrap does not work here, as is common in containers. It starts
// this binary in namespaces of its own, as [Jail.Command] does.
func CheckBubblewrap(ctx context.Context, path string) error {
	args, err := bubblewrap(path, nil, nil, nil)
	if err != nil {
		return fmt.Errorf("confine: %w", err)
	}

	args = append(keeper.Command(helper, 0, args), marker, "")
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env, cmd.Dir, cmd.SysProcAttr = launcherEnvironment, "/", attributes(true)

	said, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("confine: bubblewrap does not work here: %w: %s", err,
			strings.Join(strings.Fields(string(said)), " "))
	}

	return nil
}

// Outermost sorts paths and leaves out those inside another one, or inside one of the folders in
// without.
func Outermost(paths []string, without ...string) []string {
	sorted := make([]string, 0, len(paths))
	for _, path := range paths {
		sorted = append(sorted, filepath.Clean(path))
	}

	slices.Sort(sorted) // a folder comes before what lies in it

	kept := slices.Clone(without)

	for _, path := range sorted {
		if !slices.ContainsFunc(kept, func(folder string) bool { return Within(path, folder) }) {
			kept = append(kept, path)
		}
	}

	return kept[len(without):]
}

// Within reports whether a path is a folder or lies in it.
func Within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// libraryFolders returns where the dynamic linker finds the libraries of a binary, nil if it needs
// none.
func libraryFolders(binary string) ([]string, error) {
	f, err := elf.Open(binary)
	if err != nil {
		return nil, fmt.Errorf("read this binary: %w", err)
	}
	defer f.Close()

	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}

		name := make([]byte, p.Filesz)
		if _, err := p.ReadAt(name, 0); err != nil {
			return nil, fmt.Errorf("read this binary %s: its linker: %w", binary, err)
		}

		linker := filepath.Dir(strings.TrimRight(string(name), "\x00"))
		return []string{linker, "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"}, nil
	}
	return nil, nil
}
