package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"toolevo/mcts/collect"
	"toolevo/mcts/policy/server"
)

// figure is one metric, read from a snapshot.
type figure[S any] struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(S) float64
}

func gauge[S any](name, help string, of func(S) float64, labels ...string) figure[S] {
	return figure[S]{prometheus.NewDesc("toolevo_"+name, help, labels, nil), prometheus.GaugeValue, of}
}

func counter[S any](name, help string, of func(S) float64, labels ...string) figure[S] {
	return figure[S]{prometheus.NewDesc("toolevo_"+name+"_total", help, labels, nil), prometheus.CounterValue, of}
}

// send sends a figure of a snapshot.
func (f *figure[S]) send(to chan<- prometheus.Metric, s S, labels ...string) {
	to <- prometheus.MustNewConstMetric(f.desc, f.kind, f.of(s), labels...)
}

// progress is the collector of figures that have no labels.
type progress[S any] struct {
	figures []figure[S]
	read    func() S
}

// Describe implements prometheus.Collector.
func (p *progress[S]) Describe(to chan<- *prometheus.Desc) {
	for _, f := range p.figures {
		to <- f.desc
	}
}

// Collect implements prometheus.Collector.
func (p *progress[S]) Collect(to chan<- prometheus.Metric) {
	s := p.read()
	for _, f := range p.figures {
		f.send(to, s)
	}
}

// Collection returns the figures of a collection.
func Collection(read func() collect.Snapshot) prometheus.Collector {
	type s = collect.Snapshot

	return &progress[s]{read: read, figures: []figure[s]{
		gauge("collect_questions", "Questions of the run.", func(s s) float64 { return float64(s.Questions) }),
		gauge("collect_questions_done", "Questions with nothing more to do.",
			func(s s) float64 { return float64(s.QuestionsDone) }),
		gauge("collect_questions_solved", "Questions with an accepted trajectory.",
			func(s s) float64 { return float64(s.Solved) }),
		gauge("collect_trees_planned", "Trees that the run may grow at most.",
			func(s s) float64 { return float64(s.TreesPlanned) }),
		gauge("collect_trees_done", "Trees that are in the run, were given up, or are no longer needed.",
			func(s s) float64 { return float64(s.TreesDone) }),
		gauge("collect_trees", "Trees in the run.", func(s s) float64 { return float64(s.Trees) }),
		gauge("collect_trajectories_correct", "Trajectories in the run that ended with the right answer.",
			func(s s) float64 { return float64(s.Correct) }),
		gauge("collect_trajectories_accepted", "Distinct trajectories in the run that training takes.",
			func(s s) float64 { return float64(s.Accepted) }),
		gauge("collect_turns", "Turns of the trees in the run.", func(s s) float64 { return float64(s.Turns) }),
		gauge("collect_turns_unreadable", "Turns of the trees in the run from which no action could be read.",
			func(s s) float64 { return float64(s.Unreadable) }),
		counter("collect_trees_unresolved", "Trees given up because servers or tools failed.",
			func(s s) float64 { return float64(s.Unresolved) }),
		counter("collect_calls", "Calls to the model.", func(s s) float64 { return float64(s.Asked) }),
		counter("collect_calls_replayed", "Calls answered by the log.",
			func(s s) float64 { return float64(s.Replayed) }),
		counter("collect_samples", "Completions that the model wrote.",
			func(s s) float64 { return float64(s.Samples) }),
	}}
}

// Episodes is how far an evaluation is.
type Episodes struct {
	Planned, Done int64
	Replayed      int64 // of those done, the ones that took no call to the model

	Turns, Unreadable int64 // of the episodes that are over, and of those, the ones from which no action could be read
}

