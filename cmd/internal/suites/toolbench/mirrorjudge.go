package toolbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"toolevo/envs/console"
	"toolevo/envs/kept"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench/virtual"
	"toolevo/finetune/facts"
	"toolevo/finetune/judge"
	"toolevo/finetune/judge/labels"
	"toolevo/mcts/store"
)

// JudgeData is what `mirror judge` prints.
type JudgeData struct {
	Out string `json:"out"` // the folder
	*labels.Report
}

// judgeTraining says what training data of a judge is to be made.
type judgeTraining struct {
	labels.Plan
	out, prompts string
}

func mirrorJudgeCommand() suite.Command {
	o := judgeTraining{Plan: labels.Plan{HeldOut: 10, Seed: 1}}
	return suite.Command{
		Use: "mirror judge RUN|LABELS...", Help: helpTexts, Document: JudgeData{},
		Options: []suite.Option{
			{Name: "out", Value: &o.out, Required: true,
				Usage: "write the data into the folder `DIR` (required)"},
			{Name: "people", Value: &o.People,
				Usage: "`NAMES` of labellers who are people: they measure models, and train nobody"},
			{Name: "reinforced", Value: &o.Reinforced,
				Usage: "one sample of each model's label, under its name and with its weight"},
			{Name: "expert", Value: &o.Expert,
				Usage: "`NAME` of the model that is trusted most (default: the one that agrees most " +
					"with people, or else with the others)"},
			{Name: "held-out", Value: &o.HeldOut,
				Usage: "hold `N` percent of the queries out, unless people labelled some"},
			{Name: "prompts", Value: &o.prompts,
				Usage: "folder `DIR` with fac.txt or complete.txt, what the judge is asked (default: " +
					"as eval judge asks)"},
			suite.SeedOption(&o.Seed),
		},
		Run: o.run,
	}
}

// judgePrompt returns what the judge is asked: the published words if the user has them, or else
// ours.
func (o *judgeTraining) judgePrompt() (string, error) {
	prompts, err := kept.ReadPrompts(o.prompts)
	if err != nil {
		return "", err
	}

	text, err := prompts.Need(virtual.CompletePrompt, "{query}", "{answer}")
	if errors.Is(err, kept.ErrNoPrompt) {
		return judge.OwnCompletePrompt(prompts), nil
	}
	return text, err
}

// run makes the data.
func (o *judgeTraining) run(ctx context.Context, c *suite.Call) (err error) {
	if o.HeldOut > 99 {
		return console.Option("held-out", "it is %d, want at most 99", o.HeldOut)
	}

	if o.Prompt, err = o.judgePrompt(); err != nil {
		return console.Option("prompts", "%w", err)
	}

	var all []labels.Label

	unread := 0

	for _, arg := range c.Args {
		read, lost, err := o.read(ctx, arg)
		if err != nil {
			return console.Usage("%w", err)
		}

		all, unread = append(all, read...), unread+lost
	}

	// Verdicts that could not be read are reported, not dropped in silence.
	report, err := o.Write(o.out, all, unread, c.Version)

	// Without labels, or with an expert who gave none, the arguments are wrong, and not the data.
	switch {
	case errors.Is(err, labels.ErrNoLabels), errors.Is(err, labels.ErrExpert):
		return console.Usage("%w", err)
	case err != nil:
		return err
	}

	return c.Result(JudgeData{o.out, report}, func(w io.Writer) {
		printJudgeData(w, report)
		c.Say("Once a model is trained on it: toolevo %s", console.Shell("eval", "judge", "RUN", "--by",
			"openai:MODEL", "--score", "fac", "--fac-prompt", facPrompts[1], "--prompts", o.out,
			"--out", "judged"))
	}, nil)
}

// read reads the labels of a file, or what models said of the answers of an evaluation.
func (o *judgeTraining) read(ctx context.Context, path string) (
	all []labels.Label, unread int, err error) {
	if _, err := store.ReadManifest(path); err != nil {
		return labels.Read(path)
	}

	answers, err := playedAnswers(ctx, path)
	if err != nil {
		return nil, 0, err
	}

	verdicts, err := facts.ReadVerdicts(path)
	if err != nil {
		return nil, 0, err
	}

	byKey := map[facts.Key]*judge.Answer{}
	for i := range answers {
		byKey[answers[i].Key] = &answers[i]
	}

	for _, v := range verdicts {
		a := byKey[v.Key]

		// Another score, a person's verdict and an answer that says nothing teach no judge of
		// completeness.
		model, isModel := modelOf(v.Judge)
		if v.Score != string(judge.FAC) || !isModel || a == nil || a.Said() == "" {
			continue
		}

		// An unreadable verdict is no label, but the report counts it.
		if !v.Read {
			unread++
			continue
		}

		all = append(all, labels.Label{Query: a.Given.Query, Answer: a.Said(), By: model, Solved: v.Value == 1})
	}

	if len(all)+unread == 0 {
		return nil, 0, fmt.Errorf("no model judged completeness in %s: toolevo %s", path,
			console.Shell("eval", "judge", path, "--by", "openai:MODEL", "--score", "fac", "--out", "judged"))
	}
	return all, unread, nil
}

// modelOf returns the name of the model that a verdict is of, without the kind of its server and
// its prompts.
func modelOf(by string) (name string, ok bool) {
	name, _, _ = strings.Cut(by, " ")
	_, name, ok = strings.Cut(name, ":")
	return name, ok
}

// printJudgeData prints who labelled, how labellers agree, and what there is.
func printJudgeData(w io.Writer, r *labels.Report) {
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tabs, "LABELLER\tLABELS\tSOLVED %\tWEIGHT")

	for _, l := range r.Labellers {
		// People measure models and train none, so their labels have no weight.
		weight := fmt.Sprint(l.Weight)
		if l.Person {
			weight = "a person"
		}

		fmt.Fprintf(tabs, "%s\t%d\t%.1f\t%s\n", l.Name, l.Labels, 100*l.Solved, weight)
	}

	if len(r.Agreements) > 0 {
		fmt.Fprintln(tabs, "\nAGREE\tCASES\tSAME %\tKAPPA")
	}

	for _, a := range r.Agreements {
		// Kappa is undefined where all labels are the same: any agreement is then chance.
		kappa := "-"
		if a.Kappa != nil {
			kappa = fmt.Sprintf("%.2f", *a.Kappa)
		}

		fmt.Fprintf(tabs, "%s, %s\t%d\t%.1f\t%s\n", a.First, a.Second, a.Both, 100*a.Agree, kappa)
	}

	fmt.Fprintln(tabs, "\nDATASET\tSAMPLES\tQUERIES\tSOLVED %")

	for _, d := range r.Datasets {
		fmt.Fprintf(tabs, "%s\t%d\t%d\t%.1f\n", d.Name, d.Samples, d.Queries, 100*d.Solved)
	}

	tabs.Flush()
	printCounts(w, fmt.Sprintf("dropped of %d labels", r.Labels), r.Dropped)
}
