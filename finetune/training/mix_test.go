package training_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune/training"
	"toolevo/trajectories/export"
)

// write writes files into a folder of the test.
func write(t *testing.T, files map[string]string) (dir string) {
	t.Helper()

	dir = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	return dir
}

// infoOf is the dataset_info.json of the export of [manifest], as far as file names go.
const infoOf = `{"toolevo_sft": {"file_name": "a.parquet"}, "toolevo_sft_dev": {"file_name": "dev.parquet"}}`

// parts writes two exports of 100 and 40 samples, and a dataset of others with 8.
func parts(t *testing.T, change func(second *export.Manifest)) (exports []string, with string) {
	t.Helper()

	first, second := manifest(), manifest()
	second.Seal, second.Rows, second.DevRows = "5ea2", 40, 4
	change(&second)

	for _, m := range []export.Manifest{first, second} {
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}

		exports = append(exports, write(t, map[string]string{
			export.ManifestFile: string(text), export.DatasetInfoFile: infoOf,
		}))
	}

	with = write(t, map[string]string{
		"general.jsonl": strings.Repeat("{\"instruction\": \"a\", \"output\": \"b\"}\n", 8),
		"pairs.json":    "[{}, {}]",
		"dataset_info.json": `{"general": {"file_name": "general.jsonl", "tags": {"role_tag": "r"}},
			"pairs": {"file_name": "pairs.json", "ranking": true}, "hub": {"hf_hub_url": "some/data"}}`,
	})

	return exports, with
}

// A mixture is told to LLaMA-Factory in a dataset_info.json of the training's own. No sample is
// lost, whatever the weights.
func TestPlanMixes(t *testing.T) {
	exports, with := parts(t, func(*export.Manifest) {})

	for _, c := range []struct {
		weights []float64
		want    []int // samples of an epoch
	}{
		{nil, []int{100, 40, 8}},
		{[]float64{3, 1, 1}, []int{120, 40, 40}},
		{[]float64{0.25, 0.5, 0.25}, []int{100, 200, 100}},
	} {
		p := plan(t, recipeText, training.Options{
			Exports: exports, With: []string{with + ":general"}, Weights: c.weights,
		})

		out := filepath.Join(t.TempDir(), "out")
		if _, err := training.Open(out, p); err != nil {
			t.Fatal(err)
		}

		told, _ := os.ReadFile(filepath.Join(out, "train.yaml"))
		if !strings.Contains(string(told), "\ndataset_dir: .\ndataset: toolevo_sft,toolevo_sft_2,general\n") {
			t.Errorf("LLaMA-Factory is told\n%s", told)
		}

		var info map[string]map[string]any

		text, _ := os.ReadFile(filepath.Join(out, "dataset_info.json"))
		if err := json.Unmarshal(text, &info); err != nil {
			t.Fatal(err)
		}

		want := map[string]map[string]any{
			"toolevo_sft":       {"file_name": filepath.Join(exports[0], "a.parquet")},
			"toolevo_sft_dev":   {"file_name": filepath.Join(exports[0], "dev.parquet")},
			"toolevo_sft_2":     {"file_name": filepath.Join(exports[1], "a.parquet")},
			"toolevo_sft_dev_2": {"file_name": filepath.Join(exports[1], "dev.parquet")},
			"general": {
				"file_name": filepath.Join(with, "general.jsonl"), "tags": map[string]any{"role_tag": "r"},
			},
		}

		total := 0
		for i, s := range p.Origins() {
			if s.Trained != c.want[i] || s.Trained < s.Rows || (s.Export == nil) != (s.SHA256 != "") {
				t.Errorf("weights %v: %+v, want %d samples", c.weights, s, c.want[i])
			}

			if s.Trained > s.Rows {
				want[s.Name]["num_samples"] = float64(s.Trained)
			}

			total += s.Trained
		}

		if d := cmp.Diff(want, info); d != "" || p.Rows() != total {
			t.Errorf("weights %v: %d samples; -want +got:\n%s", c.weights, p.Rows(), d)
		}

		if !strings.Contains(strings.Join(p.Warnings, "\n"), "eval_dataset=toolevo_sft_dev_2 ") {
			t.Errorf("nothing says how to evaluate what is held out: %q", p.Warnings)
		}
	}
}

