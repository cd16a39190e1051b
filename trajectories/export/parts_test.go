package export

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/trajectories"
	"toolevo/trajectories/atif"
)

// TestSizeCategories names numbers of samples as the Hub does, at the bounds.
func TestSizeCategories(t *testing.T) {
	for rows, want := range map[int]string{
		0: "n<1K", 999: "n<1K", 1000: "1K<n<10K", 9999: "1K<n<10K",
		10000: "10K<n<100K", 99999: "10K<n<100K",
		100000: "100K<n<1M", 999999: "100K<n<1M", 1000000: "1M<n<10M", 123456789: "100M<n<1B",
	} {
		if got := sizeCategory(rows); got != want {
			t.Errorf("%d: %s, want %s", rows, got, want)
		}
	}
}

// TestNamesOfTrials holds that the name of a trial's folder has only letters, digits and _ . - of
// ASCII, tells documents apart that differ in others, and is short.
func TestNamesOfTrials(t *testing.T) {
	of := func(id string) string {
		d := &atif.Document{TrajectoryID: "run/" + id}
		d.Extra.Ours = &atif.Lineage{RunID: "run"}
		return trialFile(d)
	}
	name := regexp.MustCompile(`^toolevo_atif/([A-Za-z0-9_.-]+)-[0-9a-f]{8}/agent/trajectory\.json$`)
	seen := map[string]bool{}

	for c := range rune(300) {
		path := of("a" + string(c) + "b")

		m := name.FindStringSubmatch(path)
		if m == nil || seen[path] {
			t.Fatalf("%q: %s", c, path)
		}

		seen[path] = true
		plain := regexp.MustCompile(`^[A-Za-z0-9_.-]$`).MatchString(string(c))

		if want := map[bool]string{true: "a" + string(c) + "b", false: "a_b"}[plain]; m[1] != want {
			t.Errorf("%q: %s, want %s", c, m[1], want)
		}
	}

	if m := name.FindStringSubmatch(of(strings.Repeat("x", 300))); len(m[1]) != 100 {
		t.Errorf("a name of %d characters", len(m[1]))
	}
}

