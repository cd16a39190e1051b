package stored

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/drift"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune"
	"toolevo/finetune/facts"
	"toolevo/finetune/rundir"
	"toolevo/trajectories"
)

// The files of an evaluation's run directory that hold its report, besides rundir.ReportFile.
const (
	ReportMarkdown = "report.md"
	ReportCSV      = "report.csv"
	ReportLaTeX    = "report.tex"
)

// Evaluation is the run of an evaluation and the episodes that belong to it.
type Evaluation struct {
	*Run
	Jobs    []finetune.Job // without environments and policies
	TaskSet string         // hash of its questions
	// Versions are those of the run; each is a family of its own if episodes were played elsewhere,
	// which chose the version of each question.
	Versions *drift.Deployed
	asked    map[string]trajectories.Question
}

// Evaluation returns the evaluation of some questions in the run.
func (r *Run) Evaluation(questions []trajectories.Question) *Evaluation {
	e := &Evaluation{
		Run: r, TaskSet: finetune.TaskSet(questions), Versions: r.Versions,
		asked: map[string]trajectories.Question{},
	}
	if r.played != nil {
		e.Versions = r.Versions.Apart()
	}

	e.Jobs = evalJobs(r.Config, e.Versions, questions)
	if r.played != nil {
		e.countPlayed()
	}

	for _, q := range questions {
		e.asked[q.ID] = q
	}
	return e
}

// countPlayed sets how many episodes of each job were played elsewhere.
func (e *Evaluation) countPlayed() {
	for i := range e.Jobs {
		j := &e.Jobs[i]
		j.Played, j.Repeats = e.played, 1

		for _, task := range j.Tasks {
			j.Repeats = max(j.Repeats, e.played[j.Episode(task)])
		}
	}
}

// OpenEvaluation opens an evaluation to be read.
func OpenEvaluation(ctx context.Context, dir string) (*Evaluation, error) {
	r, err := Open(ctx, dir)
	if err != nil {
		return nil, err
	}

	if kind := r.Manifest.Kind; kind != Evaluated {
		return nil, errors.Join(r.Close(), console.Usage("%s is a run of `toolevo %s`: "+
			"name an evaluation, a run of `toolevo eval`", dir, kind))
	}
	return r.Evaluation(r.Questions), nil
}

// evalJobs returns the cells of the report: by dataset and difficulty, then policy, then API
// version or family of versions. Questions are in that order.
func evalJobs(c *configs.Resolved, d *drift.Deployed, questions []trajectories.Question) []finetune.Job {
	var jobs []finetune.Job

	for start, i := 0, 0; i < len(questions); i++ {
		q := questions[i]
		cell := finetune.CellOf("", "", q.Labels)

		// Questions of a cell are neighbours: the last of them makes the jobs.
		if i+1 < len(questions) && finetune.CellOf("", "", questions[i+1].Labels) == cell {
			continue
		}

		// Tasks have no gold answer: nothing that a policy is shown may hold it.
		var tasks []envs.Task
		for _, q := range questions[start : i+1] {
			tasks = append(tasks,
				envs.Task{ID: q.ID, Labels: q.Labels, Question: q.Text, Tools: q.Tools})
		}

		start = i + 1

		// All jobs of a cell share the tasks and the seed, so that policies and versions are
		// compared on the same questions.
		for _, policy := range c.Policy {
			for _, f := range d.Families {
				jobs = append(jobs, finetune.Job{
					Cell:     finetune.CellOf(policy, f.Name, q.Labels),
					Versions: f.Versions,
					Tasks:    tasks,
					MaxTurns: c.Eval.MaxTurns,
					Repeats:  c.Eval.Repeats,
					Seed:     c.Seed,
					Controller: finetune.Controller{
						Kind: c.Eval.Controller, Tries: c.Eval.Tries, Calls: c.Eval.Calls,
					},
				})
			}
		}
	}

	return jobs
}

// Open opens an environment for each API version, or family of them, and assigns it to its jobs.
func (e *Evaluation) Open(open func(drift.Family) (envs.Environment, error)) error {
	environments := map[string]envs.Environment{}
	for i := range e.Jobs {
		api := e.Jobs[i].Cell.API
		if environments[api] == nil {
			env, err := open(e.Versions.Family(api))
			if err != nil {
				return err
			}

			environments[api] = env
		}

		e.Jobs[i].Env = environments[api]
	}
	return nil
}

// meta returns what the episode of a task in a cell does not know about itself.
func (e *Evaluation) meta(cell finetune.Cell, task envs.Task) trajectories.Meta {
	version := e.Versions.Family(cell.API).Of(e.Config.Seed, task.ID)
	m := trajectories.Meta{
		Run: e.lineage(version), Question: e.labelled(e.asked[task.ID]), Makers: e.makers(),
	}
	m.Run.Policy = cell.Policy
	return m
}

// Episodes returns the episodes that are stored or lost, in the order of the report.
func (e *Evaluation) Episodes(ctx context.Context,
	lost finetune.Lost) iter.Seq2[trajectories.Episode, error] {
	return finetune.Episodes(ctx, e.Store, e.Jobs, lost, e.meta)
}

