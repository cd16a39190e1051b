package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/drift"
	"toolevo/finetune"
	"toolevo/finetune/robustness"
	"toolevo/finetune/stored"
	"toolevo/trajectories"
)

// demoWidth is the width of the demo's lines, except for commands with long folder names.
const demoWidth = 80

// demoReader is the policy that learns from the feedback it gets.
const demoReader = "scripted:reader"

// configure writes the configuration of all steps that follow.
func (d *demo) configure(context.Context) error {
	text := "# The settings of this demo: the default ones.\n"
	if d.suite != "" {
		text = "suite: " + d.suite + "\n"
	}
	return os.WriteFile(d.config, []byte(text), 0o644)
}

// settings returns the settings that all jobs share.
func (d *demo) settings() toolevo.Settings {
	s := toolevo.Settings{File: d.config}
	if d.accept != "" {
		s = s.With("python.accept", d.accept)
	}
	return s
}

// fill fills the data folder.
func (d *demo) fill(ctx context.Context) error {
	return d.do("Filling the data folder", func(h toolevo.Host) error { return h.Fill(ctx, d.suite, d.data) })
}

func (d *demo) collect(ctx context.Context) error {
	c, err := d.grow(ctx, d.trees, d.id, "api", "p_s_in", "limit", "4")
	if err != nil {
		return err
	}

	d.tell("Collected  %d correct trajectories of %d questions, in %d trees (%d calls)",
		c.Correct, c.Questions, c.Trees, c.Asked)
	return d.search(ctx)
}

// search grows trees with each of the feedbacks, under three versions.
func (d *demo) search(ctx context.Context) error {
	if len(d.feedbacks) == 0 {
		return nil
	}

	var found []string

	for _, feedback := range d.feedbacks {
		c, err := d.grow(ctx, filepath.Join(d.searched, feedback), d.id+"-"+feedback, "api", "p_c,p_s_in,p_s_ood",
			"limit", "1", "environment.feedback", feedback)
		if err != nil {
			return err
		}

		found = append(found, fmt.Sprintf("%s %d", feedback, c.Correct))
	}

	d.tell("           and, by feedback: %s", strings.Join(found, ", "))
	return nil
}

// grow grows the trees of a run under some settings.
func (d *demo) grow(ctx context.Context, run, id string, set ...string) (c toolevo.Collected, err error) {
	err = d.do("Growing trees", func(h toolevo.Host) (err error) {
		c, err = toolevo.Collect(ctx, toolevo.CollectJob{
			RunJob: d.run(h, run, id, append(set, "policy", "scripted:noisy", "search.trees", "4")...),
		})
		return err
	})
	return c, err
}

// run returns the job of a run under some settings.
func (d *demo) run(h toolevo.Host, out, id string, set ...string) toolevo.RunJob {
	return toolevo.RunJob{Host: h, Settings: d.settings().With(set...), Data: d.data, Out: out, ID: id}
}

// runs returns the folders with trees.
func (d *demo) runs() []string {
	all := []string{d.trees}
	for _, feedback := range d.feedbacks {
		all = append(all, filepath.Join(d.searched, feedback))
	}
	return all
}

func (d *demo) check(ctx context.Context) error {
	trees, problems := 0, 0

	for _, run := range d.runs() {
		err := d.do("Growing every tree again from the log", func(h toolevo.Host) error {
			c, err := toolevo.Check(ctx, toolevo.CheckJob{Host: h, Path: run})
			if err == nil {
				trees, problems = trees+c.Trees.Trees, problems+len(c.Trees.Problems)
			}
			return err
		})
		if err != nil {
			return err
		}
	}

	d.tell("Checked    %d trees, regrown from the log: %d problems", trees, problems)
	return nil
}

func (d *demo) export(ctx context.Context) error {
	err := d.do("Writing training data", func(h toolevo.Host) error {
		job := toolevo.NewExportJob()
		job.Host, job.Paths, job.Out, job.Scripted = h, d.runs(), d.samples, true
		job.Selection.RequireRecovery = true

		m, err := toolevo.Export(ctx, job)
		if err == nil {
			d.tell("Exported   %d samples that recover from a deprecation, for LLaMA-Factory", m.Rows)
		}
		return err
	})
	if err != nil {
		return err
	}

	if d.example, err = d.clearest(); err != nil {
		return err
	}

	d.printExample()
	return nil
}

// clearest returns the trajectory whose recovery from a deprecation is the shortest to read.
func (d *demo) clearest() (trajectories.Row, error) {
	var found trajectories.Row
	fewest := math.MaxInt

	for row, err := range trajectories.ReadFile(filepath.Join(d.trees, stored.RowsFile)) {
		if err != nil {
			return found, err
		}

		old, again, ok := recovery(row.Turns)

		words := len(row.Question) + len(old.Key) + len(old.Observation) + len(again.Thought) + len(again.Key)
		if ok && row.Strict && words < fewest {
			found, fewest = row, words
		}
	}

	if fewest == math.MaxInt {
		return found, console.Bad("no trajectory in %s recovers from a deprecation", d.trees)
	}
	return found, nil
}

