package export_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"toolevo/trajectories/export"
	"toolevo/trajectories/internal/synth"
)

// Every bit of an export that flips is noticed: the checksums and the seal leave none out.
func TestFlippedBitsAreNoticed(t *testing.T) {
	t.Parallel()

	rng := rand.New(rand.NewPCG(35, 100))

	for format, trainer := range map[export.Format]export.Trainer{
		export.SFTTrajectory: export.LlamaFactory, export.DPO: export.TRL, export.Tree: export.TRL,
		export.ATIFFiles: "",
	} {
		dir := filepath.Join(t.TempDir(), "export")
		opt := export.Options{Format: format, Trainer: trainer, Shown: synth.Shown}

		if format.IsDocuments() {
			dir, _ = documents(t, smallRows(false), none, opt)
		} else {
			wrote(t, dir, smallRows(format.NeedsFailures()), opt)
		}

		for range 100 {
			where, undo := flip(t, rng, dir)
			if report, err := export.Lint(dir, newLinter(t), nil); err == nil && report.OK() {
				t.Errorf("%s: nobody notices the change of %s", format, where)
			}

			undo()
		}

		lintsWell(t, dir)
	}
}

// flip changes one bit of one of the files below a folder, until undo is called. Each bit is as
// likely as the others.
func flip(t *testing.T, rng *rand.Rand, dir string) (where string, undo func()) {
	t.Helper()

	bits, path, whole := 0, "", []byte(nil)

	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}

		text, err := os.ReadFile(name)
		if bits += 8 * len(text); len(text) > 0 && rng.IntN(bits) < 8*len(text) {
			path, whole = name, text
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	write := func(text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bit := rng.IntN(8 * len(whole))
	changed := append([]byte(nil), whole...)
	changed[bit/8] ^= 1 << (bit % 8)
	write(changed)

	return path, func() { write(whole) }
}
