package importer

import (
	"errors"
	"os"
	"strings"
	"testing"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/internal/layout"
)

// TestImportReplacesDamage imports again what was damaged.
func TestImportReplacesDamage(t *testing.T) {
	dir := t.TempDir()

	first, err := Import(t.Context(), dir, toolqa.DBLP, pickles, Options{})
	if err != nil {
		t.Fatal(err)
	}

	path := layout.Path(dir, toolqa.DBLP)

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	const block, footer = 1 << 20, 32
	hashes := (len(content)+block-1)/block*8 + footer

	for name, cut := range map[string]int{"without hashes": hashes, "cut": 1} {
		if err := errors.Join(os.Chmod(path, 0o644),
			os.WriteFile(path, content[:len(content)-cut], 0o644)); err != nil {
			t.Fatal(err)
		}

		if _, err := corpus.Open(t.Context(), dir, toolqa.DBLP); err == nil ||
			!strings.Contains(err.Error(), "the hashes of its blocks are missing") {
			t.Errorf("%s: error %v, want one that says what may be wrong", name, err)
		}

		again, err := Import(t.Context(), dir, toolqa.DBLP, pickles, Options{})
		if err != nil || again.Unchanged || again.Info != first.Info {
			t.Errorf("%s: imported again: %+v, %v", name, again, err)
		}

		if got, _ := os.ReadFile(path); string(got) != string(content) {
			t.Errorf("%s: imported again, the file is another one", name)
		}
	}
}