// TestPairsHaveOneReplyEach holds that a pair of messages for TRL has one chosen and one rejected
// reply.
func TestPairsHaveOneReplyEach(t *testing.T) {
	ask := []chatMessage{{Role: "user", Content: "Question: How much?"}}
	one := []chatMessage{{Role: "assistant", Content: "a"}}
	other := []chatMessage{{Role: "assistant", Content: "b"}}
	two := append(one[:1:1], chatMessage{Role: "user", Content: "Observation: c"})
	odd := []chatMessage{{Role: "user", Content: "c"}}

	s, err := fromPair(&record{Prompt: ask, Better: one, Worse: other})
	if err != nil || s.Chosen.Value != "a" || s.Rejected.Value != "b" || len(s.Conversations) != 1 {
		t.Errorf("%+v (%v)", s, err)
	}

	for want, r := range map[string]*record{
		"2 chosen and 1 rejected": {Prompt: ask, Better: two, Worse: one},
		"1 chosen and 2 rejected": {Prompt: ask, Better: one, Worse: two},
		"0 chosen and 1 rejected": {Prompt: ask, Worse: one},
		"does not begin":          {Prompt: ask, Better: odd, Worse: one},
	} {
		if _, err := fromPair(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestQuotas takes as many of each kind as its weight allows, by hand, and each row of a kind as
// often as the others.
func TestQuotas(t *testing.T) {
	m := Mix{By: ByAPI, Weights: map[string]float64{"a": 3, "b": 1}}

	for _, test := range []struct{ counts, want map[string]int }{
		{map[string]int{"a": 60, "b": 100, "c": 9}, map[string]int{"a": 60, "b": 20, "c": 0}},
		{map[string]int{"a": 60, "b": 10}, map[string]int{"a": 30, "b": 10}},
		{map[string]int{"a": 1, "b": 1}, map[string]int{"a": 1, "b": 0}},
		{map[string]int{"a": 2, "b": 1}, map[string]int{"a": 2, "b": 1}}, // two thirds are one
	} {
		all, err := m.quotas(test.counts)
		if err != nil {
			t.Fatal(err)
		}

		got := map[string]int{}
		for name, q := range all {
			got[name] = q.take

			if q.left != test.counts[name] {
				t.Errorf("%s: %d are left of %d", name, q.left, test.counts[name])
			}
		}

		if !maps.Equal(got, test.want) {
			t.Errorf("%v: %v, want %v", test.counts, got, test.want)
		}
	}

	_, err := m.quotas(map[string]int{"a": 1, "c": 1})
	if err == nil || !strings.Contains(err.Error(), "a, c") {
		t.Errorf("nothing of b: %v", err)
	}

	rng := rand.New(rand.NewPCG(1, 2))
	taken := make([]int, 5)

	for range 5000 {
		q, n := &quota{take: 2, left: 5}, 0

		for i := range taken {
			if q.next(rng) {
				taken[i]++
				n++
			}
		}

		if n != 2 {
			t.Fatalf("%d of 5 are taken, want 2", n)
		}
	}

	for i, n := range taken { // 2,000 each, and a standard deviation of 35
		if n < 1800 || n > 2200 {
			t.Errorf("row %d is taken %d times of 5,000", i, n)
		}
	}
}

// consistent returns a manifest, and what was seen of files that are as it says.
func consistent() (*Manifest, *seen) {
	m := newManifest(Options{Format: SFTTrajectory})
	m.Rows, m.Questions, m.DevRows, m.DevQuestions, m.Calls = 5, 2, 3, 1, true
	m.Lengths = Lengths{MaxChars: 1, TotalChars: 2, MaxTokens: 3, TotalTokens: 4, Cutoff: 3}
	m.Labels = Labels{Desirable: 1, Undesirable: 2}
	m.Unconfined = 2
	m.Runs = []ManifestRun{
		{RunID: "a", PromptAPI: "p", DeployedAPI: "d", Rows: 6},
		{RunID: "b", PromptAPI: "p", DeployedAPI: "d", Rows: 2, Makers: []trajectories.Maker{
			{Kind: "judge", Name: "kind", Unconfined: true},
		}},
	}
	m.Selection.PerQuestion, m.Selection.RequireRecovery = 2, true
	m.Selected = SelectionReport{Rows: 14, Kept: 3, Questions: 2, QuestionsKept: 2}
	m.Selected.Dropped = Dropped{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	m.Lint = LintReport{Checked: 17, Dropped: 3, ByRule: map[Rule]int{TooLong: 1, Leak: 2}}

	s := newSeen()
	s.sets = []seenSet{
		{rows: 5, questions: map[string]bool{"a": true, "b": true}, labels: m.Labels},
		{rows: 3, questions: map[string]bool{"c": true}},
	}
	s.calls, s.lengths = true, Lengths{MaxChars: 1, TotalChars: 2, MaxTokens: 3, TotalTokens: 4}
	s.runs = map[string]int{runOf("a", "p", "d", ""): 6, runOf("b", "p", "d", "kind judge"): 2}
	s.splits["train"] = true
	s.paths["a"] = map[string]bool{"1": true, "2": true}
	s.paths["b"] = map[string]bool{"3": true}

	return &m, s
}

// TestEachValueIsChecked changes one count or promise at a time of a manifest that is right: each
// is told, and nothing else.
func TestEachValueIsChecked(t *testing.T) {
	for want, change := range map[string]func(m *Manifest, s *seen){
		"":                     func(*Manifest, *seen) {},
		"for rows,":            func(m *Manifest, _ *seen) { m.Rows++ },
		"for questions,":       func(m *Manifest, _ *seen) { m.Questions++ },
		"for dev_rows,":        func(m *Manifest, _ *seen) { m.DevRows++ },
		"for dev_questions,":   func(m *Manifest, _ *seen) { m.DevQuestions++ },
		"for labels,":          func(m *Manifest, _ *seen) { m.Labels.Desirable++ },
		"for function_calls,":  func(m *Manifest, _ *seen) { m.Calls = false },
		"total_chars,":         func(m *Manifest, _ *seen) { m.Lengths.TotalChars++ },
		"max_chars,":           func(m *Manifest, _ *seen) { m.Lengths.MaxChars++ },
		"total_tokens,":        func(m *Manifest, _ *seen) { m.Lengths.TotalTokens++ },
		"max_tokens,":          func(m *Manifest, _ *seen) { m.Lengths.MaxTokens++ },
		"cutoff,":              func(m *Manifest, _ *seen) { m.Lengths.Cutoff = 2 },
		"rows of each run map": func(m *Manifest, _ *seen) { m.Runs[0].Rows++ },
		"2 rows are unconf": func(m *Manifest, _ *seen) {
			m.Runs[1].Makers[0].Unconfined = false
		},
		"the split train, and the samples are of [dev]": func(_ *Manifest, s *seen) {
			s.splits = map[string]bool{"dev": true}
		},
		"the split train, and the samples are of [dev train]": func(_ *Manifest, s *seen) {
			s.splits["dev"] = true
		},
		"at most 1 trajectories": func(m *Manifest, _ *seen) { m.Selection.PerQuestion = 1 },
		"recoveries only":        func(_ *Manifest, s *seen) { s.recovered = false },
		"one twice":              func(_ *Manifest, s *seen) { s.repeated = true },
		"3 trajectories of 2 questions selected, and there are 4": func(_ *Manifest, s *seen) {
			s.paths["b"]["4"] = true
		},
		"3 trajectories of 1 questions selected": func(m *Manifest, _ *seen) {
			m.Selected.QuestionsKept = 1
		},
		"the selection that do not add up": func(m *Manifest, _ *seen) {
			m.Selected.Dropped.Weight++
		},
		"more questions kept":           func(m *Manifest, _ *seen) { m.Selected.Questions = 1 },
		"the linter that do not add up": func(m *Manifest, _ *seen) { m.Lint.Checked++ },
	} {
		r := proof{&Report{}}

		m, s := consistent()
		change(m, s)
		r.checkValues(m, s)

		if want == "" && len(r.Problems) > 0 || want != "" && (len(r.Problems) != 1 ||
			!strings.Contains(r.Problems[0], want)) {
			t.Errorf("%q, want %q", r.Problems, want)
		}
	}

	// No bound is no bound, and the rules of the linter have to come to what it dropped.
	m, s := consistent()
	m.Selection.PerQuestion, m.Selection.RequireRecovery, s.recovered = 0, false, false
	m.Selection.Split, m.Lengths.Cutoff = "", 0
	s.splits["dev"], s.sets = true, s.sets[:1]
	m.Lint.ByRule[Leak]++

	r := proof{&Report{}}
	if r.checkValues(m, s); len(r.Problems) != 1 {
		t.Errorf("%q", r.Problems)
	}
}

// TestSamplesThatAreTrainedAlike holds that samples are told apart by all that is trained, and by
// nothing else.
func TestSamplesThatAreTrainedAlike(t *testing.T) {
	sample := func() Sample {
		return Sample{
			System:        "s",
			Conversations: []Message{{From: Human, Value: "q"}, {From: GPT, Value: "a"}},
			Chosen:        Message{From: GPT, Value: "b"},
			Rejected:      Message{From: GPT, Value: "c"},
		}
	}
	seen := map[[32]byte]bool{}

	for _, change := range []func(*Sample){
		func(*Sample) {},
		func(s *Sample) { s.System = "S" },
		func(s *Sample) { s.Tools = "[]" },
		func(s *Sample) { s.Good = true },
		func(s *Sample) { s.Conversations[1].From = FunctionCall },
		func(s *Sample) { s.Conversations[1].Value = "A" },
		func(s *Sample) { s.Conversations = s.Conversations[:1] },
		func(s *Sample) { s.Chosen, s.Rejected = s.Rejected, s.Chosen },
		func(s *Sample) { s.System, s.Conversations[0].Value = "sq", "" },
		func(s *Sample) { s.Nodes = []Node{{Messages: s.Conversations[1:]}} },
	} {
		s := sample()
		change(&s)
		seen[s.sum()] = true
	}

	if len(seen) != 10 {
		t.Errorf("%d of 10 samples are told apart", len(seen))
	}

	once := sample()
	once.Once, once.Conversations[1].Untrained = true, true

	if !seen[once.sum()] {
		t.Error("what is not trained tells samples apart")
	}
}

// drawReply draws a reply of the model: a text, or a function call, with a thought or without.
func drawReply(t *rapid.T, native bool) Message {
	if rapid.Bool().Draw(t, "text") {
		return Message{From: GPT, Value: rapid.StringMatching(`[a-z <>]{1,9}`).Draw(t, "reply")}
	}

	thought := rapid.SampledFrom([]string{"", "I <see>."}).Draw(t, "thought")
	if native { // content, of which reasoning is a part
		thought = rapid.SampledFrom([]string{"", "a {b}\n", "<think>\nI see.\n</think>\n\n"}).Draw(t, "content")
	}

	at := rapid.SampledFrom([]any{"<é>", nil, envs.Number("1.50"), []any{}}).Draw(t, "at")
	call := envs.Call{Name: "Look", Args: envs.Args{{Name: "at", Value: at}}}

	calls := []envs.Call{call}
	if native {
		calls = slices.Repeat(calls, rapid.IntRange(1, 3).Draw(t, "calls"))
	}
	return Message{From: FunctionCall, Value: callsText(thought, native, calls...)}
}

// drawAnswer draws what a reply was answered, of each call.
func drawAnswer(t *rapid.T, m Message, i int) Message {
	calls := 1
	if m.From == FunctionCall {
		_, _, all, err := readCalls(m.Value)
		if err != nil {
			t.Fatal(err)
		}

		calls = len(all)
	}
	return Message{From: Observation, Value: action.JoinResults(slices.Repeat([]string{fmt.Sprint("seen ", i)}, calls))}
}

// drawNodes draws a tree: an end has no answer.
func drawNodes(t *rapid.T, native bool) []Node {
	all := make([]Node, rapid.IntRange(1, 8).Draw(t, "nodes"))
	for i := range all {
		all[i].Parent = rapid.IntRange(-1, i-1).Draw(t, "parent")
		all[i].Advantage = rapid.Float64Range(-2, 2).Draw(t, "advantage")
		all[i].Messages = []Message{drawReply(t, native)}
		all[i].Messages[0].Untrained = rapid.Bool().Draw(t, "untrained")
	}

	for _, n := range all {
		if above := n.Parent; above >= 0 && len(all[above].Messages) == 1 {
			all[above].Messages = append(all[above].Messages, drawAnswer(t, all[above].Messages[0], above))
		}
	}

	return all
}

// TestLayoutsReadWhatTheyWrite holds for each format and trainer that a sample is read from its
// record as it was written, and that in messages each answer of a tool names the call before it,
// and no other call has its name.
func TestLayoutsReadWhatTheyWrite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(Formats()).Draw(t, "format")
		s := Sample{System: rapid.SampledFrom([]string{"", "tools"}).Draw(t, "system")}
		s.Tools = rapid.SampledFrom([]string{"", `[{"type": "function"}]`}).Draw(t, "tools")
		native := s.Tools != ""

		s.Conversations = []Message{{From: Human, Value: "Question: How much?"}}

		for i := range rapid.IntRange(0, 6).Draw(t, "turns") {
			reply := drawReply(t, native)
			s.Conversations = append(s.Conversations, reply, drawAnswer(t, reply, i))
		}

		if f == Tree {
			s.Conversations = s.Conversations[:1]
			s.Nodes = drawNodes(t, native)
		} else if f.IsPairs() {
			s.Chosen, s.Rejected = drawReply(t, native), drawReply(t, native)
		} else {
			s.Conversations = append(s.Conversations, drawReply(t, native))
			s.Good = f == KTO && rapid.Bool().Draw(t, "good")
		}

		for _, trainer := range Trainers() {
			l := (&Manifest{Format: f, Trainer: trainer, Tools: s.Tools != ""}).layout()
			rec := l.write(&s)

			back, err := l.read(&rec)
			if diff := cmp.Diff(s, back); err != nil || diff != "" {
				t.Fatalf("%s for %s (%v): -want +got:\n%s", f, trainer, err, diff)
			}

			for _, all := range pathsOf(&rec) {
				answers(t, all)
			}

			for _, all := range [][]chatMessage{
				rec.Messages, slices.Concat(rec.Prompt, rec.Completion),
				slices.Concat(rec.Prompt, rec.Better),
			} {
				answers(t, all)
			}
		}
	})
}

// pathsOf are the messages to each node of a tree.
func pathsOf(rec *record) [][]chatMessage {
	var all [][]chatMessage

	for i := range rec.Nodes {
		var path []chatMessage
		for ; i >= 0; i = rec.Nodes[i].Parent {
			path = slices.Concat(rec.Nodes[i].Messages, path)
		}

		all = append(all, slices.Concat(rec.Prompt, path))
	}
	return all
}

// answers checks which calls the answers of tools name.
func answers(t *rapid.T, all []chatMessage) {
	calls := map[string]bool{}

	var waiting []string

	for i, m := range all {
		for _, call := range m.ToolCalls {
			if calls[call.ID] {
				t.Fatalf("two calls are %s", call.ID)
			}

			calls[call.ID] = true
		}

		switch {
		case m.Role == toolRole && (len(waiting) == 0 || waiting[0] != m.ToolCallID):
			t.Fatalf("message %d answers %q", i, m.ToolCallID)
		case m.Role == toolRole:
			waiting = waiting[1:]
		case len(waiting) > 0 || m.ToolCallID != "":
			t.Fatalf("message %d is of the %s, and answers a call", i, m.Role)
		}

		for _, call := range m.ToolCalls {
			waiting = append(waiting, call.ID)
		}
	}
}

// TestReasoningIsTheModels holds that tags in what a model is told are no reasoning of its.
func TestReasoningIsTheModels(t *testing.T) {
	thought := "<think>\nI see.\n</think>\n\ndone"
	for from, want := range map[string]bool{
		GPT: true, FunctionCall: true, Observation: false, Human: false,
	} {
		s := Sample{Conversations: []Message{{From: from, Value: thought}}}
		if s.hasReasoning() != want {
			t.Errorf("%s: %v", from, !want)
		}
	}
}
