package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench/virtual"
	"toolevo/finetune/fidelity"
	"toolevo/finetune/stored"
	"toolevo/mcts/policy/serving"
)

// The settings of the paper: simulators and the judge are greedy.
const (
	simulatorTokens = 2048 // of an answer
	judgeTokens     = 1024 // of a judgement
)

// simulatorOptions are the flags of `eval simulator`.
type simulatorOptions struct {
	*writers
	out, simulators, mode  string
	judge, embedder, write string
	asJSON                 *bool
}

func (a *app) evalSimulatorCommand() *cobra.Command {
	cmd := newCommand("simulator FILE...")
	o := &simulatorOptions{writers: a.addWriters(cmd), asJSON: console.JSONFlag(cmd)}
	flags := cmd.Flags()
	flags.StringVar(&o.simulators, "simulator", "", "`NAMES` of models that answer first, "+
		serving.Offers()+", separated by commas (default: the files have answers)")
	flags.StringVar(&o.mode, "mode", string(virtual.SFT), "with --simulator: `NAME` of how they are asked: sft, or cot")
	flags.StringVar(&o.judge, "judge", "", "`KIND:MODEL` that rates answers from 1 to 10")
	flags.StringVar(&o.embedder, "embedder", "", "`MODEL` whose embeddings are compared, at the server's "+
		"/v1/embeddings")
	formatFlag(cmd, &o.write)
	flags.StringVar(&o.out, "out", "", "keep answers, judgements and the report in the folder `DIR`; the same command "+
		"goes on there")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) }

	return cmd
}

// run measures the cases of files, and writes the report.
func (o *simulatorOptions) run(cmd *cobra.Command, files []string) (err error) {
	if err := o.check(); err != nil {
		return err
	}

	cases, err := o.read(files)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, o.shut()) }()

	if err := o.open(cmd, o.out); err != nil {
		return err
	}

	report, err := o.measure(cmd.Context(), cases)
	if err != nil {
		return o.stopped(cmd.Context(), err)
	}

	if o.out != "" {
		if err := stored.WriteReport(o.out, report); err != nil {
			return err
		}
	}

	err = o.app.showTables(*o.asJSON, report, report, o.write)
	if n := report.Lost(); err == nil && n > 0 {
		o.app.Say("%d judgements could not be read in %d tries each; the figures are of the others.", n,
			fidelity.JudgeTries)
	}

	return err
}

// check refuses flags that make no sense.
func (o *simulatorOptions) check() error {
	if err := checkFormat(o.write); err != nil {
		return err
	}

	if _, err := names.Parse("mode", o.mode, []virtual.Mode{virtual.SFT, virtual.CoT}); err != nil {
		return console.Usage("--mode: %w", err)
	}

	return nil
}

// read reads the cases of all files, which have answers or are to be answered.
func (o *simulatorOptions) read(files []string) (all []fidelity.Case, err error) {
	for _, file := range files {
		cases, err := fidelity.Read(file)
		if err != nil {
			return nil, err
		}

		open := slices.IndexFunc(cases, func(c fidelity.Case) bool { return c.Model == "" })
		if open >= 0 && o.simulators == "" {
			return nil, console.Usage("case %d of %s has no answer of a simulator (predict): name one with --simulator",
				open+1, file)
		}

		all = append(all, cases...)
	}

	return all, nil
}

// measure asks the simulators and the judge.
func (o *simulatorOptions) measure(ctx context.Context, cases []fidelity.Case) (*fidelity.Report, error) {
	var err error

	if o.simulators != "" {
		if cases, err = o.simulate(ctx, cases); err != nil {
			return nil, err
		}
	}

	m := fidelity.Options{Kept: o.texts, Seed: *o.seed, Workers: *o.workers}

	if o.judge != "" {
		if m.Judge, err = o.writer(o.judge, suite.WriterOptions{MaxTokens: judgeTokens}); err != nil {
			return nil, console.Usage("--judge: %w", err)
		}
	}

	if o.embedder != "" {
		if m.Embedder, err = o.embedding(o.embedder); err != nil {
			return nil, console.Usage("--embedder: %w", err)
		}
	}

	set, stop := o.follow("measured")
	defer stop()

	m.Done = set

	return fidelity.Measure(ctx, cases, m)
}

// simulate has every simulator answer every case.
func (o *simulatorOptions) simulate(ctx context.Context, cases []fidelity.Case) (all []fidelity.Case, err error) {
	if o.mode == string(virtual.CoT) {
		for i := range cases {
			cases[i].System = virtual.CoT.Instructions()
		}
	}

	for name := range strings.SplitSeq(o.simulators, ",") {
		name = strings.TrimSpace(name)

		w, err := o.writer(name, suite.WriterOptions{MaxTokens: simulatorTokens})
		if err != nil {
			return nil, console.Usage("--simulator: %w", err)
		}

		set, stop := o.follow("answered by " + name)
		answered, err := fidelity.Simulate(ctx, cases, name+" "+o.mode, w,
			fidelity.Options{Seed: *o.seed, Workers: *o.workers, Done: set})

		stop()

		if err != nil {
			return nil, err
		}

		all = append(all, answered...)
	}

	return all, nil
}
