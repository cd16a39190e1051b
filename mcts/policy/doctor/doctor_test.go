package doctor_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/scripted"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/simserver"
	"toolevo/toolqa/questions"
)

const (
	model    = "sim-8b"
	question = "Question: What was the opening price of coffee on 2000-01-03?"
)

// latency makes what is timed take a while.
var latency = simserver.Latency{PrefillPerSecond: 60_000, DecodePerSecond: 1200}

// start makes a server of the noisy policy, without a port.
func start(t testing.TB, o simserver.Options) *simserver.Server {
	t.Helper()

	profile, err := scripted.ParseProfile("noisy")
	if err != nil {
		t.Fatal(err)
	}

	o.Policy, o.Model = scripted.New(profile, questions.Plan), model
	if o.Slots == 0 {
		o.Slots = 16
	}

	if o.Latency == (simserver.Latency{}) {
		o.Latency = latency
	}

	s, err := simserver.New(o)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(s.Close)
	return s
}

// virtually runs a test, beside others, by a clock that moves only when nothing else is left to do.
func virtually(t *testing.T, name string, test func(t *testing.T)) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

// options are those of a run of a server.
func options(s *simserver.Server, kind *server.Kind) doctor.Options {
	o := doctor.Options{
		Kind:     kind,
		Endpoint: server.Endpoint{URL: "http://localhost:8000", Transport: virtual{s}, Model: model},
		Manner:   server.Manner{Extensions: true, LogProbs: true, Window: 8192},
		Sampling: server.Sampling{
			Temperature:       0.8,
			TopP:              1,
			RepetitionPenalty: 1,
			MaxTokens:         512,
			Stop:              action.ReAct{}.Stop(),
		},
		Short: doctor.Prompt{Text: question + "\n\n"},
		First: doctor.Prompt{Text: strings.Repeat("A tool of some name does something.\n", 100) + question + "\n\n"},
	}
	o.Observed = func(text string) doctor.Prompt {
		return doctor.Prompt{Text: question + "\n\nThought: t\nAction: LoadDB\nAction Input: {}\n\nObservation: " +
			text + "\n\n"}
	}

	return o
}

// chatting are the options of a run that leaves the chat template to the server.
func chatting(s *simserver.Server) doctor.Options {
	o := options(s, openai.Kind)
	user := func(text string) chat.Message { return chat.Message{Role: chat.UserRole, Content: text} }
	o.Chat = true
	o.Short = doctor.Prompt{Messages: []chat.Message{user(question)}}
	o.First = doctor.Prompt{Messages: []chat.Message{{Role: chat.SystemRole, Content: "Use tools."}, user(question)}}
	o.Observed = func(text string) doctor.Prompt {
		h := envs.NewHistory(envs.Task{Question: "q"}).Append(envs.Turn{
			Action:      "Thought: t\nAction: LoadDB\nAction Input: {}",
			Observation: text,
		})

		clean, err := chat.NewSanitizer()
		if err != nil {
			panic(err)
		}
		return doctor.Prompt{Messages: chat.Messages("", h, clean)}
	}
	return o
}