// An entry that says how many samples LLaMA-Factory takes of its file counts as that many, fewer or
// more than the file has.
func TestPlanMixesWhatAnEntryTakes(t *testing.T) {
	exports, _ := parts(t, func(*export.Manifest) {})

	for _, c := range []struct {
		takes   int
		weights []float64
		want    []int // samples of an epoch
	}{
		{3, nil, []int{100, 3}},
		{20, nil, []int{100, 20}},
		{3, []float64{1, 1}, []int{100, 100}},
		{200, []float64{1, 1}, []int{200, 200}},
	} {
		with := write(t, map[string]string{
			"general.jsonl": strings.Repeat("{\"instruction\": \"a\", \"output\": \"b\"}\n", 8),
			"dataset_info.json": fmt.Sprintf(`{"general": {"file_name": "general.jsonl",
				"num_samples": %d}}`, c.takes),
		})

		p := plan(t, recipeText, training.Options{
			Exports: exports[:1], With: []string{with + ":general"}, Weights: c.weights,
		})

		out := filepath.Join(t.TempDir(), "out")
		if _, err := training.Open(out, p); err != nil {
			t.Fatal(err)
		}

		var info map[string]map[string]any

		text, _ := os.ReadFile(filepath.Join(out, "dataset_info.json"))
		if err := json.Unmarshal(text, &info); err != nil {
			t.Fatal(err)
		}

		for i, s := range p.Origins() {
			if s.Trained != c.want[i] {
				t.Errorf("%+v: %d samples of %s, want %d", c, s.Trained, s.Name, c.want[i])
			}
		}

		if got := info["general"]["num_samples"]; got != float64(c.want[1]) {
			t.Errorf("%+v: LLaMA-Factory takes %v", c, got)
		}
	}
}

// The sets that a simulator's export holds out are not named after those that it trains.
func TestPlanNamesSetsThatExist(t *testing.T) {
	m := manifest()
	m.Format, m.Runs, m.DevRows = export.Simulator, nil, 5
	m.Sets = []export.ManifestSet{{Name: "train_sft", Rows: 60}, {Name: "train_cot", Rows: 40},
		{Name: "test_id_low"}}
	dir := exported(t, m)

	info := `{"train_sft": {"file_name": "a"}, "train_cot": {"file_name": "b"}, "test_id_low": ` +
		`{"file_name": "c"}}`
	if err := os.WriteFile(filepath.Join(dir, export.DatasetInfoFile), []byte(info),
		0o644); err != nil {
		t.Fatal(err)
	}

	_, with := parts(t, func(*export.Manifest) {})

	p := plan(t, strings.Replace(recipeText, "sft-trajectory", "simulator", 1), training.Options{
		Exports: []string{dir}, With: []string{with + ":general"},
	})
	if said := strings.Join(p.Warnings, "\n"); strings.Contains(said, "train_sft_dev") {
		t.Errorf("it names sets that do not exist: %s", said)
	}
}

// A training goes on only with the samples that it began with.
func TestMixtureStays(t *testing.T) {
	exports, with := parts(t, func(*export.Manifest) {})
	o := training.Options{Exports: exports, With: []string{with + ":general"}}
	out := filepath.Join(t.TempDir(), "out")

	open := func() error {
		_, err := training.Open(out, plan(t, recipeText, o))
		return err
	}

	if err := open(); err != nil {
		t.Fatal(err)
	}

	if err := open(); err != nil {
		t.Errorf("the same again: %v", err)
	}

	if err := os.WriteFile(filepath.Join(with, "general.jsonl"), []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}

	if err := open(); err == nil || !strings.Contains(err.Error(), "holds another training") {
		t.Errorf("other samples: error %v", err)
	}
}

