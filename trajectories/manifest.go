package trajectories

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/regular"
)

// The files of a llamafactory export. The two data files hold the same samples in the same order.
const (
	DatasetInfoFile = "dataset_info.json"
	ParquetFile     = "toolevo_sft.parquet"
	JSONLFile       = "toolevo_sft.jsonl"
	LineageFile     = "lineage.jsonl" // line i says where sample i comes from
	ManifestFile    = "manifest.json" // written last
)

// The names of the data sets in dataset_info.json.
const (
	ParquetDataset = "toolevo_sft"
	JSONLDataset   = "toolevo_sft_jsonl"
)

// ManifestVersion is the version of [Manifest]. Earlier ones are still read: version 1 says nothing about
// Python, version 2 nothing about other splits (an empty split there means all), neither has a seal, and version 3 of
// makers says only what is in python.
const ManifestVersion = 4

// Manifest says what an export holds and how it came to be. It names no time and no machine: the same rows and options
// give the same manifest. [LintExport] computes what the files tell a second time, and the seal holds the rest.
type Manifest struct {
	Version   int             `json:"manifest_version"` // of these keys
	Format    string          `json:"format"`           // "llamafactory"
	Software  string          `json:"software"`         // the version that wrote the export
	Rows      int             `json:"rows"`             // samples
	Questions int             `json:"questions"`        // of the samples
	Runs      []ManifestRun   `json:"runs"`             // with samples in the export
	Selection Selection       `json:"selection"`        // what was asked for
	Selected  SelectionReport `json:"selected"`         // what became of the trajectories
	Lint      LintReport      `json:"lint"`             // what the linter did before the selection
	Lengths   Lengths         `json:"lengths"`          // of the samples
	// Unconfined counts the rows whose programs ran with no walls around them, or with fewer than there should be.
	Unconfined int       `json:"rows_unconfined"`
	Files      []FileSum `json:"files"` // of the folder, but this one
	// Seal is the SHA-256 of the file without it, in hexadecimal: whoever alters a value alters that, too.
	Seal string `json:"seal"`
}

// encode returns the bytes of the manifest's file.
func (m *Manifest) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := lineEncoder(&b)
	enc.SetIndent("", "  ")

	if err := enc.Encode(m); err != nil {
		return nil, fmt.Errorf("encode %s: %w", ManifestFile, err)
	}

	return b.Bytes(), nil
}

// seal returns what the seal has to be.
func (m *Manifest) seal() (string, error) {
	open := *m
	open.Seal = ""
	text, err := open.encode()
	sum := sha256.Sum256(text)

	return hex.EncodeToString(sum[:]), err
}

// ManifestRun is a run with rows in the export.
type ManifestRun struct {
	RunID       string  `json:"run_id"`             // no other run has it
	RunHash     string  `json:"run_hash,omitempty"` // missing in exports of earlier versions
	ConfigHash  string  `json:"config_hash"`        // of the settings that change a result
	Preset      string  `json:"preset"`             // search preset
	Policy      string  `json:"policy"`             // e.g. "scripted:noisy"
	PromptAPI   string  `json:"prompt_api"`         // API version the model was shown
	DeployedAPI string  `json:"deployed_api"`       // API version the server enforced
	Software    string  `json:"software"`           // the version that made the rows
	Seed        uint64  `json:"seed"`               // the run's
	Python      Python  `json:"python"`             // of its makers those that ran model-written programs
	Makers      []Maker `json:"makers,omitempty"`   // what made parts of its samples; missing in exports of earlier versions
	Rows        int     `json:"rows"`               // samples of this run
}

// MadeBy returns the makers of the run's samples, whatever version the manifest has.
func (r *ManifestRun) MadeBy() []Maker {
	if r.Makers == nil {
		return r.Python.makers()
	}

	return r.Makers
}

