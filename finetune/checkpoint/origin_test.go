package checkpoint_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune/checkpoint"
	"toolevo/trajectories/export"
)

// A checkpoint that was trained from another of ours knows what that was trained on.
func TestOriginOfTheBase(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	m := &export.Manifest{
		Seal: "5ea1", Format: export.DPO, Rows: 3, Questions: 2,
		Runs: []export.ManifestRun{{RunID: "r", Policy: "openai:m", DeployedAPI: "p_s_in", Rows: 3}},
	}

	one := &checkpoint.Origin{
		Version: checkpoint.OriginVersion,
		Recipe:  "sft",
		Sources: []checkpoint.Source{{Name: "dpo", Rows: 3, Trained: 3, Export: checkpoint.ExportOf(m)}},
		Base:    checkpoint.Base{Model: "hub/model"},
	}
	if err := one.Write(first); err != nil {
		t.Fatal(err)
	}

	base, err := checkpoint.BaseOf(first)
	if err != nil {
		t.Fatal(err)
	}

	two := &checkpoint.Origin{Version: checkpoint.OriginVersion, Recipe: "dpo", Step: 7, Adapter: true, Base: base}
	if err := two.Write(second); err != nil {
		t.Fatal(err)
	}

	got, err := checkpoint.Read(second)
	if err != nil {
		t.Fatal(err)
	}

	if d := cmp.Diff(two, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	if d := cmp.Diff(one, got.Base.Origin); d != "" {
		t.Errorf("the base: -want +got:\n%s", d)
	}
}

func TestModelsOfOthersHaveNoOrigin(t *testing.T) {
	dir := t.TempDir()
	if base, err := checkpoint.BaseOf(dir); err != nil || base.Origin != nil {
		t.Errorf("%+v, %v", base, err)
	}

	if _, err := checkpoint.Read(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{"{": checkpoint.File, `{"origin_version": 9}`: "in format 9"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, checkpoint.File), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}

		if _, err := checkpoint.BaseOf(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}
