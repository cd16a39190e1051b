package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune/rundir"
	"toolevo/finetune/tabulate"
	"toolevo/mcts/account"
	"toolevo/mcts/policy/serving"
)

// Ablations is the name of the report of an ablation study, in each of its formats.
const Ablations = "ablations"

// AblateJob evaluates a policy in several variants.
type AblateJob struct {
	RunJob
	Vary string // KEY=VALUE,...: the variants are the values of a setting; "" takes the paper's
}

// variants returns the full method, the method with something taken away, as in the paper's Table
// 5, and the static environment, which deploys the API version of the prompt: each a name and the
// settings that it changes, as pairs.
func variants(api, prompt string) [][]string {
	return [][]string{
		{"full", "api", api},
		{"no-update-tool", "api", api, "environment.update_tool", "false"},
		{"no-reflection", "api", api, "search.reflect", "false"},
		{"static", "api", prompt},
	}
}

// variants returns the variants of the job, each with valid settings.
func (j *AblateJob) variants(c *configs.Resolved) (all [][]string, err error) {
	if j.Vary == "" {
		return variants(c.API[0], c.Prompt), nil
	}

	key, values, _ := strings.Cut(j.Vary, "=")
	for value := range strings.SplitSeq(values, ",") {
		if _, err := j.Resolve(j.Settings.With(key, value), AblateDefaults(), nil); err != nil {
			return nil, err
		}

		// Each evaluation needs a folder of its own: the second would find that of the first there.
		name := variantOf(value)
		if slices.ContainsFunc(all, func(v []string) bool { return v[0] == name }) {
			return nil, console.Usage("‹vary› %s: two values would be the variant %s: "+
				"name each once", j.Vary, name)
		}

		all = append(all, []string{name, "api", c.API[0], key, value})
	}

	if len(all) < 2 {
		return nil, console.Usage("‹vary› %s: want the values of a setting that are compared, "+
			"e.g. environment.tool_list=fixed,learned,announced", j.Vary)
	}
	return all, nil
}

// variantOf returns the name of the variant with a value of a setting, which is that of its folder
// in Out, too.
func variantOf(value string) string {
	name := cmp.Or(value, "default")

	// A path may name a folder below Out, but not Out itself, which is locked, or one outside.
	for _, char := range "/." {
		if at := filepath.Join(".", name); at == "." || !filepath.IsLocal(at) {
			name = strings.ReplaceAll(name, string(char), fmt.Sprintf("%%%X", char))
		}
	}
	return name
}

// AblateDefaults returns the default settings of an ablation study.
func AblateDefaults() map[string]string {
	return map[string]string{"split": "test", "api": "p_s_ood", "policy": "scripted:noisy"}
}

// resolveParts resolves the configuration of a job that makes several evaluations in Out.
func (j *RunJob) resolveParts(command string, defaults map[string]string) (
	*configs.Resolved, error) {
	j.setCommand(command, command, defaults)

	if j.Out == "" {
		return nil, console.Usage("%s needs ‹out› DIR, the folder of its evaluations", command)
	}

	c, err := j.Resolve(j.Settings, defaults, nil)
	if err == nil {
		err = j.checkPolicyNamed(c)
	}

	if err == nil {
		c.Policy, err = serving.Beside(c.Policy, j.Baselines)
	}

	if err != nil {
		return nil, err
	}

	// A limit on cost also counts what earlier passes in this folder took before they had prices.
	prices, err := account.ParsePrices(c.Server.Prices)
	if err != nil {
		return nil, err
	}

	j.Servers.Account.Price(prices)

	if j.Data == "" {
		j.Data = j.DefaultData()
	}

	// The evaluations share this host: a warning that several would give is given once, and an
	// engine is attacked once.
	j.warned = map[string]bool{}
	if j.Attack == nil {
		j.Attack = engines.Once()
	}
	return c, nil
}

// inFolder has a job make some runs in Out, and notes that there, so that the list of runs has them
// below it.
func (j *RunJob) inFolder(runs int, work func() error) (err error) {
	// Both would keep an account in the folder, and each would overwrite the other's.
	if IsRun(j.Out) {
		return console.Usage("%s holds a run: choose another ‹out› for the runs of %s", j.Out, j.command)
	}

	finish, err := rundir.Begin(j.Out, j.command, runs, j.Servers.Account)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, console.GaveUp(finish(err == nil))) }()

	return work()
}

// evaluateIn makes one of several evaluations of a job, under a configuration with some settings
// changed, or resumes it. lost is the error of one that reports on the questions that were not
// lost.
func (j *RunJob) evaluateIn(ctx context.Context, dir string, c *configs.Resolved, set ...string) (
	lost, err error) {
	part := EvaluateJob{RunJob: *j}

	part.Out, part.Resume, part.Part = dir, IsRun(dir), true
	part.MixEngines = j.MixEngines && part.Resume // those that are yet to begin have one engine

	// Evaluate has defaults of its own, so what this command chose is set explicitly.
	part.Settings = j.Settings.With("suite", c.Suite, "policy", strings.Join(c.Policy, ","),
		"split", c.Split)
	part.Settings = part.Settings.With(set...)

	r, err := Evaluate(ctx, part)

	// A report in the folder says nothing: an earlier pass may have written it, on fewer questions.
	if r.Report != nil && console.KindOf(err) == console.Infrastructure {
		return err, nil
	}
	return nil, err
}

// evaluateAll evaluates the variants, each in a folder. lost is the error of those that lost
// questions.
func (j *AblateJob) evaluateAll(ctx context.Context, c *configs.Resolved, all [][]string) (
	dirs []string, lost, err error) {
	// A variant that an earlier command began is resumed in its folder.
	err = j.inFolder(len(all), func() error {
		for _, v := range all {
			dir := filepath.Join(j.Out, v[0])
			dirs = append(dirs, dir)

			without, err := j.evaluateIn(ctx, dir, c, v[1:]...)
			if err != nil {
				return err
			}

			if without != nil {
				lost = errors.Join(lost, fmt.Errorf("%s: %w", v[0], without))
			}
		}
		return nil
	})
	return dirs, lost, err
}

// Ablate evaluates the variants of a policy in folders of Out, or resumes that, and compares the
// evaluations. If only questions were lost it returns the comparison beside the error.
func Ablate(ctx context.Context, job AblateJob) (compared Compared, err error) {
	c, err := job.resolveParts("ablate", AblateDefaults())
	if err != nil {
		return compared, err
	}

	// Variants are compared pair by pair, so nothing else may differ between them.
	if len(c.Policy) != 1 || len(c.API) != 1 {
		return compared, console.Usage("ablate takes one ‹policy› and one ‹api›, not %s and %s",
			strings.Join(c.Policy, ","), strings.Join(c.API, ","))
	}

	all, err := job.variants(c)
	if err != nil {
		return compared, err
	}

	job.Announce("ablate", choiceOf(c, job.Data)...)

	dirs, lost, err := job.evaluateAll(ctx, c, all)
	if err != nil {
		return compared, err
	}

	if compared, err = job.Compare(ctx, dirs); err != nil {
		return compared, err
	}

	_, err = tabulate.WriteFolder(job.Out, []tabulate.File{
		{Name: Ablations + ".csv", Write: compared.WriteCSV},
		{Name: Ablations + ".md", Write: compared.WriteMarkdown},
		{Name: Ablations + ".tex", Write: compared.WriteLaTeX},
	})

	return compared, cmp.Or(err, lost)
}
