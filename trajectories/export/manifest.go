package export

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/disk"
	"toolevo/mcts"
	"toolevo/trajectories"
	"toolevo/trajectories/atif"
)

// The files of every export.
const (
	DatasetInfoFile = "dataset_info.json"
	LineageFile     = "lineage.jsonl"     // line i says where sample i comes from
	devLineageFile  = "lineage_dev.jsonl" // the same of the samples held out
	cardFile        = "README.md"
	ManifestFile    = "manifest.json" // written last
)

// dataset is a set of samples in an export: those to train on, or those held out.
type dataset struct {
	name    string // in dataset_info.json
	lineage string // its file
}

// datasets returns the sets of samples of a format.
func datasets(f Format, dev bool) []dataset {
	all := []dataset{{f.Dataset(), LineageFile}}
	if dev {
		all = append(all, dataset{f.Dataset() + "_dev", devLineageFile})
	}
	return all
}

// parquet and jsonl are the files that hold the samples, in the same order.
func (d dataset) parquet() string { return d.name + ".parquet" }
func (d dataset) jsonl() string   { return d.name + ".jsonl" }

// jsonlDataset returns the name of the JSONL file in dataset_info.json.
func (d dataset) jsonlDataset() string { return d.name + "_jsonl" }

// ManifestVersion is the version of [Manifest].
const ManifestVersion = 6

// Manifest says what an export holds and how it was made. It names no time and no machine: the same
// rows and options give the same manifest. Its seal and the checksums cover all that was written.
type Manifest struct {
	Version      int             `json:"manifest_version"`        // of these keys
	Format       Format          `json:"format"`                  // of the samples
	Trainer      Trainer         `json:"trainer,omitempty"`       // whose names columns and roles have
	ChatTemplate string          `json:"chat_template,omitempty"` // of the trainer, if one was named
	Software     string          `json:"software"`                // the version that wrote the export
	Rows         int             `json:"rows"`                    // samples, without those held out
	Questions    int             `json:"questions"`               // of the samples
	DevRows      int             `json:"dev_rows,omitempty"`      // samples held out
	DevQuestions int             `json:"dev_questions,omitempty"` // whose samples are held out
	Runs         []ManifestRun   `json:"runs"`                    // with samples in the export
	Selection    Selection       `json:"selection"`               // what was asked for
	Selected     SelectionReport `json:"selected"`                // what became of the trajectories
	ToolCalls    bool            `json:"tool_calls,omitempty"`    // messages have tool calls
	Arguments    Arguments       `json:"arguments,omitempty"`     // of tool calls for TRL, where they are strings
	Lint         LintReport      `json:"lint"`                    // what the linter left out
	Lengths      Lengths         `json:"lengths"`                 // of the samples
	Sets         []ManifestSet   `json:"sets,omitempty"`          // of data that trains simulators: its files
	// Calls says that replies are function calls, which a trainer writes as its template does.
	Calls    bool            `json:"function_calls,omitempty"`
	Tools    bool            `json:"tools,omitempty"`     // calls are native: the column tools has the prompt's list
	TokenIDs bool            `json:"token_ids,omitempty"` // samples have the ids of tokens
	Lost     int             `json:"lost,omitempty"`      // episodes that infrastructure failures ended
	Refused  []*atif.Refusal `json:"refused,omitempty"`   // documents that no sample can express
	// Unconfined counts the samples whose programs ran without walls around them, or with fewer
	// than there should be.
	Unconfined int `json:"rows_unconfined"`
	// Unreadable counts the turns that are trained, as parts of whole trajectories, although no
	// action can be read from them. Samples of single turns have none, and openai gives them no
	// weight.
	Unreadable int `json:"unreadable_turns,omitempty"`
	// SkippedUnreadable counts those in the samples of openai: they are not trained, but what a
	// chat template makes of the sample depends on them, too.
	SkippedUnreadable int `json:"unreadable_turns_skipped,omitempty"`

	Labels Labels `json:"labels,omitzero"` // of the samples, in the format kto
	// what in samples should hardly be shared: keys, home folders
	Private []Private `json:"private,omitempty"`
	Files   []FileSum `json:"files"` // in the folder, except this one
	// Seal is the SHA-256 of the file without it, in hexadecimal: altering a value alters that,
	// too.
	Seal string `json:"seal"`
}

