package serving

import (
	"cmp"
	"maps"
	"slices"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/prompt"
)

// Target is one server to examine.
type Target struct {
	Policy  string
	Options doctor.Options

	index int // among the servers of the policy
}

// Targets returns the servers of the configured policies, as doctor examines them.
func (m *Models) Targets() ([]Target, error) {
	var all []Target

	for _, name := range m.withoutBaselines() {
		kind, model := splitName(name)
		if kind == Scripted {
			continue
		}

		o, err := m.doctorOptions(kind, model)
		if err != nil {
			return nil, err
		}

		urls, err := m.urls(o.Kind)
		if err != nil {
			return nil, err
		}

		for i, url := range urls {
			o.URL = url
			all = append(all, Target{name, o, i})
		}
	}

	return all, nil
}

// firstSolved returns the first of the solved tasks that prompts of a dataset show, and its first
// action, so that the probes' prompts are like a run's. It is of the chosen dataset (nil: of any)
// with the least to show, system text included: no run has shorter prompts. Without solved tasks it
// is made up.
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
		n := len(shown.System(envs.OfDataset(dataset)))
		for _, d := range shown.Demonstrations[dataset] {
			n += d.Size()
		}
		return n
	}
	dataset := slices.MinFunc(datasets, func(a, b string) int { return cmp.Compare(size(a), size(b)) })
	first := shown.Demonstrations[dataset][0]
	return envs.Task{
		ID:       "doctor",
		Labels:   map[string]string{envs.LabelDataset: dataset},
		Question: first.Question,
	}, envs.Action(first.Turns[0].Text(codec))
}

// doctorOptions returns what a run would ask of a server of a kind, without its address.
func (m *Models) doctorOptions(kind, model string) (doctor.Options, error) {
	run, err := m.Options(kind, model)
	if err != nil {
		return doctor.Options{}, err
	}

	k, err := kindOf(kind)
	if err != nil {
		return doctor.Options{}, err
	}

	endpoint, err := m.endpoint(k, model)
	if err != nil {
		return doctor.Options{}, err
	}

	endpoint.Timeout = 0 // a probe has its own

	c := m.Config.Server
	o := doctor.Options{
		Kind:      k,
		Endpoint:  endpoint,
		Slots:     c.Slots,
		Sampling:  run.Sampling,
		Reasoning: string(m.Config.Reasoning()),
	}
	// Probes have to be in the form of the run: what a server does to messages says nothing about
	// what it does to texts.
	show := func(h envs.History) doctor.Prompt {
		switch {
		case run.Tools != nil:
			return doctor.Prompt{Messages: run.Messages(h), Tools: run.Tools(h)}
		case run.Messages != nil:
			return doctor.Prompt{Messages: run.Messages(h)}
		}

		return doctor.Prompt{Text: run.Render(h)}
	}

	shown, err := m.Prompt()
	if err != nil {
		return doctor.Options{}, err
	}

	task, first := firstSolved(shown, m.Config.Datasets())
	asked := envs.NewHistory(task)
	o.First = show(asked)
	o.Observed = func(text string) doctor.Prompt {
		return show(asked.Append(envs.Turn{Action: first, Observation: text}))
	}

	// Most probes need no more than a question, which even a slow server reads quickly.
	short, special, err := shortPrompt(asked, c.Form)
	o.Short, o.Manner = short, m.manner(special)
	return o, err
}

// shortPrompt returns the question alone in a form, and whether the server adds special tokens to
// prompts of that form.
func shortPrompt(asked envs.History, form string) (short doctor.Prompt, special bool, err error) {
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

	return doctor.Prompt{Text: template.Sent(template.Render("", asked, clean))},
		template.AddSpecialTokens(), nil
}
