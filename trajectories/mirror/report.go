package mirror

import (
	"cmp"
	"errors"
	"slices"

	"toolevo/envs/toolbench"
)

// Report says what became of calls on their way to a folder of data.
type Report struct {
	Calls    int            `json:"calls"`            // read
	Dropped  map[string]int `json:"dropped"`          // by reason
	Written  Written        `json:"written"`          // by models
	Datasets []Dataset      `json:"datasets"`         // of the folder
	Models   []string       `json:"models"`           // that were asked, e.g. "check openai:m"
	Prompts  string         `json:"prompts"`          // a hash of their prompts
	Sizes    Sizes          `json:"sizes"`            // upper bounds of the splits
	Seed     uint64         `json:"seed"`             // of all random choices
	Inputs   []Input        `json:"inputs"`           // files that were read
	Rules    string         `json:"rules"`            // by which calls are classed: corrected or published
	Failures int            `json:"failures_at_most"` // to be kept
}

// Written counts what models wrote.
type Written struct {
	Verdicts   int            `json:"verdicts"`   // on whether a pair follows its document
	Pairs      int            `json:"pairs"`      // augmented ones, before any were dropped
	Rationales int            `json:"rationales"` // that are trained
	Refused    map[string]int `json:"refused"`    // useless texts, by reason
	Lost       map[string]int `json:"lost"`       // unreadable texts, by reason
}

// Input is a file that was read.
type Input struct {
	Path  string `json:"path"`  // as it was named
	Kind  Kind   `json:"kind"`  // recorded, cached or augmented
	Calls int    `json:"calls"` // in it
}

// Compare orders inputs by kind and path.
func (i Input) Compare(other Input) int {
	return cmp.Or(cmp.Compare(slices.Index(kinds, i.Kind), slices.Index(kinds, other.Kind)),
		cmp.Compare(i.Path, other.Path))
}

// Dataset counts the contents of a file, as the paper's Table 1 does.
type Dataset struct {
	Name       string `json:"name"`       // in dataset_info.json
	Samples    int    `json:"samples"`    // in the file
	APIs       int    `json:"apis"`       // of the samples
	Categories int    `json:"categories"` // of the APIs
}

// NewReport returns an empty report.
func NewReport() *Report {
	return &Report{
		Dropped:  map[string]int{},
		Written:  Written{Refused: map[string]int{}, Lost: map[string]int{}},
		Datasets: []Dataset{},
		Models:   []string{}, Inputs: []Input{},
	}
}

// refuse counts a text that is of no use or cannot be read.
func (r *Report) refuse(why error) {
	if read := refusal(""); errors.As(why, &read) {
		r.Written.Refused[read.Error()]++
	} else {
		r.Written.Lost[why.Error()]++
	}
}

func (r *Report) drop(reason string) { r.dropAll(reason, 1) }

func (r *Report) dropAll(reason string, n int) {
	if n > 0 {
		r.Dropped[reason] += n
	}
}

// count counts the contents of a file of some pairs.
func count(name string, pairs []Pair) Dataset {
	apis, categories := map[toolbench.Key]bool{}, map[string]bool{}
	for i := range pairs {
		apis[pairs[i].Key], categories[pairs[i].Category] = true, true
	}
	return Dataset{name, len(pairs), len(apis), len(categories)}
}
