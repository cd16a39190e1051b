package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/dynamic"
	"toolevo/envs/names"
	"toolevo/envs/perturb"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/finetune/report"
	"toolevo/finetune/robustness"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
)

// driftDefaults are what eval drift sets before anybody else does.
func driftDefaults() map[string]string {
	defaults := map[string]string{"policy": "scripted:stale,scripted:reader,scripted:oracle"}

	for _, b := range suite.All() {
		if d, ok := b.(suite.Drifter); ok {
			maps.Copy(defaults, d.DriftDefaults())
		}
	}

	return defaults
}

// driftFlags are the flags of eval drift that are no settings.
type driftFlags struct {
	settings                 *settings
	feedbacks, perturbations []string
	out, id                  string
	asJSON                   *bool
}

func (a *app) evalDriftCommand() *cobra.Command {
	cmd := newCommand("drift")
	f := &driftFlags{settings: a.addSettings(cmd, driftDefaults(), "dataset", "difficulty", "split", "limit", "api",
		"policy", "seed", "repeats", "compat", "engine", "python")}
	f.asJSON = a.evaluationsFlags(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&f.feedbacks, "feedbacks", []string{all}, "`NAMES` of what a call is told that is not taken, "+
		"separated by commas: each by itself")
	flags.StringSliceVar(&f.perturbations, "perturbations", []string{all}, "`NAMES` of how questions are changed, "+
		"separated by commas: each by itself; or none")
	flags.StringVar(&f.out, "out", "", "make the evaluations and the report in the folder `DIR` (required)")
	flags.StringVar(&f.id, "run-id", "", "`ID` that those of the evaluations begin with (default: each has one that "+
		"no other run has)")
	cmdline.Complete(cmd, "feedbacks", cmdline.Listed(append(dynamic.Feedbacks(), all)))
	cmdline.Complete(cmd, "perturbations", cmdline.Listed(append(perturbations(), string(perturb.None), all)))

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.check(); err != nil {
			return err
		}

		c, err := f.settings.resolve(flags, nil)
		if err != nil {
			return err
		}

		a.Announce("eval drift", choiceOf(c, dataFlagOf(cmd))...)

		inner := append(passedOn(flags, "api", "policy", "split", "out", "run-id", "json", "feedbacks",
			"perturbations"),
			"--policy", strings.Join(c.Policy, ","), "--split", c.Split, "--set", "suite="+c.Suite)

		return a.evalDrift(cmd.Context(), f, f.runs(c), inner)
	}

	return cmd
}

// perturbations are the names of all ways to change questions.
func perturbations() []string {
	var all []string

	for _, kind := range perturb.Kinds() {
		if kind != perturb.None {
			all = append(all, string(kind))
		}
	}

	return all
}

// check refuses flags that make no sense.
func (f *driftFlags) check() error {
	if f.out == "" {
		return console.Usage("eval drift needs --out DIR, the folder of its evaluations")
	}

	if slices.Equal(f.perturbations, []string{string(perturb.None)}) {
		f.perturbations = nil
	}

	for _, list := range []struct {
		flag  string
		named *[]string
		valid []string
	}{{"feedbacks", &f.feedbacks, dynamic.Feedbacks()}, {"perturbations", &f.perturbations, perturbations()}} {
		if slices.Equal(*list.named, []string{all}) {
			*list.named = list.valid
		}

		for i, name := range *list.named {
			if _, err := names.Parse(strings.TrimSuffix(list.flag, "s"), name, list.valid); err != nil {
				return console.Usage("--%s: %w", list.flag, err)
			}

			if slices.Contains((*list.named)[:i], name) {
				return console.Usage("--%s names %s twice: name it once", list.flag, name)
			}
		}
	}

	if len(f.feedbacks) == 0 {
		return console.Usage("--feedbacks is empty: want at least one of %s", strings.Join(dynamic.Feedbacks(), ", "))
	}

	return nil
}

// driftRun is one evaluation of the experiment.
type driftRun struct {
	dir      string
	feedback toolapi.Feedback
	wording  perturb.Kind // of the questions
	apis     []string     // deployed
	prompt   string       // the version of the prompt
}

