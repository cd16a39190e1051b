package export_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/trajectories/export"
)

// rewriteCards prints the name of each card that huggingface_hub writes otherwise than it has read
// it.
const rewriteCards = `
import sys
from huggingface_hub import DatasetCard, DatasetCardData
for path in sys.argv[1:]:
    text = open(path).read()
    card = DatasetCard(text)
    head = text.split("\n---\n")[0].removeprefix("---\n")
    if str(card) != text or DatasetCardData(**card.data.to_dict()).to_yaml() != head:
        print(path, str(card)[:800])
`

// Where somebody fills in a licence by the Hub's own library, nothing else of the head of a card
// changes.
func TestHubWritesTheCardAsItIs(t *testing.T) {
	t.Parallel()

	python := os.Getenv("TOOLEVO_INTEROP_PYTHON")
	if python == "" {
		python = "python3"
	}

	if exec.Command(python, "-c", "import huggingface_hub").Run() != nil {
		t.Skip("no python with huggingface_hub: TOOLEVO_INTEROP_PYTHON names none")
	}

	args := []string{"-c", rewriteCards}

	for _, f := range export.FormatsThat(export.Format.IsTrained) {
		if !f.IsExported() {
			continue
		}

		for _, trainer := range export.Trainers() {
			dir := filepath.Join(t.TempDir(), "export")
			wrote(t, dir, manyRows(6, true, act), export.Options{
				Format: f, Trainer: trainer, Selection: export.Selection{Dev: 0.3},
			})
			args = append(args, filepath.Join(dir, "README.md"))
		}
	}

	if out, err := exec.Command(python, args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// A home folder in samples is noted with the file and its first line, and how many lines have one;
// what it is is not repeated.
func TestPrivateTextsOfAnExport(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "export")
	rows := manyRows(6, false, func(path string) string { return "act /home/ada/" + path })
	m := wrote(t, dir, rows, export.Options{})
	file := export.DefaultFormat.Dataset() + ".jsonl"
	n := strings.Count(string(contents(t, filepath.Join(dir, file))), "\n")

	want := []export.Private{{Is: "a home folder", File: file, Line: 1, Lines: n}}
	if diff := cmp.Diff(want, m.Private); diff != "" || n == 0 {
		t.Error(diff)
	}

	if strings.Contains(string(contents(t, filepath.Join(dir, export.ManifestFile))), "ada") {
		t.Error("the manifest repeats the name")
	}
}
