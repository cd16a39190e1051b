package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"path/filepath"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/durable"
	"toolevo/envs/sandbox"
	"toolevo/finetune"
	"toolevo/finetune/rundir"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// The files of an evaluation's run directory that hold its report.
const (
	reportJSON     = rundir.ReportFile
	reportMarkdown = "report.md"
	reportCSV      = "report.csv"
	reportLaTeX    = "report.tex"
)

// evaluation is the run directory of an evaluation and the episodes that belong into it.
type evaluation struct {
	run     *store.Run
	jobs    []finetune.Job  // without environments and policies, until it is played
	cells   *deployed       // the API versions of the cells
	stamps  []sandbox.Stamp // of its engines
	taskSet string          // hash of its questions
	meta    func(finetune.Cell, envs.Task) trajectories.Meta
}

// newEvaluation returns the evaluation of some questions in a run.
func newEvaluation(ctx context.Context, run *store.Run, c *configs.Resolved, questions []trajectories.Question) (
	*evaluation, error) {
	stamps, err := stampsOf(ctx, run)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	made, err := makers(ctx, run, c.Python)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	d, err := notedVersions(ctx, run, c)
	if err != nil {
		return nil, err
	}

	byID := map[string]trajectories.Question{}
	for _, q := range questions {
		byID[q.ID] = q
	}

	meta := func(cell finetune.Cell, task envs.Task) trajectories.Meta {
		version := d.family(cell.API).Of(c.Seed, task.ID)
		m := trajectories.Meta{Run: lineage(run, c, version), Question: byID[task.ID], Makers: made}
		m.Run.Policy = cell.Policy

		return m
	}

	return &evaluation{run, evalJobs(c, d, questions), d, stamps, finetune.TaskSet(questions), meta}, nil
}

// evalJobs are the cells of the report: datasets and difficulties, then policies, then API versions or families of
// them. Questions are in that order.
func evalJobs(c *configs.Resolved, d *deployed, questions []trajectories.Question) []finetune.Job {
	var jobs []finetune.Job

	for start, i := 0, 0; i < len(questions); i++ {
		q := questions[i]
		if i+1 < len(questions) && finetune.CellOf("", "", questions[i+1].Labels) == finetune.CellOf("", "", q.Labels) {
			continue
		}

		var tasks []envs.Task
		for _, q := range questions[start : i+1] {
			tasks = append(tasks, envs.Task{ID: q.ID, Labels: q.Labels, Question: q.Text})
		}

		start = i + 1

		for _, policy := range c.Policy {
			for _, f := range d.Families {
				jobs = append(jobs, finetune.Job{
					Cell:     finetune.CellOf(policy, f.Name, q.Labels),
					Versions: f.Versions,
					Tasks:    tasks,
					MaxTurns: c.Eval.MaxTurns,
					Repeats:  c.Eval.Repeats,
					Seed:     c.Seed,
				})
			}
		}
	}

	return jobs
}

// openEnvironments opens an environment for each API version, or family of them, and assigns it to its jobs.
func (e *evaluation) openEnvironments(b *bench) error {
	environments := map[string]envs.Environment{}

	for i := range e.jobs {
		api := e.jobs[i].Cell.API
		if environments[api] == nil {
			env, err := b.environment(e.cells.family(api), e.run)
			if err != nil {
				return err
			}

			environments[api] = env
		}

		e.jobs[i].Env = environments[api]
	}

	return nil
}

// episodes are the episodes that are stored or lost, in the order of the report.
func (e *evaluation) episodes(ctx context.Context, lost finetune.Lost) iter.Seq2[trajectories.Episode, error] {
	return finetune.Episodes(ctx, e.run.Store, e.jobs, lost, e.meta)
}

// report adds up the episodes.
func (e *evaluation) report(ctx context.Context, lost finetune.Lost) (*finetune.Report, error) {
	r, err := finetune.Summarise(e.jobs, e.episodes(ctx, lost))
	if err != nil {
		return nil, err
	}

	r.TaskSet, r.Engines, r.Warnings = e.taskSet, inWords(e.stamps), wallWarnings(e.stamps)

	return r, nil
}

// write writes the episodes and the report into the run directory.
func (e *evaluation) write(ctx context.Context, lost finetune.Lost) (*finetune.Report, error) {
	n, err := trajectories.WriteEpisodes(ctx, e.run.Dir, e.episodes(ctx, lost))
	if err != nil {
		return nil, err
	}

	r, err := e.report(ctx, lost)
	if err != nil {
		return nil, err
	}

	texts, err := reportTexts(r)
	if err != nil {
		return nil, err
	}

	for name, text := range texts {
		write := func(w io.Writer) error { _, err := w.Write(text); return err }
		if err := durable.WriteFile(filepath.Join(e.run.Dir, name), write); err != nil {
			return nil, err
		}
	}

	if len(lost) > 0 {
		return r, nil // there is more to do
	}

	return r, finishRun(ctx, e.run, n)
}

// reportTexts are the files of a report, by name.
func reportTexts(r *finetune.Report) (map[string][]byte, error) {
	text, err := console.EncodeJSON(r)

	var markdown, lines, latex bytes.Buffer

	err = errors.Join(err, r.WriteMarkdown(&markdown), r.WriteCSV(&lines), r.WriteLaTeX(&latex, nil))

	return map[string][]byte{
		reportJSON: text, reportMarkdown: markdown.Bytes(), reportCSV: lines.Bytes(), reportLaTeX: latex.Bytes(),
	}, err
}

// lost reads from the episodes' file which were lost. The error wraps fs.ErrNotExist while there is none.
func (e *evaluation) lost() (finetune.Lost, error) {
	lost := finetune.Lost{}

	for row, err := range trajectories.ReadEpisodes(e.run.Dir) {
		if err != nil {
			return nil, err
		}

		if row.Lost != "" {
			cell := finetune.CellOf(row.Policy, e.cells.cell(row.DeployedAPI), row.Labels)
			name := finetune.Job{Cell: cell}.Episode(envs.Task{ID: row.QuestionID})
			lost[finetune.Attempt{Episode: name, Repeat: row.Repeat}] = row.Lost
		}
	}

	return lost, nil
}