// runs are the evaluations: for each feedback one of the questions as they are, under the version of the prompt and
// those that drifted, and one of each perturbation, where nothing else changes.
func (f *driftFlags) runs(c *configs.Resolved) []driftRun {
	var all []driftRun

	drifted := slices.DeleteFunc(slices.Clone(c.API), func(api string) bool { return api == c.Prompt })

	for _, feedback := range f.feedbacks {
		m := driftRun{
			dir: filepath.Join(f.out, feedback, "as-asked"), feedback: toolapi.Feedback(feedback),
			wording: perturb.None, apis: append([]string{c.Prompt}, drifted...), prompt: c.Prompt,
		}
		all = append(all, m)

		for _, name := range f.perturbations {
			m.dir, m.wording, m.apis = filepath.Join(f.out, feedback, name), perturb.Kind(name), []string{c.Prompt}
			all = append(all, m)
		}
	}

	return all
}

// setting is what an evaluation changes where it deploys a version.
func (m *driftRun) setting(api string) robustness.Setting {
	switch {
	case m.wording != perturb.None:
		return robustness.Setting{Kind: robustness.Perturbation, Name: string(m.wording)}
	case api != m.prompt:
		return robustness.Setting{Kind: robustness.Versioning, Name: api}
	}

	return robustness.Setting{Kind: robustness.Baseline, Name: string(robustness.Baseline)}
}

// evalDrift makes the evaluations, or goes on with them, and reports on them.
func (a *app) evalDrift(ctx context.Context, f *driftFlags, runs []driftRun, flags []string) error {
	for i, m := range runs {
		a.Say("Evaluation %d of %d: feedback %s, questions %s", i+1, len(runs), m.feedback,
			map[bool]string{true: "as asked", false: string(m.wording)}[m.wording == perturb.None])

		if err := a.driftRun(ctx, f, m, flags); err != nil {
			return err
		}
	}

	var results robustness.Results

	for _, m := range runs {
		err := a.playedEpisodes(ctx, []string{m.dir}, func(p stored.Played) {
			results.Add(robustness.Condition{
				Policy: p.Policy, Feedback: string(m.feedback), Setting: m.setting(p.API),
			}, p.Episode)
		})
		if err != nil {
			return err
		}
	}

	page := &report.Page{Title: "What drift and wording cost", Robustness: results.Report()}
	if err := a.addDriftRuns(ctx, page, runs); err != nil {
		return err
	}

	return a.printDrift(f, page)
}

// addDriftRuns adds to a page where its figures come from.
func (a *app) addDriftRuns(ctx context.Context, page *report.Page, runs []driftRun) error {
	dirs := make([]string, len(runs))
	for i, m := range runs {
		dirs[i] = m.dir
	}

	_, err := a.addRuns(ctx, page, dirs)

	for i := range page.Runs {
		page.Runs[i].Name = fmt.Sprintf("feedback %s, %s", runs[i].feedback, page.Runs[i].Name)
	}

	return err
}

// driftRun makes one evaluation, or goes on with it. One that lost questions has a report of the others, and the
// experiment goes on.
func (a *app) driftRun(ctx context.Context, f *driftFlags, m driftRun, flags []string) error {
	if f.id != "" {
		flags = append(slices.Clone(flags), "--run-id", strings.Join([]string{f.id, string(m.feedback),
			filepath.Base(m.dir)}, "-"))
	}

	err := a.evaluateIn(ctx, m.dir, slices.Concat(flags, []string{
		"--api", strings.Join(m.apis, ","), "--feedback", string(m.feedback), "--perturb", string(m.wording),
	}))

	_, noReport := os.Stat(filepath.Join(m.dir, rundir.ReportFile))
	if console.KindOf(err) == console.Infrastructure && noReport == nil {
		a.Say("%v", err)
		return nil
	}

	return err
}

// drifted is what `eval drift` prints.
type drifted struct {
	*robustness.Report
	Files []string `json:"files"` // what was written: the tables in several formats, figures, and a page
}

// printDrift writes the report in all formats, and prints it.
func (a *app) printDrift(f *driftFlags, page *report.Page) error {
	r := page.Robustness

	files, err := writeDrift(f.out, page)
	if err != nil {
		return err
	}

	var tableErr error

	err = a.Show(*f.asJSON, drifted{r, files}, func() { tableErr = r.WriteTable(a.Out, max(a.columns, 80)) })
	a.Say("The same with figures, as a page: %s; for papers: %s and %s", filepath.Join(f.out, driftPage),
		filepath.Join(f.out, "drift.tex"), filepath.Join(f.out, "figure-*.svg"))

	if err = errors.Join(err, tableErr); err != nil {
		return err
	}

	lost := 0
	for _, s := range r.Statistics {
		lost += s.Lost
	}

	if lost > 0 {
		return console.GaveUp(fmt.Errorf("%d episodes were lost to infrastructure failures; the figures are of the "+
			"others. The same command plays them again", lost))
	}

	return nil
}
