package disk

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestUnseal flips each bit of a sealed file, and cuts it everywhere.
func TestUnseal(t *testing.T) {
	t.Parallel()

	for _, text := range []string{"", "some text\nof two lines\n"} {
		path := filepath.Join(t.TempDir(), "file")
		if err := WriteSealed(path, []byte(text)); err != nil {
			t.Fatal(err)
		}

		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		if got, err := Unseal(file); err != nil || string(got) != text {
			t.Errorf("%q, %v, want %q", got, err, text)
		}

		for i := range 8 * len(file) {
			changed := bytes.Clone(file)
			changed[i/8] ^= 1 << (i % 8)

			if got, err := Unseal(changed); !errors.Is(err, ErrDamaged) {
				t.Errorf("bit %d flipped: %q, %v", i, got, err)
			}

			if got, err := Unseal(file[:i/8]); !errors.Is(err, ErrDamaged) {
				t.Errorf("cut at %d: %q, %v", i/8, got, err)
			}
		}
	}
}