// newManifest returns the manifest of an empty export.
func newManifest(opt Options) Manifest {
	s := opt.Selection.withDefaults()
	return Manifest{
		Version: ManifestVersion, Format: opt.Format, Trainer: cmp.Or(opt.Trainer, LlamaFactory),
		ChatTemplate: opt.ChatTemplate, Software: opt.Software, Arguments: opt.Arguments,
		Tools: opt.native, TokenIDs: opt.TokenIDs != nil,
		Runs: []ManifestRun{}, Selection: s, Selected: s.report(),
		Lint: LintReport{ByRule: map[Rule]int{}}, Refused: opt.Refused,
	}
}

// datasets returns the sets of samples in the export.
func (m *Manifest) datasets() []dataset {
	return datasets(m.Format, m.Selection.Dev > 0)
}

// isSampleEntry reports whether an entry of a folder has the name of samples, of their lineage or
// of documents, which no user would choose.
func isSampleEntry(entry fs.DirEntry) bool {
	name := entry.Name()
	if entry.IsDir() {
		name += "/"
	}

	return len(FormatsThat(func(f Format) bool {
		return f.form().entry == name || f.IsTrained() && slices.ContainsFunc(datasets(f, true),
			func(d dataset) bool {
				return name == d.parquet() || name == d.jsonl() || name == d.lineage
			})
	})) > 0
}

// isExportEntry reports whether an export may have an entry of that name besides its manifest.
func isExportEntry(entry fs.DirEntry) bool {
	name := entry.Name()
	return isSampleEntry(entry) || !entry.IsDir() &&
		(name == DatasetInfoFile || name == cardFile || isInstructionFile(name))
}

// sealLine returns the line of the manifest that holds a seal.
func sealLine(seal string) string { return fmt.Sprintf(`"seal": %q`, seal) }

// ManifestRun is a run with rows in the export.
type ManifestRun struct {
	RunID       string               `json:"run_id"`           // unique to the run
	RunHash     string               `json:"run_hash"`         // of the runs that would grow the same trees
	ConfigHash  string               `json:"config_hash"`      // of the settings that change a result
	Preset      string               `json:"preset"`           // search preset
	Policy      string               `json:"policy"`           // e.g. "scripted:noisy"
	Suite       string               `json:"suite,omitempty"`  // the benchmark
	Origin      string               `json:"origin,omitempty"` // what they were imported from
	PromptAPI   string               `json:"prompt_api"`       // API version the model was shown
	DeployedAPI string               `json:"deployed_api"`     // API version the server enforced
	Software    string               `json:"software"`         // the version that made the rows
	Seed        uint64               `json:"seed"`             // the run's
	Makers      []trajectories.Maker `json:"makers,omitempty"` // what made parts of its samples
	Judge       string               `json:"judge,omitempty"`  // the language model that judged the answers, if one did
	Rows        int                  `json:"rows"`             // samples of this run

	// Reasoning is what later prompts showed of the model's reasoning, see server.reasoning; "" in
	// documents of other programs.
	Reasoning action.Reasoning `json:"reasoning,omitempty"`
}

// Scripted counts the samples that scripts wrote, not a language model.
func (m *Manifest) Scripted() (n int) {
	for _, run := range m.Runs {
		if mcts.IsScripted(run.Policy) {
			n += run.Rows
		}
	}

	return n
}

// Judged counts the samples whose answers a language model judged, without a gold answer.
func (m *Manifest) Judged() (n int) {
	for _, run := range m.Runs {
		if run.Judge != "" {
			n += run.Rows
		}
	}

	return n
}

// LintReport says what the linter did with the trajectories before the selection saw them, and then
// with the samples.
type LintReport struct {
	Checked   int          `json:"checked"`            // trajectories
	Dropped   int          `json:"dropped"`            // those of them that it faults
	ByRule    map[Rule]int `json:"dropped_by_rule"`    // each under the first rule it broke
	Sanitized int          `json:"sanitized_messages"` // messages in which control tokens were broken

	Samples       int          `json:"samples_dropped,omitempty"`         // samples of chosen trajectories that it faults
	SamplesByRule map[Rule]int `json:"samples_dropped_by_rule,omitempty"` // each under the first rule it broke
}