func TestPlanRefusesMixtures(t *testing.T) {
	same := func(*export.Manifest) {}

	for name, c := range map[string]struct {
		second func(*export.Manifest)
		edit   func(o *training.Options, with string)
		want   string
	}{
		"another format":  {second: func(m *export.Manifest) { m.Format = export.DPO }, want: "again in that format"},
		"another trainer": {second: func(m *export.Manifest) { m.Trainer = export.TRL }, want: "is laid out for trl"},
		"another codec":   {second: func(m *export.Manifest) { m.Calls = true }, want: "the same environment.codec"},
		"native tools":    {second: func(m *export.Manifest) { m.Tools = true }, want: "the same environment.codec"},
		"the test split":  {second: func(m *export.Manifest) { m.Selection.Split = "test" }, want: "the test split"},
		"an export twice": {second: func(m *export.Manifest) { m.Seal = "5ea1" }, want: "is the same export as"},
		"cut samples":     {second: func(m *export.Manifest) { m.Lengths.MaxTokens = 2000 }, want: "has 2000 tokens"},
		"a stage that does not fit": {
			edit: func(o *training.Options, with string) { o.With = []string{with + ":pairs"} },
			want: "it has pairs of a better and a worse reply",
		},
		"no entry": {
			edit: func(o *training.Options, with string) { o.With = []string{with + ":genera"} },
			want: `has no entry "genera": it has general, hub, pairs`,
		},
		"an entry of a hub": {
			edit: func(o *training.Options, with string) { o.With = []string{with + ":hub"} },
			want: "names no file on this machine",
		},
		"no name": {
			edit: func(o *training.Options, with string) { o.With = []string{with} },
			want: "want DIR:NAME",
		},
		"data of others twice": {
			edit: func(o *training.Options, with string) { o.With = []string{with + ":general", with + ":general"} },
			want: "the same data as general",
		},
		"too few weights": {
			edit: func(o *training.Options, with string) { o.Weights = []float64{1} },
			want: "‹weights›: 1 values for 2 sources",
		},
		"no weight": {
			edit: func(o *training.Options, with string) { o.Weights = []float64{1, 0} },
			want: "want positive numbers",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.second == nil {
				c.second = same
			}

			exports, with := parts(t, c.second)
			o := training.Options{Exports: exports, Files: recipes(recipeText)}

			if c.edit != nil {
				c.edit(&o, with)
			}

			_, err := load(t, recipeText).Plan(o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// Labels are balanced as they are in an epoch, and not at all where those of others are not known.
func TestMixtureBalancesLabels(t *testing.T) {
	text := strings.Replace(recipeText, "sft-trajectory", "kto", 1)

	var dirs []string
	for i, l := range []export.Labels{{Desirable: 10, Undesirable: 90}, {Desirable: 90, Undesirable: 10}} {
		m := manifest()
		m.Format, m.Labels, m.Seal = export.KTO, l, fmt.Sprint("seal", i)
		dirs = append(dirs, exported(t, m))

		info := []byte(strings.ReplaceAll(infoOf, "sft", "kto"))
		if err := os.WriteFile(filepath.Join(dirs[i], "dataset_info.json"), info, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	with := write(t, map[string]string{
		"a.json":            `[{"k": true}]`,
		"dataset_info.json": `{"a": {"file_name": "a.json", "columns": {"kto_tag": "k"}}}`,
	})

	for want, o := range map[string]training.Options{
		"kto_chosen_weight: 1.0\nkto_rejected_weight: 1.0\n":  {Exports: dirs},
		"kto_chosen_weight: 3.32\nkto_rejected_weight: 1.0\n": {Exports: dirs, Weights: []float64{4, 1}},
		"": {Exports: dirs, With: []string{with + ":a"}},
	} {
		got, err := plan(t, text, o).YAML()
		balanced := strings.Contains(string(got), "kto_chosen")
		if err != nil || !strings.Contains(string(got), want) || balanced != (want != "") {
			t.Errorf("%v, want %q, told\n%s", err, want, got)
		}
	}
}

// TRL is told the folders, whose cards say what the samples are. It repeats none.
func TestPlanMixesForTRL(t *testing.T) {
	const head = `---
configs:
- config_name: c
  data_files:
  - split: train
    path: a.jsonl
dataset_info:
- config_name: c
  features:
  - name: messages
    %s
---
`

	m := manifest()
	m.Trainer, m.Format = export.TRL, export.OpenAI
	text := strings.NewReplacer("format: sft-trajectory", "format: openai\ntrainer: trl",
		"  template: llama3\n", "").Replace(recipeText)
	dir := exported(t, m)

	if err := os.WriteFile(filepath.Join(dir, "README.md"), fmt.Appendf(nil, head, "list: json"), 0o644); err != nil {
		t.Fatal(err)
	}

	other := func(kind string) string {
		return write(t, map[string]string{"README.md": fmt.Sprintf(head, kind), "a.jsonl": strings.Repeat("{}\n", 40)})
	}

	fits := other("list: json")
	p := plan(t, text, training.Options{Exports: []string{dir}, With: []string{fits}, Weights: []float64{1, 1}})

	got, err := p.YAML()
	want := "datasets:\n- path: " + dir + "\n  fraction: 1.0\n- path: " + fits + "\n  fraction: 1.0\n"

	if err != nil || !strings.Contains(string(got), want) || strings.Contains(string(got), "dataset_name") {
		t.Errorf("%v, TRL is told\n%s", err, got)
	}

	if s := p.Origins(); s[0].Trained != 40 || s[1].Trained != 40 || p.Rows() != 80 {
		t.Errorf("%+v", s)
	}

	if !strings.Contains(strings.Join(p.Warnings, "\n"), "the first 40 samples of "+dir+" and leaves out 60") {
		t.Errorf("nothing says what is left out: %q", p.Warnings)
	}

	for folder, want := range map[string]string{
		other("dtype: bool"): "other columns",
		t.TempDir():          "a README.md that begins like that of " + dir,
	} {
		_, err := load(t, text).Plan(training.Options{
			Exports: []string{dir}, With: []string{folder}, Files: recipes(text),
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
