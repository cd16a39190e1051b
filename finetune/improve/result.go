package improve

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/durable"
	"toolevo/finetune"
	"toolevo/finetune/tabulate"
)

// Result is what was measured in all rounds.
type Result struct {
	Rounds []Round `json:"rounds"` // in their order
}

// Round is what was collected, trained and measured in a round. Round 0 is the model that training begins with.
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

// result is what the notes say.
func (l *loop) result() (*Result, error) {
	r := &Result{}

	for _, s := range l.stages() {
		n := l.notes.of(s.ID())
		if len(r.Rounds) == 0 || r.Rounds[len(r.Rounds)-1].Round != s.round {
			r.Rounds = append(r.Rounds, Round{Round: s.round, Evaluations: []Evaluation{}})
		}

		if err := r.Rounds[len(r.Rounds)-1].add(s, n); err != nil {
			return nil, fmt.Errorf("stage %s in %s: %w", s.ID(), notesFile, err)
		}
	}

	return r, nil
}

// add adds what a stage came to.
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

// WriteTable writes the official accuracy for a terminal: a line for each round and server, a column for each API
// version, with its interval.
func (r *Result) WriteTable(w io.Writer) error {
	var lines []line

	for _, round := range r.Rounds {
		for _, e := range round.Evaluations {
			for _, row := range e.Overall {
				lines = append(lines, line{strconv.Itoa(round.Round), strconv.Itoa(round.Correct),
					strconv.Itoa(round.Samples), e.Server, row})
			}
		}
	}

	return tabulate.WriteText(w, tables.Views["rounds"].Grids(tabulate.RowsOf(lines)), 80)
}

//go:embed tables.yaml
var tablesYAML []byte

var tables = tabulate.MustRead(tablesYAML)

// line is what a round measured on a server under an API version, over all questions.
type line struct {
	Round   string `json:"round"`
	Correct string `json:"correct"`
	Samples string `json:"samples"`
	Server  string `json:"server"`
	finetune.Row
}

// csvColumns are the columns of CSVFile.
var csvColumns = []string{"round", "correct", "samples", "server", "policy", "api", "dataset", "difficulty", "n",
	"lost", "official", "official_low", "official_high", "strict", "strict_low", "strict_high", "turns"}

// ReadCSV reads what the rounds in a folder measured from their CSVFile, which has no seconds. The error wraps
// fs.ErrNotExist where there is none.
func ReadCSV(dir string) (*Result, error) {
	path := filepath.Join(dir, CSVFile)

	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()

	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}

	if len(lines) == 0 || !slices.Equal(lines[0], csvColumns) {
		return nil, fmt.Errorf("%s is not a table of rounds: want the columns %s", path, strings.Join(csvColumns, ","))
	}

	r := &Result{}

	for i, line := range lines[1:] {
		if err := r.addLine(line); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, i+2, err)
		}
	}

	return r, nil
}

// addLine adds a line of the CSV.
func (r *Result) addLine(line []string) error {
	f := fields{values: line}
	round := Round{Round: f.count(0), Correct: f.count(1), Samples: f.count(2)}
	row := finetune.Row{
		Cell:     finetune.Cell{Policy: line[4], API: line[5], Dataset: line[6], Difficulty: line[7]},
		N:        f.count(8),
		Lost:     f.count(9),
		Official: f.number(10), OfficialLow: f.number(11), OfficialHigh: f.number(12),
		Strict: f.number(13), StrictLow: f.number(14), StrictHigh: f.number(15),
		Turns: f.number(16),
	}

	if len(r.Rounds) == 0 || r.Rounds[len(r.Rounds)-1].Round != round.Round {
		r.Rounds = append(r.Rounds, round)
	}

	last := &r.Rounds[len(r.Rounds)-1]
	if n := len(last.Evaluations); n == 0 || last.Evaluations[n-1].Server != line[3] {
		last.Evaluations = append(last.Evaluations, Evaluation{Server: line[3]})
	}

	e := &last.Evaluations[len(last.Evaluations)-1]
	if row.Dataset == tabulate.All {
		e.Overall = append(e.Overall, row)
	} else {
		e.Rows = append(e.Rows, row)
	}

	return f.err
}

// fields reads numbers from the fields of a line; err is the first that is none.
type fields struct {
	values []string
	err    error
}

func (f *fields) count(i int) int {
	n, err := strconv.Atoi(f.values[i])
	f.err = cmp.Or(f.err, err)

	return n
}

func (f *fields) number(i int) float64 {
	x, err := strconv.ParseFloat(f.values[i], 64)
	f.err = cmp.Or(f.err, err)

	return x
}

// writeCSV writes every figure of the evaluations.
func (r *Result) writeCSV(path string) error {
	return durable.WriteFile(path, func(w io.Writer) error {
		out := csv.NewWriter(w)

		lines := [][]string{csvColumns}

		for _, round := range r.Rounds {
			for _, e := range round.Evaluations {
				for _, row := range slices.Concat(e.Rows, e.Overall) {
					lines = append(lines, append([]string{
						strconv.Itoa(round.Round), strconv.Itoa(round.Correct), strconv.Itoa(round.Samples), e.Server,
						row.Policy, row.API, row.Dataset, row.Difficulty, strconv.Itoa(row.N), strconv.Itoa(row.Lost),
					}, decimals(row.Official, row.OfficialLow, row.OfficialHigh, row.Strict, row.StrictLow,
						row.StrictHigh, row.Turns)...))
				}
			}
		}

		return out.WriteAll(lines)
	})
}

func decimals(all ...float64) []string {
	texts := make([]string, len(all))
	for i, f := range all {
		texts[i] = strconv.FormatFloat(f, 'f', 4, 64)
	}

	return texts
}