// Report adds up the episodes.
func (e *Evaluation) Report(ctx context.Context, lost finetune.Lost) (*finetune.Report, error) {
	r, err := finetune.Summarise(e.Jobs, e.Episodes(ctx, lost))
	if err != nil {
		return nil, err
	}

	// Shipped versions are all in one cell of drift. The others are read from the data folder;
	// without it the table by cells is left out.
	if b := (&facts.Board{}); len(e.Versions.Files) > 0 && e.play(ctx, b, lost) == nil {
		r.ByCell(b.Facts)
	}

	r.Feedback = string(e.Config.Environment.Feedback)
	r.TaskSet, r.Engines, r.Warnings = e.TaskSet, engines.InWords(e.Engines), e.Run.Warnings()
	return r, nil
}

// Write writes the episodes and the report into the run directory. That ends the run, unless an
// episode was lost that was not given up, or all were lost.
func (e *Evaluation) Write(ctx context.Context, lost finetune.Lost) (*finetune.Report, error) {
	n, err := trajectories.WriteEpisodes(ctx, e.Dir, e.Episodes(ctx, lost))
	if err != nil {
		return nil, err
	}

	r, err := e.Report(ctx, lost)
	if err != nil {
		return nil, err
	}

	if err := WriteReport(e.Dir, r); err != nil {
		return nil, err
	}

	givenUp, err := e.GivenUp(ctx)
	if err != nil || len(lost) > 0 && (len(lost) > len(givenUp) || len(lost) == n) {
		return r, err // not ended: more is left to do
	}

	if err := e.End(ctx, n); err != nil {
		return r, err
	}

	// Without the data folder tables cannot be made now; the reports that need them make them
	// later.
	_, _ = e.Board(ctx, lost)
	return r, nil
}

// Tables is a report that is written in several formats.
type Tables interface {
	WriteMarkdown(w io.Writer) error
	WriteCSV(w io.Writer) error
	WriteLaTeX(w io.Writer) error
}

// reportTexts returns the files of a report, by name.
func reportTexts(r Tables) (map[string][]byte, error) {
	text, err := console.EncodeJSON(r)

	var markdown, lines, latex bytes.Buffer

	err = errors.Join(err, r.WriteMarkdown(&markdown), r.WriteCSV(&lines), r.WriteLaTeX(&latex))
	return map[string][]byte{
		rundir.ReportFile: text, ReportMarkdown: markdown.Bytes(),
		ReportCSV: lines.Bytes(), ReportLaTeX: latex.Bytes(),
	}, err
}

// WriteReport writes a report into a folder in every format, including JSON.
func WriteReport(dir string, r Tables) error {
	texts, err := reportTexts(r)
	if err != nil {
		return err
	}

	for name, text := range texts {
		if err := disk.Write(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}

	return nil
}

// Lost reads from the episodes' file which were lost. The error wraps fs.ErrNotExist while the file
// does not exist.
func (e *Evaluation) Lost() (finetune.Lost, error) {
	lost := finetune.Lost{}

	for row, err := range trajectories.ReadEpisodes(e.Dir) {
		if err != nil {
			return nil, err
		}

		if row.Lost != "" {
			lost[e.attempt(&row)] = row.Lost
		}
	}
	return lost, nil
}

// attempt returns what identifies an episode.
func (e *Evaluation) attempt(row *trajectories.Episode) finetune.Attempt {
	cell := finetune.CellOf(row.Policy, e.Versions.Cell(row.DeployedAPI), row.Labels)
	name := finetune.Job{Cell: cell}.Episode(envs.Task{ID: row.QuestionID})
	return finetune.Attempt{Episode: name, Repeat: row.Repeat}
}

// CheckFiles compares the files of an evaluation with its store, and returns how many rows they
// have. What is wrong with them is the error.
func (e *Evaluation) CheckFiles(ctx context.Context, lost finetune.Lost) (rows int, err error) {
	rows, problem, err := trajectories.CompareEpisodes(e.Dir, e.Episodes(ctx, lost))
	if err == nil && problem != "" {
		err = errors.New(problem)
	}

	if err == nil {
		err = e.CheckResult()
	}

	if err == nil {
		err = e.checkReport(ctx, lost)
	}
	return rows, err
}

// checkReport makes sure that the report is what the episodes add up to, in every format.
func (e *Evaluation) checkReport(ctx context.Context, lost finetune.Lost) error {
	r, err := e.Report(ctx, lost)
	if err != nil {
		return err
	}

	texts, err := reportTexts(r)
	if err != nil {
		return err
	}

	for _, name := range slices.Sorted(maps.Keys(texts)) {
		have, err := os.ReadFile(filepath.Join(e.Dir, name))
		if err != nil {
			return err
		}

		if !bytes.Equal(have, texts[name]) {
			return fmt.Errorf("%s does not match the episodes", name)
		}
	}
	return nil
}
