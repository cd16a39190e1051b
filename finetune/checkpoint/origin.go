// Package checkpoint says what a checkpoint was trained on: a file beside its weights names the
// export, the runs of it, the recipe and the model that it was trained from, and what that was
// trained on in turn.
//
// # Guarantees
//
// The file is written when the training is over, and weights that were copied or merged take it
// along. It is read by this program alone: servers and trainers leave it as it is.
package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"toolevo/envs/disk"
	"toolevo/trajectories/export"
)

// File is the name of the file, in the folder of the weights.
const File = "toolevo.json"

// Origin says what weights were trained on.
type Origin struct {
	Version   int    `json:"origin_version"`
	Software  string `json:"software"`          // the version of toolevo that had them trained
	Trainer   string `json:"trainer"`           // e.g. "LLaMA-Factory 0.9.5"
	Recipe    string `json:"recipe"`            // its name
	Arguments string `json:"arguments"`         // the trainer's, as YAML
	Template  string `json:"template"`          // the chat template that was trained
	Step      int64  `json:"step,omitempty"`    // updates before these weights; 0 is all of them
	Adapter   bool   `json:"adapter,omitempty"` // the weights are an adapter of the base, not merged with it
	Base      Base   `json:"base"`

	Sources []Source `json:"sources"` // what was trained

	Weights map[string]string `json:"weights,omitempty"` // the XXH3 of each file of weights, by its name
}

// OriginVersion is the version of [Origin].
const OriginVersion = 2

// Source is data that was trained on: an export, or somebody else's dataset.
type Source struct {
	Name    string  `json:"name"`             // of the dataset
	Folder  string  `json:"folder"`           // that it was in
	Rows    int     `json:"rows"`             // samples that it had
	Weight  float64 `json:"weight,omitempty"` // in the mixture; 0: each sample once in an epoch
	Trained int     `json:"trained"`          // samples of an epoch
	SHA256  string  `json:"sha256,omitempty"` // of the file of a dataset of others
	Export  *Export `json:"export,omitempty"` // missing of a dataset of others
}

// Export is an export of this program.
type Export struct {
	Seal      string        `json:"seal"`      // of its manifest: no other export has it
	Format    export.Format `json:"format"`    // of the samples
	Questions int           `json:"questions"` // that they answer
	Runs      []Run         `json:"runs"`      // that samples come from
}

// Run is a run that samples come from.
type Run struct {
	RunID       string `json:"run_id"`       // no other run has it
	RunHash     string `json:"run_hash"`     // of what it was made of
	Policy      string `json:"policy"`       // e.g. "scripted:noisy"
	Suite       string `json:"suite"`        // the benchmark
	PromptAPI   string `json:"prompt_api"`   // API version the model was shown
	DeployedAPI string `json:"deployed_api"` // API version the server enforced
	Rows        int    `json:"rows"`         // samples of the run
}

// Base is the model that training began with.
type Base struct {
	Model  string  `json:"model"`            // as it was named: a folder, or a name of a model hub
	Origin *Origin `json:"origin,omitempty"` // what it was trained on, where that is known
}

// ExportOf describes an export by its manifest.
func ExportOf(m *export.Manifest) *Export {
	e := &Export{Seal: m.Seal, Format: m.Format, Questions: m.Questions}
	for _, r := range m.Runs {
		e.Runs = append(e.Runs,
			Run{r.RunID, r.RunHash, r.Policy, r.Suite, r.PromptAPI, r.DeployedAPI, r.Rows})
	}
	return e
}

// BaseOf describes the model that training begins with. A model that this program did not train has
// no origin.
func BaseOf(model string) (Base, error) {
	o, err := Read(model)
	if errors.Is(err, fs.ErrNotExist) {
		return Base{Model: model}, nil
	}
	return Base{model, o}, err
}

// Write writes the origin of the weights in a folder.
func (o *Origin) Write(folder string) error {
	return disk.WriteFile(filepath.Join(folder, File), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(o)
	})
}

// Read reads the origin of the weights in a folder. The error wraps [fs.ErrNotExist] if it has
// none.
func Read(folder string) (*Origin, error) {
	path := filepath.Join(folder, File)

	text, err := disk.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}

	if err := disk.CheckJSON(path, text, "origin_version", OriginVersion); err != nil {
		return nil, fmt.Errorf("checkpoint: %w, or remove the file to use the weights without it", err)
	}

	var o Origin
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("checkpoint: %s: %w", path, err)
	}
	return &o, nil
}
