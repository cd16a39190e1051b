package improve

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"toolevo/envs/disk"
	"toolevo/finetune"
	"toolevo/finetune/tabulate"
)

// Result is what was measured in all rounds.
type Result struct {
	Rounds []Round `json:"rounds"` // in their order
}

// Round is what was collected, trained and measured in a round. Round 0 is the model that training
// begins with.
type Round struct {
	Round       int          `json:"round"`       // its number
	Correct     int          `json:"correct"`     // trajectories that were collected
	Samples     int          `json:"samples"`     // trained, of all rounds so far
	Evaluations []Evaluation `json:"evaluations"` // in the order of the file
	Seconds     float64      `json:"seconds"`     // that its stages took
}

// Evaluation is what was measured on a server.
type Evaluation struct {
	Server  string         `json:"server"`  // by its name in the file
	Rows    []finetune.Row `json:"rows"`    // as in the report of eval
	Overall []finetune.Row `json:"overall"` // likewise
}

// CSVFile is the table of all figures, a line for each round, server and cell.
const CSVFile = "rounds.csv"

// result reads the results from the notes.
func (l *loop) result() (*Result, error) {
	r := &Result{}

	for _, s := range l.stages() {
		n := l.notes.find(s.ID())
		if len(r.Rounds) == 0 || r.Rounds[len(r.Rounds)-1].Round != s.round {
			r.Rounds = append(r.Rounds, Round{Round: s.round, Evaluations: []Evaluation{}})
		}

		if err := r.Rounds[len(r.Rounds)-1].add(s, n); err != nil {
			return nil, fmt.Errorf("stage %s in %s: %w", s.ID(), notesFile, err)
		}
	}
	return r, nil
}

// add adds the result of a stage.
func (r *Round) add(s stage, n *note) error {
	r.Seconds += n.Seconds

	if n.Skipped || s.name == stageTrain {
		return nil
	}

	switch s.name {
	case stageCollect:
		var c struct{ Correct int }
		err := json.Unmarshal(n.Result, &c)
		r.Correct = c.Correct
		return err
	case stageExport:
		var m struct{ Rows int }
		err := json.Unmarshal(n.Result, &m)
		r.Samples = m.Rows
		return err
	}

	var report finetune.Report
	err := json.Unmarshal(n.Result, &report)
	r.Evaluations = append(r.Evaluations, Evaluation{s.server, report.Rows, report.Overall})
	return err
}

// WriteTable writes the official accuracy for a terminal.
func (r *Result) WriteTable(w io.Writer) error { return tabulate.WriteText(w, r.Grids(), 80) }

// Grids returns the official accuracy: a line for each round and server, a column for each API
// version, with its interval.
func (r *Result) Grids() []tabulate.Grid { return grids(r.rows()) }

func grids(rows []tabulate.Row) []tabulate.Grid {
	whole := tabulate.Where(rows, map[string]string{"dataset": tabulate.All})
	return tables().Grids("rounds", map[string][]tabulate.Row{"rounds": whole})
}

//go:embed tables.yaml
var tablesYAML []byte

var tables = tabulate.Embedded(tablesYAML, nil, []string{"rounds"})

// line is what a round measured on a server, in a cell or over all questions.
type line struct {
	Round   string `json:"round"`
	Correct string `json:"correct"`
	Samples string `json:"samples"`
	Server  string `json:"server"`
	finetune.Row
}

func (r *Result) rows() []tabulate.Row {
	var lines []line

	for _, round := range r.Rounds {
		for _, e := range round.Evaluations {
			for _, row := range slices.Concat(e.Rows, e.Overall) {
				lines = append(lines, line{strconv.Itoa(round.Round), strconv.Itoa(round.Correct),
					strconv.Itoa(round.Samples), e.Server, row})
			}
		}
	}

	return tabulate.RowsOf(lines)
}

// ReadCSV returns the tables of the rounds in a folder, from their CSVFile. The error wraps
// fs.ErrNotExist if the folder has none.
func ReadCSV(dir string) ([]tabulate.Grid, error) {
	path := filepath.Join(dir, CSVFile)

	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}

	rows, err := tables().Tables["rounds"].ReadCSV(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s is not a table of rounds: %w", path, err)
	}
	return grids(rows), nil
}

// writeCSV writes every figure of the evaluations.
func (r *Result) writeCSV(path string) error {
	return disk.WriteFile(path, func(w io.Writer) error { return tables().Tables["rounds"].WriteCSV(w, r.rows()) })
}
