package inspectlog

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/finetune"
	"toolevo/trajectories"
)

// The scorers of a log.
const (
	officialScorer = "official"
	strictScorer   = "strict"
)

// Evaluation is what the logs of an evaluation say besides its episodes.
type Evaluation struct {
	RunID    string
	Software string    // the version that played it
	Began    time.Time // when it did
	Suite    string
	Report   *finetune.Report
	MaxTurns int

	API   func(deployed string) string // what the report calls a version
	Shown func(*trajectories.Row) (trajectories.Shown, error)
}

// Write writes a log for each row of the report into a folder, and returns how many episodes the
// logs have, and how many of those were lost. The episodes must be in the order of the report.
func Write(ctx context.Context, dir string, e *Evaluation, episodes iter.Seq2[trajectories.Episode,
	error],
) (n, lost int, err error) {
	next, stop := iter.Pull2(episodes)
	defer stop()

	// One episode is read ahead: the first of another row ends the log of this one.
	played, err, more := next()

	for _, row := range e.Report.Rows {
		err = cmp.Or(err, disk.WriteFile(filepath.Join(dir, e.fileName(row.Cell)),
			func(out io.Writer) error {
				log := &writer{zip: zip.NewWriter(out), evaluation: e, row: row, ids: map[string]bool{}}

				for more && err == nil && e.cellOf(&played) == row.Cell {
					if err := errors.Join(ctx.Err(), log.add(&played)); err != nil {
						return err
					}

					if n++; played.Lost != "" {
						lost++
					}

					played, err, more = next()
				}
				return cmp.Or(err, log.close())
			}))
	}

	// What is left belongs to no row, or is out of order: a log that lacks it would be wrong.
	if err == nil && more {
		err = fmt.Errorf("inspectlog: the episode of %s is in no row of the report", played.Name())
	}
	return n, lost, err
}

func (e *Evaluation) cellOf(played *trajectories.Episode) finetune.Cell {
	return finetune.CellOf(played.Policy, e.API(played.DeployedAPI), played.Labels)
}

// fileName returns the name of a row's log in the form from which inspect_ai reads its date, task
// and ID.
func (e *Evaluation) fileName(cell finetune.Cell) string {
	plain := strings.NewReplacer("_", "-", "/", "-", " ", "-", ":", "-", "*", "-")
	task := fmt.Sprintf("%.100s", plain.Replace(e.task(cell)+"-"+cell.Policy))
	return fmt.Sprintf("%s_%s_%s.eval", e.Began.UTC().Format("2006-01-02T15-04-05+00-00"), task,
		e.id(cell))
}

// task returns the name of what a row measures, the same for all policies.
func (e *Evaluation) task(cell finetune.Cell) string {
	words := []string{e.Suite, cell.Dataset, cell.Difficulty, cell.API}
	return strings.Join(words, "/")
}

// id returns an ID for what the parts name.
func (e *Evaluation) id(parts ...any) string {
	return envs.SHA256(fmt.Sprintf("%s %q", e.RunID, parts))[:22]
}

// modelName returns a policy as inspect_ai names models.
func modelName(policy string) string { return strings.Replace(policy, ":", "/", 1) }

// writer writes one log.
type writer struct {
	zip        *zip.Writer
	evaluation *Evaluation
	row        finetune.Row
	summaries  []summary
	ids        map[string]bool // of the samples
	inOrder    []string
	epochs     int
}

// add adds an episode.
func (w *writer) add(played *trajectories.Episode) error {
	shown, err := w.evaluation.Shown(&played.Row)
	if err != nil {
		return err
	}

	s := w.evaluation.sampleOf(played, shown)
	w.summaries = append(w.summaries, summaryOf(s, played.TurnCount))
	w.epochs = max(w.epochs, s.Epoch)

	if !w.ids[s.ID] {
		w.ids[s.ID] = true
		w.inOrder = append(w.inOrder, s.ID)
	}
	return w.write(fmt.Sprintf("%s%s_epoch_%d.json", samplesDir, s.ID, s.Epoch), s)
}

// close writes the summaries and the header.
func (w *writer) close() error {
	if w.summaries == nil {
		w.summaries = []summary{}
	}
	return errors.Join(w.write(summariesFile, w.summaries), w.write(headerFile, w.header()),
		w.zip.Close())
}

func (w *writer) write(name string, v any) error {
	// Without a date, so that equal evaluations give equal bytes.
	out, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		return err
	}

	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func (w *writer) header() header {
	e, cell := w.evaluation, w.row.Cell
	began := e.Began.UTC().Format(time.RFC3339)
	return header{
		Version: formatVersion,
		Status:  "success",
		Eval: spec{
			EvalID:  e.id(cell),
			RunID:   e.RunID,
			Created: began,
			Task:    e.task(cell),
			// The same for every policy: what they were asked is the same.
			TaskID: e.id(e.task(cell)),
			Solver: "toolevo",
			Dataset: dataset{Name: cell.Dataset, Samples: len(w.inOrder),
				SampleIDs: append([]string{}, w.inOrder...)},
			Model:    modelName(cell.Policy),
			Config:   config{Epochs: max(w.epochs, 1), TurnLimit: e.MaxTurns},
			Packages: map[string]string{"toolevo": e.Software},
			Metadata: map[string]any{
				"policy": cell.Policy, "api": cell.API, "dataset": cell.Dataset,
				"difficulty": cell.Difficulty,
				"feedback":   e.Report.Feedback, "task_set": e.Report.TaskSet,
			},
			Scorers: []scorer{{officialScorer}, {strictScorer}},
		},
		Plan: plan{Name: "plan", Steps: []step{{Solver: "toolevo",
			Params: map[string]string{"policy": cell.Policy}}}},
		// No episode records when it ended, so the log ends when its run began.
		Stats: stats{began, began},
		Results: results{
			TotalSamples:     len(w.summaries),
			CompletedSamples: len(w.summaries) - w.row.Lost,
			Scores: []scoreResult{
				w.result(officialScorer, w.row.Official, w.row.OfficialLow, w.row.OfficialHigh),
				w.result(strictScorer, w.row.Strict, w.row.StrictLow, w.row.StrictHigh),
			},
		},
	}
}

// result returns an accuracy and its 95 % interval.
func (w *writer) result(scorer string, accuracy, low, high float64) scoreResult {
	metrics := map[string]metric{}
	for name, value := range map[string]float64{"accuracy": accuracy, "low": low, "high": high} {
		metrics[name] = metric{name, value}
	}
	return scoreResult{
		Name: scorer, Scorer: scorer, ScoredSamples: len(w.summaries) - w.row.Lost,
		UnscoredSamples: w.row.Lost,
		Metrics:         metrics,
	}
}
