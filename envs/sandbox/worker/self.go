package worker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"toolevo/envs/sandbox/confine"
)

// ownBinary leads to this process's binary even after the file was replaced or removed, e.g. by a
// new build.
const ownBinary = "/proc/self/exe"

// marker begins the argument that names what a child serves.
const marker = "__serve-"

func init() { confine.Main() } // a child is a launcher first

// Serve makes this process the child with that name, if it was started as one, and does not return
// then. A package calls it when it is initialised, so that every program with the package can be
// its child, tests included.
func Serve(name string, serve func(in io.Reader, out io.Writer) error) {
	if len(os.Args) != 2 || os.Args[1] != marker+name {
		return
	}

	// The goroutine that initialises packages is locked to its thread, which makes switching to it
	// expensive.
	served := make(chan error)
	go func() { served <- serve(bufio.NewReader(newPipe(os.Stdin)), os.Stdout) }()

	if err := <-served; err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}

	os.Exit(0)
}

// StartSelf starts this program as the child with that name and a scratch folder. It may read the
// given files, and can write only in its folder. Walls that the machine does not offer are left
// out.
func StartSelf(name string, read []string) (*Child, error) {
	scratch, err := newScratch(temporary())
	if err != nil {
		return nil, err
	}

	cmd, err := command(name, read, scratch.Path)
	if err != nil {
		scratch.remove()
		return nil, err
	}

	c, err := Start(cmd, scratch)
	if err != nil {
		scratch.remove()
		return nil, err
	}

	return c, nil
}

// temporary returns the folder for temporary files: the first existing one of those SQLite takes.
func temporary() string {
	for _, path := range []string{os.Getenv("SQLITE_TMPDIR"), os.Getenv("TMPDIR"), "/var/tmp"} {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path
		}
	}

	return os.TempDir()
}

// command returns the command that starts this program as the child with that name.
func command(name string, read []string, scratch string) (*exec.Cmd, error) {
	// It starts in two thirds of the time if less garbage is collected while packages initialise.
	env := []string{"GOGC=400", "SQLITE_TMPDIR=" + scratch, "TMPDIR=" + scratch}

	without := slices.Sorted(maps.Keys(confine.Probe()))
	if len(without) == len(confine.Walls()) {
		path, err := os.Executable()
		cmd := exec.CommandContext(context.Background(), path, marker+name)
		cmd.Env = env
		return cmd, err
	}

	libraries, err := Libraries()
	if err != nil {
		return nil, fmt.Errorf("worker: find this program's libraries: %w", err)
	}
	return confine.Jail{
		Path:    ownBinary,
		Args:    []string{marker + name},
		Env:     env,
		Read:    slices.Concat(libraries, read),
		Write:   []string{"/dev/null"},
		Scratch: scratch,
		Without: without,
	}.Command(context.Background())
}

// Libraries returns the files that this binary needs beside itself: the dynamic linker and its
// libraries. There are none if it is linked statically.
func Libraries() ([]string, error) {
	mappings, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil, err
	}

	seen := make(map[string]bool)
	files := []string{"/etc/ld.so.cache"}

	lines := bufio.NewScanner(bytes.NewReader(mappings))
	for lines.Scan() {
		// Addresses, permissions, offset, device, inode, and, of a file, its path.
		_, path, ok := strings.Cut(lines.Text(), "/")

		path = "/" + path
		if !ok || seen[path] || !strings.Contains(path, ".so") {
			continue
		}

		seen[path] = true
		files = append(files, path)
	}
	return files, lines.Err()
}
