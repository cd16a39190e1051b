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

	"toolevo/configs"
	"toolevo/toolqa/pytool/confine"
	"toolevo/toolqa/pytool/engines"
)

func (a *app) demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Do the whole job once on synthetic data, without a server",
		Long: `Builds synthetic corpora and questions of all seven datasets, grows trees
against p_s_in with a scripted policy, exports the correct trajectories for
LLaMA-Factory, and evaluates scripted policies on the three API versions. Each
step is the command that is printed, so that it can be run by hand.

The only programs that run are those of our own scripted policies: where the
machine lacks a wall that keeps model-written programs inside, the demo says so
and does without.

The policies are scripts that simulate a language model's habits; their
accuracies say nothing about any model.`,
		Example: "  toolevo demo --out demo",
		Args:    positional(0, 0),
	}
	out := cmd.Flags().String("out", "", "work in the folder `DIR` (default: a new temporary folder)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		dir := *out
		if dir == "" {
			var err error
			if dir, err = os.MkdirTemp("", "toolevo-demo-"); err != nil {
				return err
			}
		}
		if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
			return usage("%s is not empty: choose another --out", dir)
		}
		accept, err := a.demoWalls(cmd.Context())
		if err != nil {
			return err
		}
		return a.demo(cmd.Context(), dir, accept)
	}
	return cmd
}

// demoWalls returns the flags by which the demo does without the walls that this machine lacks. Its programs are written
// by us, so it need not refuse, as a run with a model does.
func (a *app) demoWalls(ctx context.Context) ([]string, error) {
	layers, err := configs.EnvironmentLayers(a.environ)
	if err != nil {
		return nil, err
	}
	c, err := configs.Load(layers...)
	if err != nil {
		return nil, err
	}
	engine, err := engines.Open(ctx, engineOptions(c.Python, 1))
	if err != nil {
		return a.acceptMissing(err)
	}
	return nil, engine.Close()
}

// acceptMissing returns the flags by which walls that are missing are accepted, or what else is wrong.
func (a *app) acceptMissing(err error) ([]string, error) {
	var missing *confine.MissingError
	if !errors.As(err, &missing) {
		return nil, gaveUp(err)
	}
	var names []string
	for _, wall := range slices.Sorted(maps.Keys(missing.Missing)) {
		names = append(names, string(wall))
	}
	a.say("This machine lacks %s. A model's programs would be refused here (`toolevo doctor sandbox` says why).\n"+
		"Those of the demo are written by us, and it does without.", strings.Join(names, " and "))
	return []string{"--set", "python.accept=" + strings.Join(names, ",")}, nil
}

// demo runs the other commands one after the other. accept are flags of those that run programs.
func (a *app) demo(ctx context.Context, dir string, accept []string) error {
	data, run, export, eval := filepath.Join(dir, "data"), filepath.Join(dir, "run"), filepath.Join(dir, "export"), filepath.Join(dir, "eval")
	steps := []struct {
		about    string
		args     []string
		programs bool // it runs programs
	}{
		{"Synthetic corpora of the seven datasets, in the formats of the published ones", []string{"data", "build", "--data", data, "--seed", "1"}, false},
		{"Questions for train, dev and test, a tenth of the paper's numbers", []string{"data", "questions", "--data", data, "--scale", "0.1"}, false},
		{"Search: trees over training questions, the deployed APIs have changed", []string{"collect", "--data", data, "--api", "p_s_in",
			"--policy", "scripted:noisy", "--limit", "4", "--trees", "4", "--out", run}, true},
		{"Proof that the run is what its log says", []string{"check", run}, false},
		{"Training data for LLaMA-Factory", []string{"export", run, "--data", data, "--require-recovery", "--out", export}, false},
		{"Evaluation on the three API versions", []string{"eval", "--data", data, "--limit", "5",
			"--policy", "scripted:stale,scripted:noisy,scripted:reader", "--api", "p_c,p_s_in,p_s_ood", "--out", eval}, true},
	}
	for i, step := range steps {
		if step.programs {
			step.args = append(step.args, accept...)
		}
		fmt.Fprintf(a.out, "\n%d. %s\n   toolevo %s\n\n", i+1, step.about, shell(step.args...))
		root := a.root()
		root.SetArgs(step.args)
		if err := root.ExecuteContext(ctx); err != nil {
			return fmt.Errorf("step %d, toolevo %s: %w", i+1, step.args[0], err)
		}
	}
	fmt.Fprintf(a.out, `
Everything lies in %s:
  data/                       corpora and questions
  run/trajectories.parquet    correct trajectories with their lineage
  export/                     the LLaMA-Factory dataset folder
  eval/report.md              the evaluation as Markdown
Look at a tree:  toolevo %s
`, dir, shell("inspect", run, "easy-coffee-train-0000", "0"))
	return nil
}