// printExample prints three turns of the example: the deprecated call, the call that replaced it,
// and the end.
func (d *demo) printExample() {
	old, again, _ := recovery(d.example.Turns)
	d.tell("%s%s", d.gap, display.Line("One of them  "+d.example.Question, demoWidth))
	d.printTurn("Action", old.Key, 1)
	d.printTurn("Observation", old.Observation, 2)
	d.printTurn("Thought", again.Thought, 1)
	d.printTurn("Action", again.Key, 1)
	d.printTurn("… Action", d.example.Turns[len(d.example.Turns)-1].Key, 1)
}

// recovery returns the first turn of a trajectory that met a deprecated API and the one after it
// that called its tool with success.
func recovery(turns []trajectories.Turn) (old, again trajectories.Turn, ok bool) {
	for i := range len(turns) - 1 {
		old, again := turns[i], turns[i+1]
		if old.Outcome == envs.Deprecated && again.Outcome == envs.OK && again.Tool == old.Tool {
			return old, again, true
		}
	}

	return old, again, false
}

// printTurn prints a part of a turn in at most most lines.
func (d *demo) printTurn(part, text string, most int) {
	lines := strings.Split(display.Wrap("  ", part+": "+text, demoWidth), "\n")

	lines = lines[:len(lines)-1] // empty: the text ends with a line feed
	if len(lines) > most {
		more := lines[most-1] + " " + strings.TrimSpace(lines[most])
		lines = append(lines[:most-1], display.Cut(more, demoWidth))
	}

	d.tell("%s", strings.Join(lines, "\n"))
}

// make makes a version with other names, and shows what became of the example's tool.
func (d *demo) make(ctx context.Context) error {
	var now toolevo.VersionsDifference

	err := d.do("Making API versions", func(h toolevo.Host) error {
		versions := toolevo.VersionsJob{Host: h, Settings: d.settings(), Data: d.data}

		made, err := toolevo.MakeVersions(ctx, toolevo.MakeVersionsJob{
			VersionsJob: versions, From: "p_c", Out: d.made, Count: d.versions, Seed: 1,
		})
		if err == nil {
			now, err = versions.Diff(made.From, made.Made[0].Path)
		}

		return err
	})
	if err != nil {
		return err
	}

	// The difference fills screens. The example has just introduced one tool: that one is shown.
	old, _, _ := recovery(d.example.Turns)

	for _, tool := range now.Tools {
		if tool.Tool == old.Tool {
			line := fmt.Sprintf("Made       %s of %s, in which %s is %s", now.To, now.From, tool.From, tool.To)
			d.tell("%s%s", d.gap, display.Cut(line, demoWidth))
		}
	}

	return nil
}

func (d *demo) evaluate(ctx context.Context) error {
	var r toolevo.Evaluated

	err := d.do("Evaluating", func(h toolevo.Host) (err error) {
		r, err = toolevo.Evaluate(ctx, toolevo.EvaluateJob{RunJob: d.run(h, d.evaluated, d.id+"-eval", "limit", "5",
			"policy", "scripted:stale,"+demoReader, "api", "p_c,p_s_ood,"+drift.FilePrefix+d.made)})
		return err
	})
	if err != nil {
		return err
	}

	return (&finetune.Report{Rows: r.Report.Overall, Warnings: r.Report.Warnings}).WriteTable(d.app.Out)
}

// compare measures what each feedback is worth to a policy that reads it. The experiment compares
// that with policies that ignore it and that need none.
func (d *demo) compare(ctx context.Context) error {
	var rates []string

	err := d.do("Comparing feedbacks", func(h toolevo.Host) error {
		r, err := toolevo.EvaluateDrift(ctx, toolevo.DriftJob{
			RunJob: d.run(h, d.drifted, d.id, "limit", "1", "api", "p_s_in,p_s_ood"), Feedbacks: d.feedbacks,
		})
		if err != nil {
			return err
		}

		for _, row := range r.Rows {
			if row.Policy == demoReader && row.Name == "p_s_in" && row.Dataset == robustness.All &&
				row.Difficulty == robustness.All {
				rates = append(rates, fmt.Sprintf("%s %.0f", row.Feedback, 100*row.PassRate))
			}
		}

		return nil
	})
	if err == nil {
		d.tell("%s under p_s_in, told %s %%", strings.TrimPrefix(demoReader, "scripted:"),
			strings.Join(rates, ", "))
	}
	return err
}

// next says where everything is, and what to try with it.
func (d *demo) next() {
	more := ""
	if len(d.feedbacks) > 0 {
		more = ", search, drift"
	}

	d.app.Say("In %s: data, run, export, made, eval%s (by scripts, no model). Next:", d.dir, more)

	play := []string{"play", "--data", d.data, "--api", "p_s_in"}
	if d.suite != "" {
		play = append(play, "--config", d.config)
	}

	for _, args := range [][]string{
		{"inspect", d.trees, d.example.QuestionID, strconv.Itoa(d.example.Tree)},
		play,
	} {
		d.app.Say("  %s", console.Shell(append([]string{os.Args[0]}, args...)...))
	}
}
