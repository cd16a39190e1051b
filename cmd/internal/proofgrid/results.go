package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"toolevo/envs/disk"
	"toolevo/finetune/facts"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories"
)

// The files of a cell in the results.
const (
	factsFile    = "facts.csv"
	manifestFile = "manifest.json"
)

// episode is a line of facts.csv: a question under an API version.
type episode struct {
	API        string  `json:"api"`      // as the grid names it
	Baseline   string  `json:"baseline"` // "none" for the policy alone
	Version    string  `json:"version"`  // that was deployed, one of a family
	Template   string  `json:"template"`
	Question   string  `json:"question"`
	Measured   int     `json:"measured"` // 1 if it was not lost to a failure of infrastructure
	Official   int     `json:"official"` // these are 1 or 0, too
	Strict     int     `json:"strict"`
	Unanswered int     `json:"unanswered"`
	Met        int     `json:"met"`     // tools that were met as deprecated
	Adapted    int     `json:"adapted"` // those of them that were called with success afterwards
	Turns      int     `json:"turns"`
	Repeated   int     `json:"repeated"` // turns that make a call again that failed in the same way
	Tokens     int     `json:"tokens"`   // that the model wrote
	Seconds    float64 `json:"seconds"`
	Outcomes   string  `json:"outcomes"` // of turns, such as "deprecated 2 ok 5"
}

// manifest says what a cell was made of, and what it took.
type manifest struct {
	Cell       *cell              `json:"cell"`
	Commit     string             `json:"commit"`             // that was checked out at the end
	Settings   string             `json:"settings,omitempty"` // hash of all commands
	Hashes     map[string]string  `json:"hashes"`             // SHA-256 of inputs and outputs
	Samples    int                `json:"samples"`
	Seconds    map[string]float64 `json:"seconds"` // of stages, of the attempt that ended them
	Attempts   int                `json:"attempts"`
	Processors int                `json:"processors"`
	Load       string             `json:"load"` // of the machine at the end: of 1, 5 and 15 minutes
	Ended      string             `json:"ended"`
}

// store writes the results of a cell, all at once.
func (d *driver) store(c *cell, done notes) error {
	m, err := d.manifest(c, done)
	if err != nil {
		return err
	}

	var all []episode

	for _, name := range c.APIs {
		rows, err := trajectories.ReadTable[facts.Fact](
			filepath.Join(d.workPath(c, "eval-"+name), facts.FactsFile))
		if err != nil {
			return err
		}

		for _, f := range rows {
			all = append(all, episodeOf(name, f))
		}
	}

	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}

	// The manifest marks the cell as done, so it comes last where folders cannot be exchanged.
	return disk.ReplaceFolder(filepath.Join(d.results, c.Name), func(dir string) error {
		write := func(w io.Writer) error { return writeCSV(w, all) }
		if err := disk.WriteFile(filepath.Join(dir, factsFile), write); err != nil {
			return err
		}
		return disk.Write(filepath.Join(dir, manifestFile), append(text, '\n'))
	})
}

// manifest returns the manifest of a cell that has ended.
func (d *driver) manifest(c *cell, done notes) (m *manifest, err error) {
	m = &manifest{
		Cell: c, Commit: d.commit, Hashes: map[string]string{},
		Seconds: done.Seconds, Attempts: done.Attempts,
		Processors: runtime.NumCPU(), Ended: time.Now().UTC().Format(time.RFC3339),
	}

	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load = strings.Join(strings.Fields(string(load))[:3], " ")
	}

	if m.Settings, err = d.settings(c); err != nil {
		return nil, err
	}

	if m.Samples, err = d.countSamples(c); err != nil {
		return nil, err
	}

	// Hashed while they exist: weights are removed once no cell needs them.
	return m, d.hash(c, m)
}

// samplesPath returns the file of the samples of a part of the cell's set, which has one in each
// line.
func (d *driver) samplesPath(c *cell, part int) string {
	return filepath.Join(d.exportPath(c, part), "toolevo_sft.jsonl")
}

// countSamples counts what the cell was trained on.
func (d *driver) countSamples(c *cell) (n int, err error) {
	if !c.isTraining() {
		return 0, nil
	}

	for i := range d.grid.Sets[c.Set] {
		text, err := os.ReadFile(d.samplesPath(c, i))
		if err != nil {
			return 0, err
		}

		n += strings.Count(string(text), "\n")
	}
	return n, nil
}

// hash notes the hashes of the inputs, the samples and the weights.
func (d *driver) hash(c *cell, m *manifest) error {
	folder, err := d.weights(c)
	if err != nil {
		return err
	}

	// The program is an input, too: another build may collect and train otherwise.
	files := map[string]string{"program": d.toolevo}

	weights := filepath.Join(folder, "*.safetensors")

	for _, pattern := range append(slices.Clone(d.grid.Inputs), weights) {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}

		for _, path := range found {
			name := path

			// Weights have one name wherever they are: several cells may measure the same.
			if pattern == weights {
				name = "weights/" + filepath.Base(path)
			}

			files[name] = path
		}
	}

	if c.isTraining() {
		for i := range d.grid.Sets[c.Set] {
			files[fmt.Sprintf("samples-%d", i)] = d.samplesPath(c, i)
		}
	}

	for name, path := range files {
		sum, _, err := disk.Sum(path)
		if err != nil {
			return err
		}

		m.Hashes[name] = sum
	}
	return nil
}

func episodeOf(api string, f facts.Fact) episode {
	_, baseline, ok := strings.Cut(f.Policy, "+")
	if !ok {
		baseline = "none"
	}

	e := episode{
		API: api, Baseline: baseline, Version: f.Deployed,
		Template: f.Template, Question: f.Question,
		Measured: number(f.Measured), Official: number(f.Official),
		Strict: number(f.Strict), Unanswered: number(f.Unanswered),
		Met: f.ToolsMet, Adapted: f.ToolsAdapted,
		Turns: f.Turns, Repeated: f.RepeatedTurns, Tokens: f.Tokens,
		Seconds: float64(int(10*f.Seconds)) / 10,
	}

	var outcomes []string

	counts := reflect.ValueOf(f.Outcomes)
	for i, field := range reflect.VisibleFields(counts.Type()) {
		if n := counts.Field(i).Int(); n > 0 {
			outcomes = append(outcomes, fmt.Sprint(field.Tag.Get("json"), " ", n))
		}
	}

	e.Outcomes = strings.Join(outcomes, " ")
	return e
}

// number is how facts.csv says yes or no.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// writeCSV writes episodes.
func writeCSV(w io.Writer, all []episode) error {
	return tables().Tables["episodes"].WriteCSV(w, tabulate.RowsOf(all))
}

// readCSV reads what writeCSV wrote.
func readCSV(path string) ([]episode, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}

	rows, err := tables().Tables["episodes"].ReadCSV(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tabulate.As[episode](rows), nil
}
