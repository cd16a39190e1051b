package toolapi_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolevo/envs/toolapi"
)

// What Encode writes reads as what was written.
func TestEncode(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shipped, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}

	texts := []string{typedBase, typedNext, `
version: odd
apis:
  - name: Odd
    parameters: ["true", "", " a: b", "#", "'", "[x]"]
    loose: true
    description: "Two\nlines, and \u2028 \u0007: é 'q' \"p\" {{.X}}"
    adapters:
      - ignored: {parameter: a, value: 3.5}
      - prefix: {parameter: b, text: "It's: ", trim: true, join: " \n"}
    notice: {example: '{"a": "it''s", "b": 1e9}', published: {example: ""}}
`}

	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		texts = append(texts, string(text))
	}

	unexported := cmp.Options{
		cmpopts.IgnoreUnexported(toolapi.Spec{}), cmp.AllowUnexported(toolapi.Parameters{}),
	}

	for _, text := range texts {
		want, err := toolapi.Parse(toolapi.File{Path: "before", Text: text})
		if err != nil {
			t.Fatal(err)
		}

		written, err := want.Encode()
		if err != nil {
			t.Fatal(err)
		}

		got, err := toolapi.Parse(toolapi.File{Path: "after", Text: string(written)})
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}

		if diff := cmp.Diff(want, got, unexported); diff != "" {
			t.Errorf("%s\n%s", diff, written)
		}
	}
}