// LintReport says what the linter did with the rows before the selection saw them.
type LintReport struct {
	Checked   int          `json:"checked"`            // trajectories
	Dropped   int          `json:"dropped"`            // of those, the ones it faults
	ByRule    map[Rule]int `json:"dropped_by_rule"`    // each row under the first rule it broke
	Sanitized int          `json:"sanitized_messages"` // messages in which control tokens were broken
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

// FileSum is a file of the export.
type FileSum struct {
	Name   string `json:"name"`   // in the folder
	Bytes  int64  `json:"bytes"`  // its size
	SHA256 string `json:"sha256"` // in hexadecimal
}

// Lineage is one line of the lineage file: where a sample comes from. It holds no text and no answer.
type Lineage struct {
	RunID        string            `json:"run_id"`
	Dataset      string            `json:"dataset"`
	Difficulty   string            `json:"difficulty"`
	Labels       map[string]string `json:"labels,omitempty"` // the question's other ones
	Split        string            `json:"split"`
	QuestionID   string            `json:"question_id"`
	Tree         int               `json:"tree"`
	Node         int               `json:"node"`
	NodePath     string            `json:"node_path"`
	Key          string            `json:"key"`
	PromptAPI    string            `json:"prompt_api"`
	DeployedAPI  string            `json:"deployed_api"`
	Python       string            `json:"python,omitempty"` // what ran its programs, in words
	Makers       string            `json:"makers,omitempty"` // what made parts of it, in words, if that is more
	Turns        int               `json:"turns"`
	Deprecations int               `json:"deprecations"`
	Recovered    int               `json:"recovered"`
	Chars        int               `json:"chars"`
	Tokens       int               `json:"tokens,omitempty"`
}

func lineageOf(r *Row, chars, tokens int) Lineage {
	l := Lineage{
		RunID:        r.RunID,
		Dataset:      r.Labels[envs.LabelDataset],
		Difficulty:   r.Labels[envs.LabelDifficulty],
		Labels:       OtherLabels(r.Labels),
		Split:        r.Split,
		QuestionID:   r.QuestionID,
		Tree:         r.Tree,
		Node:         r.Node,
		NodePath:     r.NodePath,
		Key:          r.Key,
		PromptAPI:    r.PromptAPI,
		DeployedAPI:  r.DeployedAPI,
		Python:       inWords(pythons(r.Makers)),
		Turns:        r.TurnCount,
		Deprecations: r.Deprecations,
		Recovered:    r.Recovered,
		Chars:        chars,
		Tokens:       tokens,
	}
	if all := inWords(r.Makers); all != l.Python {
		l.Makers = all
	}

	return l
}

// addRun counts a row under its run.
func (m *Manifest) addRun(r *Row) {
	run := ManifestRun{
		RunID:       r.RunID,
		RunHash:     r.RunHash,
		ConfigHash:  r.ConfigHash,
		Preset:      r.Preset,
		Policy:      r.Policy,
		PromptAPI:   r.PromptAPI,
		DeployedAPI: r.DeployedAPI,
		Software:    r.Software,
		Seed:        r.Seed,
		Python:      pythonOf(r.Makers),
		Makers:      r.Makers,
	}
	if isUnconfined(r.Makers) {
		m.Unconfined++
	}

	for i := range m.Runs {
		known := m.Runs[i]

		known.Rows = 0
		if reflect.DeepEqual(known, run) {
			m.Runs[i].Rows++
			return
		}
	}

	run.Rows = 1
	m.Runs = append(m.Runs, run)
	slices.SortFunc(m.Runs, func(a, b ManifestRun) int {
		return cmp.Or(cmp.Compare(a.RunHash, b.RunHash), cmp.Compare(a.ConfigHash, b.ConfigHash),
			cmp.Compare(inWords(a.Makers), inWords(b.Makers)), cmp.Compare(a.RunID, b.RunID))
	})
}

// datasetEntry is an entry of dataset_info.json. It has no tags: giving any resets all the others to nothing.
type datasetEntry struct {
	FileName   string            `json:"file_name"`
	Formatting string            `json:"formatting"`
	Columns    map[string]string `json:"columns"`
}

// datasetInfo returns what dataset_info.json says. The names are of files, never of the folder: of a folder
// LLaMA-Factory takes every entry.
func datasetInfo() map[string]datasetEntry {
	columns := map[string]string{"messages": "conversations", "system": "system"}

	return map[string]datasetEntry{
		ParquetDataset: {ParquetFile, "sharegpt", columns},
		JSONLDataset:   {JSONLFile, "sharegpt", columns},
	}
}

// ReadManifest reads the manifest of an export folder.
func ReadManifest(dir string) (*Manifest, error) {
	var m Manifest
	if err := readJSON(filepath.Join(dir, ManifestFile), &m); err != nil {
		return nil, fmt.Errorf("trajectories: read manifest of export %s: %w", dir, err)
	}

	if m.Version < 1 || m.Version > ManifestVersion {
		return nil, fmt.Errorf("trajectories: export %s has manifest version %d, this program reads 1 to %d", dir,
			m.Version, ManifestVersion)
	}

	return &m, nil
}

// readJSON decodes a file that holds one value with no unknown keys.
func readJSON(path string, v any) error {
	data, err := regular.ReadFile(path)
	if err != nil {
		return err
	}

	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()

	if err := d.Decode(v); err != nil {
		return fmt.Errorf("decode %s: %w", path, err)
	}

	return nil
}
