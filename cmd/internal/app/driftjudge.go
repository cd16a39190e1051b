package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/kept"
	"toolevo/envs/suite"
	"toolevo/finetune/facts"
	"toolevo/finetune/judge"
	"toolevo/finetune/stored"
	"toolevo/mcts/policy/serving"
)

// JudgedFile keeps, in the folder of an experiment with drift, what the model that judges wrote.
const JudgedFile = "judged.jsonl"

// mostJudgements is how many answers a judge is asked about at the same time.
const mostJudgements = 512

// judge has the job's model judge each evaluation, and returns what it says of its episodes. Without one nothing is
// said of any.
func (j *DriftJob) judge(ctx context.Context, c *configs.Resolved, runs []driftRun) (
	said [][]facts.Verdict, err error) {
	said = make([][]facts.Verdict, len(runs))
	if j.By == "" {
		return said, nil
	}

	writer, err := serving.New(c, nil, nil, j.Servers).Writer(j.By,
		suite.WriterOptions{Temperature: judge.Temperature, MaxTokens: judge.MaxTokens})
	if err != nil {
		return nil, console.Option("by", "%w", err)
	}
	defer writer.Close()

	texts, err := kept.Open(filepath.Join(j.Out, JudgedFile))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, texts.Close()) }()

	model := &judge.Model{Name: j.By, Writer: texts.Writer(fmt.Sprintf("%s %g", j.By, judge.Temperature), writer)}

	for i, m := range runs {
		if said[i], err = j.judged(ctx, model, m.dir); err != nil {
			return nil, j.stopped(err)
		}
	}

	return said, nil
}

// judged has a model judge an evaluation, whose folder gets the verdicts.
func (j *DriftJob) judged(ctx context.Context, model *judge.Model, dir string) (said []facts.Verdict, err error) {
	e, err := stored.OpenEvaluation(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()

	lost, err := e.Lost()
	if err != nil {
		return nil, err
	}

	answers, err := judge.OfEvaluation(ctx, e, lost)
	if err != nil {
		return nil, console.Option("by", "%w", err)
	}
	defer j.Step("Judging " + dir)()

	all, err := judge.Run(ctx, model, answers, judge.Options{
		Scores: []judge.Score{judge.SoPR}, Passes: judge.Passes, Workers: mostJudgements,
	})
	if err != nil {
		return nil, console.GaveUp(err)
	}

	said = all.Verdicts(model.Maker())[dir]
	_ = facts.AddVerdicts(dir, said) // an evaluation that cannot be written can be judged

	return said, nil
}
