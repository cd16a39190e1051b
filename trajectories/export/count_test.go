package export_test

import (
	"os"
	"path/filepath"
	"testing"

	"toolevo/trajectories/export"
)

func TestCountSamples(t *testing.T) {
	dir := t.TempDir()

	for _, c := range []struct {
		name, text string
		want       int // -1 is an error
	}{
		{"lines.jsonl", "{\"a\": 1}\n\n{\"a\": 2}\n", 2},
		{"lines.json", "{\"a\": 1}\n{\"a\": 2}", 2},
		{"list.json", " [{\"a\": [1, 2]}, {}, {}] ", 3},
		{"none.json", "[]", 0},
		{"empty.jsonl", "", 0},
		{"half.json", `["\ud83d"]`, 1}, // trainers read it
		{"damaged.json", "[{}, {", -1},
		{"cut.json", "[{}, {}", -1},
		{"opened.json", "[", -1},
		{"damaged.jsonl", "{}\n{", -1},
		{"none.parquet", "PAR1", -1},
		{"rows.csv", "a,b\n", -1},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}

		if n, err := export.CountSamples(path); (err != nil) != (c.want < 0) || err == nil && n != c.want {
			t.Errorf("%s: %d, %v, want %d", c.name, n, err, c.want)
		}
	}
}