// Evaluation returns the figures of an evaluation.
func Evaluation(read func() Episodes) prometheus.Collector {
	type s = Episodes

	return &progress[s]{read: read, figures: []figure[s]{
		gauge("eval_episodes", "Episodes of the evaluation.", func(s s) float64 { return float64(s.Planned) }),
		gauge("eval_episodes_done", "Episodes that are over, or were lost.",
			func(s s) float64 { return float64(s.Done) }),
		gauge("eval_episodes_replayed", "Episodes that took no call to the model.",
			func(s s) float64 { return float64(s.Replayed) }),
		gauge("eval_turns", "Turns of the episodes that are over.", func(s s) float64 { return float64(s.Turns) }),
		gauge("eval_turns_unreadable", "Turns from which no action could be read.",
			func(s s) float64 { return float64(s.Unreadable) }),
	}}
}

// servers is the collector of the model's servers.
type servers struct {
	figures []figure[server.ServerSnapshot]
	faults  *prometheus.Desc
	read    func() map[string]server.Snapshot
}

// Servers returns the figures of the model's servers. read gives those of each policy, by its name.
func Servers(read func() map[string]server.Snapshot) prometheus.Collector {
	type s = server.ServerSnapshot

	labels := []string{"policy", "server"}
	count := func(name, help string, of func(server.Counts) int64) figure[s] {
		return counter(name, help, func(s s) float64 { return float64(of(s.Counts)) }, labels...)
	}

	return &servers{
		read: read,
		faults: prometheus.NewDesc("toolevo_server_faults_total", "Requests that failed, by what was seen.",
			append(labels, "cause"), nil),
		figures: []figure[s]{
			count("server_requests", "Requests sent.", func(c server.Counts) int64 { return c.Requests }),
			count("server_replies", "Requests with a usable reply.", func(c server.Counts) int64 { return c.Answered }),
			count("server_completions", "Completions received.",
				func(c server.Counts) int64 { return c.Completions }),
			count("server_completions_truncated", "Completions cut by a limit of length.",
				func(c server.Counts) int64 { return c.Truncated }),
			count("server_prompt_tokens", "Prompt tokens, as the server counts them.",
				func(c server.Counts) int64 { return c.PromptTokens }),
			count("server_cached_prompt_tokens", "Prompt tokens found in the server's prefix cache.",
				func(c server.Counts) int64 { return c.CachedTokens }),
			count("server_completion_tokens", "Completion tokens, as the server counts them.",
				func(c server.Counts) int64 { return c.CompletionTokens }),
			counter("server_slot_busy_seconds", "Slot-time in use: sequences in flight times seconds.",
				func(s s) float64 { return s.Busy.Seconds() }, labels...),
			counter("server_slot_idle_seconds", "Slot-time that the server waited for this program.",
				func(s s) float64 { return s.Idle.Seconds() }, labels...),
			gauge("server_up", "1 while the server answers, 0 while it is away.",
				func(s s) float64 { return oneIf(!s.Down) }, labels...),
			gauge("server_sequences_limit", "Sequences that may be in flight.",
				func(s s) float64 { return float64(s.Limit) }, labels...),
			gauge("server_sequences_in_flight", "Sequences in flight.",
				func(s s) float64 { return float64(s.InFlight) }, labels...),
			gauge("server_sequences_waiting", "Sequences that wait in this program for the limit.",
				func(s s) float64 { return float64(s.Waiting) }, labels...),
		},
	}
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}

	return 0
}

// Describe implements prometheus.Collector.
func (c *servers) Describe(to chan<- *prometheus.Desc) {
	to <- c.faults
	for _, f := range c.figures {
		to <- f.desc
	}
}

// Collect implements prometheus.Collector.
func (c *servers) Collect(to chan<- prometheus.Metric) {
	for policy, s := range c.read() {
		for _, one := range s.Servers {
			for _, f := range c.figures {
				f.send(to, one, policy, one.Address)
			}

			for cause, n := range one.Faults {
				to <- prometheus.MustNewConstMetric(c.faults, prometheus.CounterValue, float64(n), policy, one.Address,
					cause)
			}
		}
	}
}

// Run returns a figure that says which run it is: 1, with what is worth knowing as labels.
func Run(id, kind, software string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "toolevo_run_info",
		Help:        "Always 1; the labels say which run it is, and of which version.",
		ConstLabels: prometheus.Labels{"run_id": id, "kind": kind, "version": software},
	}, func() float64 { return 1 })
}
