package export_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/trajectories/export"
	"toolevo/trajectories/internal/synth"
)

// Every value of a manifest that is altered is found by the seal, and what the files tell is found
// without it.
func TestEveryValueOfAManifestIsChecked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")
	wrote(t, dir, synth.Rows(1, 6, 3), export.Options{
		Selection: export.Selection{PerQuestion: 4}, Tokenizer: loadTokenizer(t, "llama3"), Template: "llama3",
	})
	path := filepath.Join(dir, export.ManifestFile)

	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	var all []string
	for name := range leaves(t, whole) {
		all = append(all, name)
		if err := os.WriteFile(path, altered(t, whole, name), 0o644); err != nil {
			t.Fatal(err)
		}

		if report, err := export.Proved(dir, newLinter(t), nil); err != nil || report.OK() {
			t.Errorf("%s was altered, and nothing is found (%v)", name, err)
		}
	}

	if len(all) < 40 {
		t.Errorf("only %d values were altered: %q", len(all), all)
	}

	// A seal of the altered values hides nothing that the files tell.
	for _, name := range []string{
		"format", "rows", "questions", "rows_unconfined", "runs.0.rows", "runs.0.run_id", "runs.0.prompt_api",
		"runs.0.deployed_api",
		"runs.0.makers.0.name", "lengths.total_chars", "lengths.max_chars", "lengths.total_tokens",
		"lengths.max_tokens",
		"selection.split", "selected.rows", "selected.kept", "selected.questions_kept", "selected.dropped.duplicate",
		"selected.dropped.elsewhere", "lint.checked", "lint.dropped", "files.0.name", "files.1.bytes", "files.2.sha256",
	} {
		if err := os.WriteFile(path, sealed(t, altered(t, whole, name)), 0o644); err != nil {
			t.Fatal(err)
		}

		report, err := export.Proved(dir, newLinter(t), nil)
		if err != nil || report.OK() || strings.Contains(strings.Join(report.Problems, "\n"), "seal") {
			t.Errorf("%s was altered and sealed: problems %q (%v)", name, report.Problems, err)
		}
	}

	if err := os.WriteFile(path, sealed(t, whole), 0o644); err != nil {
		t.Fatal(err)
	}

	if report, err := export.Proved(dir, newLinter(t), nil); err != nil || !report.OK() {
		t.Errorf("the same values sealed again: %q (%v)", report.Problems, err)
	}
}

// leaves yields the paths of all values that are not made of others.
func leaves(t *testing.T, text []byte) func(yield func(string) bool) {
	t.Helper()

	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return func(yield func(string) bool) { walk(v, "", yield) }
}

func walk(v any, path string, yield func(string) bool) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if !walk(value, strings.TrimPrefix(path+"."+key, "."), yield) {
				return false
			}
		}

		return true
	case []any:
		for i, value := range v {
			if !walk(value, fmt.Sprintf("%s.%d", path, i), yield) {
				return false
			}
		}

		return true
	}
	return yield(path)
}

// altered returns a manifest with another value at a path.
func altered(t *testing.T, text []byte, path string) []byte {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()

	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}

	at, keys := v, strings.Split(path, ".")
	for i, key := range keys {
		var value any
		var set func(any)

		switch in := at.(type) {
		case map[string]any:
			value, set = in[key], func(v any) { in[key] = v }
		case []any:
			var n int
			fmt.Sscan(key, &n)
			value, set = in[n], func(v any) { in[n] = v }
		}

		if at = value; i < len(keys)-1 {
			continue
		}

		switch value := value.(type) {
		case json.Number:
			set(json.Number("1" + value.String()))
		case string:
			set(value + "x")
		case bool:
			set(!value)
		default:
			t.Fatalf("%s is %v", path, value)
		}
	}

	// In the order of the type's fields, as the program writes it.
	loose, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}

	var m export.Manifest
	if err := json.Unmarshal(loose, &m); err != nil {
		return loose // a value that the type does not take
	}
	return indented(t, m)
}

// sealed returns a manifest under a seal that fits.
func sealed(t *testing.T, text []byte) []byte {
	t.Helper()

	var m export.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}

	m.Seal = ""
	sum := sha256.Sum256(indented(t, m))
	m.Seal = hex.EncodeToString(sum[:])
	return indented(t, m)
}

func indented(t *testing.T, m export.Manifest) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")

	if err := enc.Encode(m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
