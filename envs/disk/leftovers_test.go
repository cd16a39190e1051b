package disk

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestLeftovers keeps what is being written, and what is not called like it.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()

	writing, err := CreateTemp(dir, ".making-*")
	if err != nil {
		t.Fatal(err)
	}

	folder, err := MkdirTemp(dir, ".making-")
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{".making-", ".making-x1", "other", ".making-12"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	if err := os.MkdirAll(filepath.Join(dir, ".making-"+onHost()+"34", "below"),
		0o755); err != nil {
		t.Fatal(err)
	}

	left := func() []string {
		t.Helper()

		if err := RemoveLeftovers(dir, ".making-", ""); err != nil {
			t.Fatal(err)
		}
		var names []string

		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}

		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	others := []string{".making-", ".making-x1", "other"}
	busy := append([]string{filepath.Base(writing.Name()), filepath.Base(folder.Name())}, others...)
	slices.Sort(busy)

	if got := left(); !slices.Equal(got, busy) {
		t.Errorf("left %v, want %v", got, busy)
	}

	if err := errors.Join(writing.Close(), folder.Close()); err != nil {
		t.Fatal(err)
	}

	if got := left(); !slices.Equal(got, others) {
		t.Errorf("when nobody writes: left %v, want %v", got, others)
	}

	if err := RemoveLeftovers(filepath.Join(dir, "none"), "", ""); err != nil {
		t.Errorf("without a folder: %v", err)
	}
}

// TestLeftoversOfHosts keeps the folders of other machines, which use the same one for temporary
// files: no lock of theirs can be seen here.
func TestLeftoversOfHosts(t *testing.T) {
	on := func(host string) { hostname = func() (string, error) { return host, nil } }
	t.Cleanup(func() { hostname = os.Hostname })

	dir := t.TempDir()
	hosts := []string{"node", "node-1", "no*de/", ""}

	for _, host := range hosts {
		on(host)

		left, err := MkdirTemp(dir, "toolevo-")
		if err != nil {
			t.Fatal(err)
		}

		if err := left.Close(); err != nil {
			t.Fatal(err)
		}
	}

	// Of a program that named no host.
	if err := os.Mkdir(filepath.Join(dir, "toolevo-12"), 0o755); err != nil {
		t.Fatal(err)
	}

	for _, tt := range []struct {
		host string
		left int
	}{{"other", 5}, {"node-1", 4}, {"node", 2}, {"", 1}} { // the third was cleaned to the first
		on(tt.host)

		if err := RemoveLeftovers(dir, "toolevo-", ""); err != nil {
			t.Fatal(err)
		}

		if left, err := os.ReadDir(dir); err != nil || len(left) != tt.left {
			t.Errorf("on %q: left %v, %v, want %d folders", tt.host, left, err, tt.left)
		}
	}
}