// Lengths of the exported samples.
type Lengths struct {
	MaxChars        int    `json:"max_chars"`                  // characters of the longest
	TotalChars      int    `json:"total_chars"`                // characters of all
	Cutoff          int    `json:"cutoff,omitempty"`           // in tokens
	Template        string `json:"template,omitempty"`         // under which tokens were counted
	TokenizerSHA256 string `json:"tokenizer_sha256,omitempty"` // of the tokenizer.json
	MaxTokens       int    `json:"max_tokens,omitempty"`       // tokens of the longest
	TotalTokens     int    `json:"total_tokens,omitempty"`     // tokens of all
}

// add counts a sample.
func (l *Lengths) add(chars, tokens int) {
	l.TotalChars += chars
	l.MaxChars = max(l.MaxChars, chars)
	l.TotalTokens += tokens
	l.MaxTokens = max(l.MaxTokens, tokens)
}

// FileSum is a file of the export.
type FileSum struct {
	Name   string `json:"name"`   // in the folder
	Bytes  int64  `json:"bytes"`  // its size
	SHA256 string `json:"sha256"` // in hexadecimal
}

// note writes the runs into the manifest.
func (c runCounts) note(m *Manifest) {
	m.Runs = c.sorted()

	for _, run := range m.Runs {
		if trajectories.Unconfined(run.Makers) {
			m.Unconfined += run.Rows
		}
	}
}

// runKey tells the entries of a manifest's runs apart. All else is the same throughout a run.
type runKey struct {
	runID, promptAPI, deployedAPI string
	makers                        string // their limits, too
	judge                         string
}

// runCounts are the runs with samples in an export.
type runCounts map[runKey]*ManifestRun

// add counts a sample under its run.
func (c runCounts) add(r *trajectories.Row, shown trajectories.Shown) {
	key := runKey{r.RunID, r.PromptAPI, r.DeployedAPI, fmt.Sprintf("%#v", r.Makers),
		r.Labels[envs.LabelJudge]}
	if known := c[key]; known != nil {
		known.Rows++
		return
	}

	run := &ManifestRun{Rows: 1, Judge: key.judge}
	trajectories.Fill(run, r)
	trajectories.Fill(run, &shown)

	c[key] = run
}

// sorted returns the entries of the manifest, in an order that does not depend on the IDs that runs
// happened to get.
func (c runCounts) sorted() []ManifestRun {
	all := []ManifestRun{}
	for _, run := range c {
		all = append(all, *run)
	}

	makers := func(r ManifestRun) string { return fmt.Sprintf("%#v", r.Makers) }

	slices.SortFunc(all, func(a, b ManifestRun) int {
		return cmp.Or(cmp.Compare(a.RunHash, b.RunHash), cmp.Compare(a.ConfigHash, b.ConfigHash),
			cmp.Compare(a.DeployedAPI, b.DeployedAPI), cmp.Compare(makers(a), makers(b)),
			cmp.Compare(a.RunID, b.RunID), cmp.Compare(a.PromptAPI, b.PromptAPI),
			cmp.Compare(a.Judge, b.Judge))
	})

	return all
}

// ReadManifest reads the manifest of an export folder.
func ReadManifest(dir string) (*Manifest, error) {
	text, err := disk.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		return nil, fmt.Errorf("export: read manifest of %s: %w", dir, err)
	}

	if err := disk.CheckJSON(dir, text, "manifest_version", ManifestVersion); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}

	var m Manifest
	if err := disk.DecodeLine(text, &m); err != nil {
		return nil, fmt.Errorf("export: read manifest of %s: %w", dir, err)
	}

	_, formatErr := ParseFormat(string(m.Format), func(Format) bool { return true })
	_, trainerErr := ParseTrainer(string(m.Trainer))

	if err := errors.Join(formatErr, trainerErr); err != nil {
		return nil, fmt.Errorf("export: manifest of %s: %w", dir, err)
	}
	return &m, nil
}