func examine(t testing.TB, o doctor.Options) *doctor.Report {
	t.Helper()

	r, err := doctor.Examine(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantOnly holds that the checks named have the verdicts named, and all others are OK.
func wantOnly(t *testing.T, r *doctor.Report, want map[doctor.Name]doctor.Verdict) {
	t.Helper()

	worst := doctor.OK

	for _, c := range r.Checks {
		verdict, ok := want[c.Name]
		if !ok {
			verdict = doctor.OK
		}

		worst = worst.Worse(verdict)
		if c.Verdict != verdict {
			t.Errorf("%s: %s, want %s: %s", c.Name, c.Verdict, verdict, c.Seen)
		}

		if c.Verdict != doctor.OK && (c.Run == "" || c.Do == "") {
			t.Errorf("%s says not what a run makes of it, or what to do: %+v", c.Name, c)
		}
	}

	for name := range want {
		if _, ok := r.Check(name); !ok {
			t.Errorf("no check of %s", name)
		}
	}

	if r.Verdict != worst {
		t.Errorf("the verdict is %s, want %s", r.Verdict, worst)
	}
}

// every is what a whole examination checks.
func every(kind *server.Kind) []doctor.Name {
	all := []doctor.Name{
		doctor.Reachable, doctor.Version, doctor.Model, doctor.Completion, doctor.Template,
		doctor.PrefixCache, doctor.Window, doctor.Room, doctor.Parameters,
		doctor.Samples, doctor.Seeds, doctor.Greedy, doctor.Defaults, doctor.Stop, doctor.LogProbs, doctor.Slots,
		doctor.Crosstalk, doctor.Clock,
	}
	if kind == ollama.Kind {
		clock := slices.Index(all, doctor.Clock)
		all = append(slices.Insert(all, clock, doctor.Kept), doctor.Loaded)
	}

	return all
}

func TestHealthy(t *testing.T) {
	t.Parallel()

	vllm, native := simserver.Options{MaxModelLen: 8192}, simserver.Options{Kind: simserver.Ollama, MaxModelLen: 8192}
	quiet := vllm

	quiet.NoDetails = true
	for name, test := range map[string]struct {
		server  simserver.Options
		options func(*simserver.Server) doctor.Options
	}{
		"vllm":            {vllm, func(s *simserver.Server) doctor.Options { return options(s, openai.Kind) }},
		"vllm chat":       {vllm, chatting},
		"vllm no details": {quiet, func(s *simserver.Server) doctor.Options { return options(s, openai.Kind) }},
		"ollama":          {native, func(s *simserver.Server) doctor.Options { return options(s, ollama.Kind) }},
	} {
		virtually(t, name, func(t *testing.T) {
			s := start(t, test.server)
			o := test.options(s)
			var told []doctor.Check
			o.Found = func(c doctor.Check) { told = append(told, c) }
			r := examine(t, o)
			wantOnly(t, r, nil)

			var names []doctor.Name
			for _, c := range r.Checks {
				names = append(names, c.Name)
			}

			if !slices.Equal(names, every(o.Kind)) || !reflect.DeepEqual(told, r.Checks) {
				t.Errorf("checks %v, told of %d", names, len(told))
			}

			if e := r.Estimate; e == nil || e.CompletionsPerHour < 1000 || e.OutPerSecond < 1 || e.OutAlone < 1 ||
				e.PromptTokens < 1 || e.TokensRead != 200 {
				t.Errorf("estimate %+v", e)
			}

			if st := s.Stats(); st.Reloads != 0 || st.Requests != r.Probes || r.Took <= 0 {
				t.Errorf("%d reloads, %d requests for %d probes in %v", st.Reloads, st.Requests, r.Probes, r.Took)
			}
		})
	}
}

func TestMisconfigurations(t *testing.T) {
	t.Parallel()
	type verdicts = map[doctor.Name]doctor.Verdict

	for _, test := range []struct {
		kind  *server.Kind
		wrong simserver.Misconfiguration
		want  verdicts
		words []string // of the finding
	}{
		{openai.Kind, simserver.IgnoreN, verdicts{doctor.Samples: doctor.Warning},
			[]string{"4 asked for, 1 came back"}},
		{openai.Kind, simserver.NoLogProbs, verdicts{doctor.LogProbs: doctor.Problem},
			[]string{"--set server.logprobs=false"}},
		{openai.Kind, simserver.IgnoreStop, verdicts{doctor.Stop: doctor.Problem}, []string{"ignored"}},
		{openai.Kind, simserver.UnstableGreedy, verdicts{doctor.Greedy: doctor.Warning},
			[]string{"2 texts in 6 tries"}},
		{openai.Kind, simserver.LeakDefaults, verdicts{doctor.Defaults: doctor.Warning},
			[]string{"(temperature, top_p, top_k, repetition_penalty)", "--generation-config vllm"}},
		{openai.Kind, simserver.ShortContext, verdicts{doctor.Window: doctor.Warning},
			[]string{"states 8,192 tokens: 4,0", "are refused"}},
		{openai.Kind, simserver.SilentTruncation, verdicts{doctor.Window: doctor.Problem},
			[]string{"it read 4,095", "states 8,192"}},
		{openai.Kind, simserver.MissingModel, verdicts{doctor.Model: doctor.Problem},
			[]string{"sim-8b", "another-model"}},
		{openai.Kind, simserver.NoPrefixCache, verdicts{doctor.PrefixCache: doctor.Warning},
			[]string{"0 % of a known prompt"}},
		{openai.Kind, simserver.OneSlot, verdicts{doctor.Slots: doctor.Warning}, []string{"8 requests at once"}},
		{openai.Kind, simserver.DropsObservations, verdicts{doctor.Template: doctor.Problem},
			[]string{"the prompt 0 longer"}},

		{ollama.Kind, simserver.NoLogProbs, verdicts{doctor.LogProbs: doctor.Problem},
			[]string{"server.logprobs=false"}},
		{ollama.Kind, simserver.IgnoreStop, verdicts{doctor.Stop: doctor.Problem}, []string{"ignored"}},
		{ollama.Kind, simserver.UnstableGreedy, verdicts{doctor.Greedy: doctor.Warning}, []string{"2 texts"}},
		{ollama.Kind, simserver.LeakDefaults, verdicts{}, nil}, // Ollama's own are never neutral: no finding
		{ollama.Kind, simserver.ShortContext, verdicts{doctor.Window: doctor.Warning},
			[]string{"--set server.window=40"}},
		{ollama.Kind, simserver.SilentTruncation, verdicts{doctor.Window: doctor.Problem}, []string{"it read 4,096"}},
		{ollama.Kind, simserver.MissingModel, verdicts{doctor.Model: doctor.Problem}, []string{"ollama pull sim-8b"}},
		{ollama.Kind, simserver.NoPrefixCache, verdicts{doctor.PrefixCache: doctor.Warning}, []string{"not at work"}},
		{ollama.Kind, simserver.OneSlot, verdicts{doctor.Slots: doctor.Warning}, []string{"OLLAMA_NUM_PARALLEL=8"}},
	} {
		virtually(t, test.kind.Name+" "+string(test.wrong), func(t *testing.T) {
			s := start(t, simserver.Options{
				Kind: map[*server.Kind]simserver.Kind{ollama.Kind: simserver.Ollama}[test.kind], MaxModelLen: 8192,
				Wrong: []simserver.Misconfiguration{test.wrong},
			})

			o := options(s, test.kind)
			if test.wrong == simserver.DropsObservations {
				o = chatting(s)
			}

			r := examine(t, o)
			wantOnly(t, r, test.want)

			for name := range test.want {
				c, _ := r.Check(name)
				for _, w := range test.words {
					if text := c.Seen + "\n" + c.Run + "\n" + c.Do; !strings.Contains(text, w) {
						t.Errorf("it does not say %q:\n%s", w, text)
					}
				}
			}
		})
	}
	// Every misconfiguration is among them, but for those that only requests with tools meet.
	if n := len(simserver.Misconfigurations()) - 9; n != 11 {
		t.Errorf("%d misconfigurations, 11 are tried", n)
	}
}
