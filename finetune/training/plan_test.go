package training_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"toolevo/configs"
	"toolevo/finetune/training"
	"toolevo/trajectories/export"
)

const recipeText = `# A small model: for tests,
# and nothing else.
format: sft-trajectory
batch: 64
arguments:
  model_name_or_path: some/model
  stage: sft
  finetuning_type: full
  template: llama3
  cutoff_len: 1024 # tokens
  per_device_train_batch_size: 4
  learning_rate: 2.0e-5
  num_train_epochs: 3.0
  deepspeed: zero2.json
`

func recipes(text string) fs.FS {
	return fstest.MapFS{
		"small.yaml": {Data: []byte(text)},
		"zero2.json": {Data: []byte("{}\n")},
	}
}

func load(t *testing.T, text string) *training.Recipe {
	t.Helper()

	r, err := training.LoadRecipe(recipes(text), "small")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// manifest is that of an export which the recipe trains.
func manifest() export.Manifest {
	return export.Manifest{
		Version: export.ManifestVersion,
		Format:  export.SFTTrajectory,
		Trainer: export.LlamaFactory,
		Rows:    100,
		Runs:    []export.ManifestRun{{RunID: "one", DeployedAPI: "p_s_in", Policy: "openai:m", Rows: 100}},
		Lengths: export.Lengths{MaxChars: 4000, MaxTokens: 1000, Template: "llama3"},
		Seal:    "5ea1",
	}
}

// scripted is that of an export of two runs, one of them of a script.
func scripted() export.Manifest {
	m := manifest()
	m.Runs = append(m.Runs, export.ManifestRun{RunID: "two", DeployedAPI: "p_s_in", Policy: "scripted:noisy", Rows: 30})
	m.Rows += 30
	return m
}

// exported writes the folder of an export with a manifest.
func exported(t *testing.T, m export.Manifest) string {
	t.Helper()

	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, export.ManifestFile), text, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func plan(t *testing.T, text string, o training.Options) *training.Plan {
	t.Helper()

	o.Files = recipes(text)

	p, err := load(t, text).Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// MirrorAPI's values (Appendix E) on its hardware: 8 GPUs, 2 samples at a time, 8 times.
func TestPlanOfASimulator(t *testing.T) {
	m := manifest()
	m.Format, m.Runs = export.Simulator, nil
	m.Lengths = export.Lengths{MaxChars: 1000}
	m.Sets = []export.ManifestSet{{Name: "train_sft", Rows: 60}, {Name: "train_cot", Rows: 40}, {Name: "test_id_low"}}
	dir := exported(t, m)

	r, err := training.LoadRecipe(configs.Recipes(), "mirrorapi-7b")
	if err != nil {
		t.Fatal(err)
	}

	p, err := r.Plan(training.Options{Exports: []string{dir}, GPUs: 8, Files: configs.Recipes()})
	if err != nil {
		t.Fatal(err)
	}

	text, err := p.YAML()
	if err != nil {
		t.Fatal(err)
	}

	for _, line := range []string{
		"learning_rate: 2.0e-05", "per_device_train_batch_size: 2", "gradient_accumulation_steps: 8",
		"num_train_epochs: 5.0", "adam_beta1: 0.9", "adam_beta2: 0.999", "adam_epsilon: 1.0e-08",
		"lr_scheduler_type: cosine", "warmup_ratio: 0.04", "warmup_steps: 100", "seed: 42",
		"dataset: train_sft,train_cot",
	} {
		if !strings.Contains(string(text), "\n"+line+"\n") {
			t.Errorf("LLaMA-Factory is not told %q:\n%s", line, text)
		}
	}

	_, err = load(t, recipeText).Plan(training.Options{Exports: []string{dir}, Files: recipes(recipeText)})
	if err == nil || !strings.Contains(err.Error(), "it trains exports of the format sft-trajectory") {
		t.Errorf("error %v, want one that names the format", err)
	}
}

func TestPlan(t *testing.T) {
	dir := exported(t, manifest())
	p := plan(t, recipeText, training.Options{
		Exports: []string{dir}, GPUs: 2, Set: []string{"learning_rate=1.0e-5", "cutoff_len=2048", "stage="},
	})

	text, err := p.YAML()
	if err != nil {
		t.Fatal(err)
	}

	// 64 samples of an update, 2 GPUs with 4 at a time: 8 times.
	want := `# Written by toolevo from the recipe small, for
# toolevo_sft of ` + dir + `, seal 5ea1: 100 samples
model_name_or_path: some/model
finetuning_type: full
template: llama3
cutoff_len: 2048
per_device_train_batch_size: 4
learning_rate: 1.0e-05
num_train_epochs: 3.0
deepspeed: zero2.json
gradient_accumulation_steps: 8
dataset_dir: ` + dir + `
dataset: toolevo_sft
output_dir: weights
`
	if d := cmp.Diff(want, string(text)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	if len(p.Warnings) > 0 {
		t.Errorf("warnings: %q", p.Warnings)
	}

	if !p.NeedsGPU() || p.Template() != "llama3" || p.Model != "some/model" {
		t.Errorf("needs a GPU: %v, template %s, model %s", p.NeedsGPU(), p.Template(), p.Model)
	}
}

// The trainer runs in another folder than that in which an adapter is named.
func TestPlanOfAnAdapter(t *testing.T) {
	dir := exported(t, manifest())
	t.Chdir(t.TempDir())

	if err := os.Mkdir("first", 0o755); err != nil {
		t.Fatal(err)
	}

	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}

	text := strings.Replace(recipeText, "type: full", "type: lora", 1)

	for name, want := range map[string]string{
		"first": filepath.Join(here, "first"), "some/adapter": "some/adapter",
	} {
		text, err := plan(t, text, training.Options{Exports: []string{dir}, Set: []string{
			"adapter_name_or_path=" + name, "create_new_adapter=false",
		}}).YAML()
		if err != nil || !strings.Contains(string(text), "\nadapter_name_or_path: "+want+"\n") {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}

func TestBatchOnAnyNumberOfGPUs(t *testing.T) {
	dir := exported(t, manifest())

	for _, c := range []struct {
		gpus, accumulation int
		warns              bool
	}{
		{0, 16, false},  // 4 at a time on the processor
		{1, 16, false},  // 64 / 4
		{3, 5, true},    // 64 / 12 = 5.33: 60 samples
		{16, 1, false},  // 64 / 64
		{100, 1, true},  // 400 samples are the fewest
		{8, 2, false},   // 64 / 32
		{6, 3, true},    // 64 / 24 = 2.67: 72 samples
		{11, 1, true},   // 64 / 44 = 1.45: 44 samples
		{5, 3, true},    // 64 / 20 = 3.2: 60 samples
		{4, 4, false},   // 64 / 16
		{1000, 1, true}, // 4000
	} {
		p := plan(t, recipeText, training.Options{Exports: []string{dir}, GPUs: c.gpus})

		text, err := p.YAML()
		if err != nil {
			t.Fatal(err)
		}

		var got string

		for line := range strings.Lines(string(text)) {
			if value, ok := strings.CutPrefix(line, "gradient_accumulation_steps: "); ok {
				got = strings.TrimSpace(value)
			}
		}

		want, _ := json.Marshal(c.accumulation)
		if got != string(want) || len(p.Warnings) > 0 != c.warns {
			t.Errorf("%d GPUs: accumulation %s, warnings %q; want %d, warned: %v", c.gpus, got, p.Warnings,
				c.accumulation, c.warns)
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	lora := strings.Replace(recipeText, "type: full", "type: lora", 1)
	changed := func(change func(*export.Manifest)) export.Manifest {
		m := manifest()
		change(&m)
		return m
	}

	for name, c := range map[string]struct {
		manifest export.Manifest
		text     string
		options  training.Options
		want     string
	}{
		"another format": {
			manifest: changed(func(m *export.Manifest) { m.Format = export.DPO }),
			want:     "export again in that format",
		},
		"another trainer": {
			manifest: changed(func(m *export.Manifest) { m.Trainer = export.TRL }),
			want:     "export again for llamafactory",
		},
		"calls beside text, of which LLaMA-Factory has none": {
			manifest: changed(func(m *export.Manifest) { m.Format, m.ToolCalls = export.OpenAI, true }),
			text:     strings.Replace(recipeText, "sft-trajectory", "openai", 1),
			want:     "in the format sft-trajectory, or for trl",
		},
		"questions that measure": {
			manifest: changed(func(m *export.Manifest) { m.Selection.Split = "test" }),
			want:     "questions of the test split",
		},
		"a mixture by hand": {
			manifest: manifest(),
			options:  training.Options{Set: []string{"dataset=toolevo_sft,general"}},
			want:     "name several exports, or another dataset",
		},
		"no sample": {
			manifest: changed(func(m *export.Manifest) { m.Rows = 0 }),
			want:     "holds no sample",
		},
		"another API version": {
			manifest: manifest(),
			text:     strings.Replace(recipeText, "batch:", "deployed: p_c\nbatch:", 1),
			want:     "collect under p_c",
		},
		"samples that would be cut": {
			manifest: changed(func(m *export.Manifest) { m.Lengths.MaxTokens = 1025 }),
			want:     "has 1025 tokens, and cutoff_len is 1024",
		},
		"calls in another form": {
			manifest: changed(func(m *export.Manifest) { m.Calls = true }),
			options:  training.Options{Set: []string{"template=chatml"}},
			want:     "the chat template chatml of llamafactory writes the call in another form",
		},
		"no model": {
			manifest: manifest(),
			options:  training.Options{Set: []string{"model_name_or_path="}},
			want:     "‹model›: it names no model",
		},
		"a folder that is not there": {
			manifest: manifest(),
			options:  training.Options{Model: "./nowhere"},
			want:     "./nowhere is no folder",
		},
		"an adapter upon another": {
			manifest: manifest(),
			text:     lora,
			options: training.Options{
				Set: []string{"adapter_name_or_path=some/adapter", "create_new_adapter=true"},
			},
			want: "name the result as ‹model›",
		},
		"several adapters": {
			manifest: manifest(),
			text:     lora,
			options:  training.Options{Set: []string{"adapter_name_or_path=a,b"}},
			want:     "name the result as ‹model›",
		},
		"an adapter that is not there": {
			manifest: manifest(),
			text:     lora,
			options:  training.Options{Set: []string{"adapter_name_or_path=./nowhere"}},
			want:     "the adapter ./nowhere is no folder",
		},
		"what a script wrote": {
			manifest: scripted(),
			want:     "‹allow-scripted›: scripts wrote",
		},
		"what a plan says itself": {
			manifest: manifest(),
			options:  training.Options{Set: []string{"output_dir=/tmp"}},
			want:     "cannot be set",
		},
		"no assignment": {
			manifest: manifest(),
			options:  training.Options{Set: []string{"learning_rate"}},
			want:     "want ARGUMENT=VALUE",
		},
		"no number": {
			manifest: manifest(),
			options:  training.Options{Set: []string{"cutoff_len=many"}},
			want:     "cutoff_len: many: want a whole number",
		},
		"no file": {
			manifest: manifest(),
			options:  training.Options{Set: []string{"deepspeed=nowhere.json"}},
			want:     "nowhere.json",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := c.text
			if text == "" {
				text = recipeText
			}

			c.options.Exports, c.options.Files = []string{exported(t, c.manifest)}, recipes(text)

			_, err := load(t, text).Plan(c.options)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// Samples that scripts wrote are trained where that is allowed, which is said.
func TestPlanOfScripts(t *testing.T) {
	p := plan(t, recipeText, training.Options{Exports: []string{exported(t, scripted())}, AllowScripted: true})

	said := func(w string) bool { return strings.Contains(w, "30 of the 130 samples") }
	if p.Scripted() != 30 || !slices.ContainsFunc(p.Warnings, said) {
		t.Errorf("%d samples of scripts, warnings %q", p.Scripted(), p.Warnings)
	}
}

// Samples are trained under templates that write them as they are asked and read, with advice where
// that takes something, and with a warning where nobody knows.
func TestPlanUnderTemplates(t *testing.T) {
	for _, c := range []struct {
		template string
		calls    bool
		set      string
		warns    string
	}{
		{"llama3", true, "", ""},
		{"qwen", true, "", ""},
		{"qwen3_nothink", true, "", ""},
		{"mistral_small", true, "", ""},
		{"chatml", false, "", ""},
		{"of another version", true, "", "not known here"},
		{"of another version", false, "", ""},
		{"qwen3", true, "", "--format sft-step"},
		{"qwen3", false, "", "enable_thinking is false"},
		{"qwen3", false, "enable_thinking=false", "--format sft-step"},
	} {
		m := manifest()
		m.Calls, m.Lengths.Template = c.calls, c.template

		set := []string{"template=" + c.template}
		if c.set != "" {
			set = append(set, c.set)
		}

		p := plan(t, recipeText, training.Options{Exports: []string{exported(t, m)}, Set: set})
		if got := strings.Join(p.Warnings, " "); (got == "") != (c.warns == "") || !strings.Contains(got, c.warns) ||
			c.set != "" && strings.Contains(got, "enable_thinking") {
			t.Errorf("%+v: warnings %q", c, p.Warnings)
		}
	}
}

// Native calls are trained under the templates of LLaMA-Factory that write tools as servers do.
func TestPlanOfNativeCalls(t *testing.T) {
	m := manifest()
	m.Calls, m.Tools, m.Lengths.Template = true, true, "qwen"

	for template, want := range map[string]string{
		"qwen": "", "llama3": "llama3 of llamafactory writes tools or calls as no template of a server known here does",
	} {
		p, err := load(t, recipeText).Plan(training.Options{
			Exports: []string{exported(t, m)}, Set: []string{"template=" + template}, Files: recipes(recipeText),
		})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", template, err, want)
		}

		if err == nil && !p.NativeCalls() {
			t.Errorf("%s: a server is not told of native calls", template)
		}
	}
}

// TRL's template is that of the model: its folder says which, or the recipe.
func TestPlanKnowsTRLsTemplates(t *testing.T) {
	m := manifest()
	m.Trainer, m.Format, m.Calls, m.ToolCalls = export.TRL, export.OpenAI, true, true

	text := strings.NewReplacer("format: sft-trajectory", "format: openai\ntrainer: trl\ntemplate: lfm2",
		"  template: llama3\n", "", "  cutoff_len: 1024 # tokens\n", "").Replace(recipeText)
	model := t.TempDir()

	for _, c := range []struct{ model, want string }{
		{"", "the chat template lfm2 of trl loses the call: take a model with one of"},
		{"another/model", ""},
		{model, ""},
	} {
		_, err := load(t, text).Plan(training.Options{
			Exports: []string{exported(t, m)}, Model: c.model, Files: recipes(text),
		})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("model %q: %v, want %q", c.model, err, c.want)
		}
	}

	m.ChatTemplate = "llama3_1"

	_, err := load(t, text).Plan(training.Options{
		Exports: []string{exported(t, m)}, Model: "another/model", Files: recipes(text),
	})
	if err == nil || !strings.Contains(err.Error(), "llama3_1 of trl loses the text beside a call") {
		t.Errorf("what the export was made for: %v", err)
	}
}

// Every recipe trains what it is for.
func TestShippedRecipesFitTheirTemplates(t *testing.T) {
	names, err := fs.Glob(configs.Recipes(), "*.yaml")
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range names {
		r, err := training.LoadRecipe(configs.Recipes(), strings.TrimSuffix(name, ".yaml"))
		if err != nil {
			t.Fatal(err)
		}

		m := manifest()
		m.Format, m.Trainer, m.Lengths = r.Format, r.Trainer, export.Lengths{MaxChars: 100}
		m.Calls, m.ToolCalls = r.Trainer == export.TRL, r.Trainer == export.TRL
		m.Runs[0].DeployedAPI = r.Deployed

		p, err := r.Plan(training.Options{
			Exports: []string{exported(t, m)}, Model: modelOf(r), Files: configs.Recipes(), GPUs: 8,
		})
		if err != nil || strings.Contains(strings.Join(p.Warnings, " "), "chat template") {
			t.Errorf("%s: %v, warnings %v", name, err, p)
		}
	}
}

// modelOf is another model than the recipe's where that has none.
func modelOf(r *training.Recipe) string {
	for _, item := range r.Arguments {
		if item.Key == "model_name_or_path" {
			return ""
		}
	}

	return "some/model"
}

// TRL trains what LLaMA-Factory cannot. Its chat template is the model's, and it cuts sooner.
func TestPlanForTRL(t *testing.T) {
	m := manifest()
	m.Trainer, m.Format, m.Calls, m.ToolCalls = export.TRL, export.OpenAI, true, true
	dir := exported(t, m)

	text := strings.NewReplacer("format: sft-trajectory", "format: openai\ntrainer: trl\ntemplate: qwen2_5",
		"  template: llama3\n", "",
		"  cutoff_len: 1024 # tokens\n", "  assistant_only_loss: true\n").Replace(recipeText)
	p := plan(t, text, training.Options{Exports: []string{dir}})

	got, err := p.YAML()
	if err != nil || len(p.Warnings) > 0 || strings.Contains(string(got), "dataset_dir") ||
		!strings.Contains(string(got), "\nassistant_only_loss: true\n") ||
		!strings.Contains(string(got), "\ndataset_name: "+dir+"\n") {
		t.Errorf("%v, warnings %q, TRL is told\n%s", err, p.Warnings, got)
	}

	m.Lengths.MaxTokens = 1025
	_, err = load(t, text).Plan(training.Options{Exports: []string{exported(t, m)}, Files: recipes(text)})

	if err == nil || !strings.Contains(err.Error(), "1025 tokens, and max_length is 1024") {
		t.Errorf("error %v, want one that says what TRL cuts at", err)
	}
}

// The rarer kind of labels weighs more, unless somebody says what it weighs.
func TestPlanBalancesLabels(t *testing.T) {
	m := manifest()
	m.Format, m.Labels = export.KTO, export.Labels{Desirable: 524, Undesirable: 63}
	text := strings.Replace(recipeText, "sft-trajectory", "kto", 1)

	for set, want := range map[string]string{
		"seed=1":                "kto_chosen_weight: 1.0\nkto_rejected_weight: 7.13\n",
		"kto_rejected_weight=3": "kto_rejected_weight: 3\n",
	} {
		p := plan(t, text, training.Options{Exports: []string{exported(t, m)}, Set: []string{set}})

		got, err := p.YAML()
		if err != nil || !strings.Contains(string(got), want) ||
			strings.Contains(string(got), "kto_chosen_weight") != strings.Contains(want, "kto_chosen_weight") {
			t.Errorf("--set %s: %v, told\n%s", set, err, got)
		}
	}
}

func TestPlanWarnsOfUnknownLengths(t *testing.T) {
	m := manifest()
	m.Lengths = export.Lengths{MaxChars: 4321}

	p := plan(t, recipeText, training.Options{Exports: []string{exported(t, m)}})
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "4321 characters") {
		t.Errorf("warnings: %q", p.Warnings)
	}

	m.Lengths.MaxChars = 256 // 1,024 bytes at most, and so many tokens

	p = plan(t, recipeText, training.Options{Exports: []string{exported(t, m)}})
	if len(p.Warnings) != 0 {
		t.Errorf("warnings of samples that cannot be too long: %q", p.Warnings)
	}
}

func TestRecipes(t *testing.T) {
	r := load(t, recipeText)
	if r.About != "A small model: for tests, and nothing else." || r.Batch != 64 || r.Format != export.SFTTrajectory {
		t.Errorf("recipe %+v", r)
	}

	for text, want := range map[string]string{
		"format: sft\nbatch: 1\n":                                              `"sft"`,
		"format: dpo\nbatch: 0\n":                                              "batch: 0",
		"format: dpo\nbatch: 1\nbatches: 2\n":                                  "batches",
		"format: dpo\nbatch: 1\narguments: {dataset: mine}\n":                  "dataset cannot be set in a recipe",
		"format: dpo\nbatch: 1\narguments: {gradient_accumulation_steps: 8}\n": "accumulation_steps cannot be set",
		"format: [": "recipe small",
	} {
		_, err := training.LoadRecipe(recipes(text), "small")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}

	_, err := training.LoadRecipe(recipes(recipeText), "smal")
	if err == nil || !strings.Contains(err.Error(), "small") {
		t.Errorf("error %v, want one that names the recipes", err)
	}

	path := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(path, []byte(recipeText), 0o644); err != nil {
		t.Fatal(err)
	}

	if r, err := training.LoadRecipe(recipes(recipeText), path); err != nil || r.Name != path {
		t.Errorf("a file: %+v, %v", r, err)
	}
}
