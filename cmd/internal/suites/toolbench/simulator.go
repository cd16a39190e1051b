package toolbench

import (
	"context"
	"slices"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/kept"
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

// simulating says which simulators are measured, and how.
type simulating struct {
	asking
	out, simulators, mode   string
	judge, embedder, format string
}

func simulatorCommand() suite.Command {
	o := simulating{mode: string(virtual.SFT), format: stored.TableFormats()[0]}
	return suite.Command{
		Use: "eval simulator FILE...", Help: helpTexts, Progress: true, Document: fidelity.Report{},
		Configured: &suite.Configured{Models: true, Flags: []string{"prompts"}},
		Options: append(o.options(), formatOption(&o.format),
			suite.Option{Name: "simulator", Value: &o.simulators,
				Usage: "`NAMES` of models that answer first, " + serving.Offers() +
					", separated by commas (default: the files have answers)"},
			suite.Option{Name: "mode", Value: &o.mode,
				Usage: "with --simulator: `NAME` of how they are asked: sft, cot, or " +
					"mirrorapi-sft and mirrorapi-cot in the words of --prompts",
				Names: names.Texts(func() []virtual.Mode {
					return slices.DeleteFunc(virtual.Modes(), func(m virtual.Mode) bool {
						return m == virtual.FewShot // which takes answers of a cache
					})
				})},
			suite.Option{Name: "judge", Value: &o.judge,
				Usage: "`KIND:MODEL` that rates answers from 1 to 10"},
			suite.Option{Name: "embedder", Value: &o.embedder,
				Usage: "`MODEL` whose embeddings are compared, at the server's /v1/embeddings"},
			suite.OutOption(&o.out, "keep answers, judgements and the report in the folder "+
				"`DIR`; run the same "+
				"command again to resume")),
		Run: o.run,
	}
}

// run measures the cases of files, and writes the report.
func (o *simulating) run(ctx context.Context, c *suite.Call) (err error) {
	cases, err := o.read(c.Args)
	if err != nil {
		return err
	}

	if err := o.open(c, o.out); err != nil {
		return err
	}

	report, err := o.measure(ctx, cases)
	if err != nil {
		return err
	}

	if o.out != "" {
		if err := stored.WriteReport(o.out, report); err != nil {
			return err
		}
	}

	if n := report.Lost(); n > 0 {
		c.Say("%d judgements could not be read in %d tries each; the figures are of the others.", n,
			fidelity.JudgeTries)
	}
	return c.Result(report, tables(report, o.format), nil)
}

// read reads the cases of all files, which have answers or are to be answered.
func (o *simulating) read(files []string) (all []fidelity.Case, err error) {
	for _, file := range files {
		cases, err := fidelity.Read(file)
		if err != nil {
			return nil, err
		}

		open := slices.IndexFunc(cases, func(c fidelity.Case) bool { return c.Model == "" })
		if open >= 0 && o.simulators == "" {
			return nil, console.Option("simulator",
				"it is missing, and case %d of %s has no answer (predict)", open+1,
				file)
		}

		all = append(all, cases...)
	}
	return all, nil
}

// measure asks the simulators and the judge.
func (o *simulating) measure(ctx context.Context, cases []fidelity.Case) (*fidelity.Report, error) {
	var err error

	// Without simulators the cases come with their answers.
	if o.simulators != "" {
		if cases, err = o.simulate(ctx, cases); err != nil {
			return nil, err
		}
	}

	// The judge's texts are kept, too, so that the same command asks for none twice.
	m := fidelity.Options{
		Kept: o.models.Texts(), Prompts: o.models.Prompts(), Seed: o.seed, Workers: o.workers,
	}

	if o.judge != "" {
		if m.Judge, err = o.models.Writer(o.judge,
			suite.WriterOptions{MaxTokens: judgeTokens}); err != nil {
			return nil, console.Option("judge", "%w", err)
		}
	}

	if o.embedder != "" {
		if m.Embedder, err = o.models.Embedder(o.embedder); err != nil {
			return nil, console.Option("embedder", "%w", err)
		}
	}

	m.Done = o.call.Progress.Step("measured")
	return fidelity.Measure(ctx, cases, m)
}

// simulate has every simulator answer every case.
func (o *simulating) simulate(ctx context.Context, cases []fidelity.Case) (
	all []fidelity.Case, err error) {
	// Test sets are worded for the mode sft. Those in our words follow the user's prompts; the
	// others keep the words of their author.
	mode, told := virtual.Mode(o.mode), o.models.Prompts()
	ours := virtual.SFT.Instructions(kept.Prompts{})

	for i := range cases {
		if c := &cases[i]; mode != virtual.SFT || c.System == ours {
			if c.System, c.Instruction, err = mode.Reword(c.Instruction, told); err != nil {
				return nil, console.Option("prompts", "%w: --mode %s asks in its words", err, mode)
			}
		}
	}

	for name := range strings.SplitSeq(o.simulators, ",") {
		name = strings.TrimSpace(name)

		w, err := o.models.Writer(name, suite.WriterOptions{MaxTokens: simulatorTokens})
		if err != nil {
			return nil, console.Option("simulator", "%w", err)
		}

		// The mode is part of the name: one model may be measured in several.
		answered, err := fidelity.Simulate(ctx, cases, name+" "+o.mode, w, fidelity.Options{
			Prompts: o.models.Prompts(), Seed: o.seed, Workers: o.workers,
			Done: o.call.Progress.Step("answered by " + name),
		})
		if err != nil {
			return nil, err
		}

		all = append(all, answered...)
	}
	return all, nil
}
