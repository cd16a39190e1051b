package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/console"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/prompt"
)

// doctorCommand examines model servers. Other things that a run depends on are examined by commands below it.
func (a *app) doctorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out what a model's server will silently do wrong",
		Long: `Checks each server of a policy within seconds, in the way a run would use it: is
it reachable, does it have the model, does the prompt arrive unchanged, is the
context window as large as stated and a longer prompt refused, are n, seeds,
stop texts and temperature 0 honoured, are there log-probabilities and of which
distribution, do the server's defaults leak in, does the prefix cache work, do
requests run in parallel, how fast is it. For Ollama also: does the model stay
loaded, is the version recent enough.

Each check says what was seen; each finding says how a run copes with it and
what you can do. Nothing is changed on the server. A busy server looks slow.

--quick makes about ten short requests, for a server that writes a few tokens a
second. What they cannot tell is marked --, and said to be not probed.

Marks: ok; ! a run copes, but is slower or loses what is named; !! a run would
be wrong or impossible; ?? the probes were inconclusive. Exit codes: 0 all is
well, 1 there are warnings, 2 there are problems (or wrong usage),
130 interrupted.

Scripted policies need no server.`,
		Example: `  toolevo doctor --policy openai:Qwen/Qwen2-7B --config policies/qwen2-7b
  toolevo doctor --policy ollama:mymodel --server gpu1:11434 --json
  toolevo doctor --policy ollama:mymodel --quick`,
		Args: console.Positional(0, 0),
	}
	s := a.addSettings(cmd, nil, "policy")
	serving := a.serving()
	cmd.Flags().StringVar(&serving.servers, "server", "", "base `URLS` of the model's servers, separated by "+
		"commas (default OPENAI_BASE_URL or OLLAMA_HOST)")
	timeout := cmd.Flags().Duration("timeout", doctor.DefaultTimeout, "`TIME` that one probe may take, loading "+
		fmt.Sprintf("the model included (with --quick %v)", doctor.QuickTimeout))
	quick := cmd.Flags().Bool("quick", false, "make about ten short requests, for slow servers")
	side := cmd.Flags().Int("side-by-side", doctor.DefaultParallel, "`N` requests at once, to see whether they "+
		"run side by side")
	asJSON := console.JSONFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *timeout <= 0 {
			return console.Usage("--timeout %v: want how long a probe may take, such as 30s", *timeout)
		}

		if *side < 2 {
			return console.Usage("--side-by-side %d: want at least 2", *side)
		}

		if *quick && cmd.Flags().Changed("side-by-side") {
			return console.Usage("--side-by-side is of no use with --quick, which makes one request at a time")
		}

		if *quick && !cmd.Flags().Changed("timeout") {
			*timeout = doctor.QuickTimeout
		}

		c, err := s.resolve(cmd.Flags(), nil)
		if err != nil {
			return err
		}

		targets, err := targets(c, serving)
		if err != nil {
			return err
		}

		for i := range targets {
			targets[i].options.Timeout, targets[i].options.Parallel = *timeout, *side
			targets[i].options.Quick = *quick
		}

		a.warnExposed(serving)

		return a.examine(cmd.Context(), c, targets, *asJSON)
	}
	cmd.AddCommand(a.sandboxCommand())

	return cmd
}

// target is one server to examine.
type target struct {
	policy  string
	options doctor.Options
}

// targets returns the servers of the configured policies.
func targets(c *configs.Resolved, s *serving) ([]target, error) {
	b, err := newBench(c, s, nil)
	if err != nil {
		return nil, err
	}

	var all []target

	for _, name := range c.Policy {
		kind, model, _ := strings.Cut(name, ":")
		if kind == kindScripted {
			continue
		}

		o, err := b.doctorOptions(kind, model)
		if err != nil {
			return nil, err
		}

		for _, url := range s.urls(kind) {
			o.URL = url
			all = append(all, target{name, o})
		}
	}

	return all, nil
}

// firstSolved is the first of the solved tasks that prompts of a dataset show, and its first action, so that the
// probes' prompts are what a run's are. It is of the chosen dataset (nil: of any) with the least to show, system text
// included: no run has shorter prompts. Where there are none anything is asked.
func firstSolved(shown prompt.Prompt, chosen []string) (envs.Task, envs.Action) {
	codec := action.OrDefault(shown.Codec)

	datasets := slices.DeleteFunc(slices.Sorted(maps.Keys(shown.Demonstrations)), func(name string) bool {
		return len(shown.Demonstrations[name]) == 0 || chosen != nil && !slices.Contains(chosen, name)
	})
	if len(datasets) == 0 {
		return envs.Task{ID: "doctor", Question: "Where are we?"},
			envs.Action(codec.Format("I look around.", envs.Call{Name: "Look"}))
	}

	size := func(dataset string) int {
		return len(shown.System(dataset)) + textBytes(shown.Demonstrations[dataset])
	}
	dataset := slices.MinFunc(datasets, func(a, b string) int { return cmp.Compare(size(a), size(b)) })
	first := shown.Demonstrations[dataset][0]

	return envs.Task{
		ID:       "doctor",
		Labels:   map[string]string{envs.LabelDataset: dataset},
		Question: first.Question,
	}, envs.Action(first.Turns[0].Text(codec))
}

// textBytes is how long solved tasks are.
func textBytes(all []prompt.Demonstration) int {
	n := 0
	for _, d := range all {
		for _, turn := range d.Turns {
			n += len(turn.Action) + len(turn.Observation)
		}
	}

	return n
}

// doctorOptions are what a run would ask of a server of a kind, but for its address.
func (b *bench) doctorOptions(kind, model string) (doctor.Options, error) {
	run, err := b.serverOptions(kind, model)
	if err != nil {
		return doctor.Options{}, err
	}

	c := b.config.Server
	o := doctor.Options{
		Kind:       doctor.Kind(kind),
		APIKey:     b.serving.key(kind),
		Model:      model,
		Chat:       c.Form == configs.FormChat,
		Extensions: c.Extensions,
		LogProbs:   c.LogProbs,
		Ends:       c.Ends,
		Window:     c.Window,
		Sampling:   run.Sampling,
	}
	show := func(h envs.History) doctor.Prompt {
		if run.Messages != nil {
			return doctor.Prompt{Messages: run.Messages(h)}
		}

		return doctor.Prompt{Text: run.Render(h)}
	}

	shown, err := b.prompt()
	if err != nil {
		return doctor.Options{}, err
	}

	task, first := firstSolved(shown, b.config.Datasets())
	asked := envs.NewHistory(task)
	o.First = show(asked)
	o.Observed = func(text string) doctor.Prompt {
		return show(asked.Append(envs.Turn{Action: first, Observation: text}))
	}

	template, special, err := shortPrompt(asked, c.Form, kind)
	if err != nil {
		return doctor.Options{}, err
	}

	o.Short = template
	if c.Extensions && !o.Chat {
		o.AddSpecialTokens = &special
	}

	return o, nil
}

// shortPrompt is the question alone in a form, and whether the server adds special tokens to prompts of that form.
func shortPrompt(asked envs.History, form, kind string) (short doctor.Prompt, special bool, err error) {
	clean, err := chat.NewSanitizer()
	if err != nil {
		return short, false, err
	}

	switch form {
	case configs.FormFewShot:
		return doctor.Prompt{Text: prompt.QuestionText(asked.Task().Question) + "\n\n"}, true, nil
	case configs.FormChat:
		return doctor.Prompt{Messages: chat.Messages("", asked, clean)}, false, nil
	}

	template, err := chat.ParseTemplate(form)
	if err != nil {
		return short, false, err
	}

	text := template.Render("", asked, clean)
	if kind == kindOllama {
		text = strings.TrimPrefix(text, template.BOS()) // Ollama puts it there itself
	}

	return doctor.Prompt{Text: text}, template.AddSpecialTokens(), nil
}

// examined is the report on a server of a policy.
type examined struct {
	Policy string `json:"policy"` // whose server it is
	*doctor.Report
}

// doctorDocument is what doctor --json prints.
type doctorDocument struct {
	Verdict doctor.Verdict `json:"verdict"` // the worst of all servers: ok, not-probed, could-not-tell, warning or problem
	Servers []examined     `json:"servers"` // of the policies, in their order
}

// examine looks at the servers one after the other and reports.
func (a *app) examine(ctx context.Context, c *configs.Resolved, targets []target, asJSON bool) error {
	verdict, all := doctor.OK, []examined{}

	for i, p := range targets {
		if !asJSON {
			if i > 0 {
				fmt.Fprintln(a.Out)
			}

			legend := doctor.Legend
			if p.options.Quick {
				legend = doctor.QuickLegend
			}

			fmt.Fprintf(a.Out, "%s\n%s\n\n", p.policy, legend)
			p.options.Found = func(c doctor.Check) { doctor.WriteCheck(a.Out, c) }
		}

		r, err := doctor.Examine(ctx, p.options)
		if err != nil && (ctx.Err() == nil || errors.Is(err, context.DeadlineExceeded)) {
			return err
		}

		all, verdict = append(all, examined{p.policy, r}), verdict.Worse(r.Verdict)

		if err != nil {
			return console.Interrupted("interrupted: nothing is left behind; run the same command again")
		}

		if !asJSON {
			if err := r.WriteFindings(a.Out); err != nil {
				return err
			}
		}
	}

	if asJSON {
		if err := a.PrintJSON(doctorDocument{verdict, all}); err != nil {
			return err
		}
	}

	if len(targets) == 0 {
		a.Say("%s needs no server: there is nothing to examine. For a model's server:\n  toolevo doctor --policy "+
			"openai:MODEL|ollama:MODEL [--server URL]",
			strings.Join(c.Policy, ", "))
	}

	switch verdict {
	case doctor.OK, doctor.Skipped:
		return nil
	case doctor.Problem:
		return console.Usage("doctor: there are problems")
	}

	return console.Bad("doctor: there are findings")
}
