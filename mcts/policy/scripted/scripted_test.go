package scripted

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/mcts"
)

func TestReaderSolvesEveryVersion(t *testing.T) {
	for version, want := range map[string][]string{
		"p_c": {"LoadDB ok", "FilterDB ok", "GetValue ok", "PythonInterpreter ok", "Finish correct"},
		"p_s_in": {
			"LoadDB deprecated", "InitializeDatabase ok", "UpdateTool ok",
			"FilterDB deprecated", "Apply_Database_Filters ok", "UpdateTool ok",
			"GetValue deprecated", "FetchValue_ByKey ok", "UpdateTool ok",
			"PythonInterpreter deprecated", "Execute_Python_Script ok", "UpdateTool ok", "Finish correct",
		},
		"p_s_ood": {
			"LoadDB deprecated", "Init_DB ok", "UpdateTool ok",
			"FilterDB deprecated", "DoFilter_OnDatabase ok", "UpdateTool ok",
			"GetValue deprecated", "Extract_Value ok", "UpdateTool ok",
			"PythonInterpreter deprecated", "Process_Python_Code ok", "UpdateTool ok", "Finish correct",
		},
	} {
		t.Run(version, func(t *testing.T) {
			h := solve(t, New(profile(t, "reader"), plans), newWorld(version), openQuestion, 1, true)
			if diff := cmp.Diff(want, called(h)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReaderDescribesTheCallThatWorked(t *testing.T) {
	h := solve(t, New(profile(t, "reader"), plans), newWorld("p_s_in"), openQuestion, 1, true)

	want := []string{
		`InitializeDatabase[DatabaseName], which is an updated version of LoadDB and takes its place. For example, {"DatabaseName": "coffee"}.`,
		`Apply_Database_Filters[condition1], which is an updated version of FilterDB and takes its place. For example, {"condition1": "Date=2000-01-03", "condition2": "Open>1"}.`,
		`FetchValue_ByKey[column, ReturnResult], which is an updated version of GetValue and takes its place. For example, {"column1": "Open", "ReturnResult": "True"}.`,
		`Execute_Python_Script[PythonCode], which is an updated version of PythonInterpreter and takes its place. For example, {"PythonCode": "The Python code is as follows: \nx = 122.25\nprint(x)"}.`,
	}
	if diff := cmp.Diff(want, h.Learned()); diff != "" {
		t.Error(diff)
	}

	if text := string(h.Turns()[0].Action); text != "Thought: I need step LoadDB.\nAction: LoadDB\nAction Input: "+
		"{\"DBName\": \"coffee\"}" {
		t.Errorf("first action:\n%s", text)
	}
}

func TestUpdateToolCanBeSwitchedOff(t *testing.T) {
	p := profile(t, "reader")
	p.NoUpdateTool = true

	h := solve(t, New(p, plans), newWorld("p_s_in"), openQuestion, 1, true)
	if outcome(h) != envs.Correct || strings.Contains(strings.Join(called(h), " "), envs.UpdateTool) {
		t.Errorf("calls %q", called(h))
	}
}

// Who quotes notices says the example of one before the call that follows it, and nowhere else.
func TestQuotedNotice(t *testing.T) {
	p := profile(t, "reader")
	p.QuotesNotices = true

	h := solve(t, New(p, plans), newWorld("p_s_in"), openQuestion, 1, true)

	turns := h.Turns()
	for i, turn := range turns {
		thought, _, _ := strings.Cut(string(turn.Action), "\nAction:")
		_, example, _ := strings.Cut(thought, "Its example is ")
		followed := i > 0 && turns[i-1].Outcome == envs.Deprecated

		quoted, _, err := pytext.DecodeObject(example)
		if (err == nil) != followed {
			t.Errorf("turn %d: the thought %q quotes, or does not", i, thought)
		}

		// A notice writes the newlines of its example as they are.
		text := strings.ReplaceAll(pytext.JSON(quoted), `\n`, "\n")
		if followed && !strings.Contains(turns[i-1].Observation, text) {
			t.Errorf("turn %d: %q does not quote %q", i, thought, turns[i-1].Observation)
		}
	}
}

// A refused UpdateTool, or a thought that could not be read, does not keep the reader from the
// task.
func TestReaderGoesOnAfterARefusedUpdate(t *testing.T) {
	w := newWorld("p_s_in")
	w.refuse = map[string]string{envs.UpdateTool: "Tool update failed."}

	h := solve(t, New(profile(t, "reader"), plans), w, openQuestion, 1, true)
	if outcome(h) != envs.Correct {
		t.Errorf("calls %q", called(h))
	}
}

func TestLearnedUsageIsUsedDirectly(t *testing.T) {
	in := map[string]drifted{}

	for _, d := range driftedTools() {
		if d.version == "p_s_in" {
			in[d.name] = d
		}
	}

	load := envs.Turn{
		Call:        envs.Call{Tool: "LoadDB", Name: "InitializeDatabase", Args: kv("DatabaseName", "coffee")},
		Outcome:     envs.OK,
		Observation: "loaded",
	}

	t.Run("from a description", func(t *testing.T) {
		u, _ := parseNotice(in["Apply_Database_Filters"].notice)
		h := ask(openQuestion).Append(load).Learn(u.describe(kv("condition1", "a=1")))
		wantCall(t, h, "Apply_Database_Filters", `{"condition1": "Date=2000-01-03", "condition2": "Open>1"}`)
	})
	t.Run("from a notice earlier", func(t *testing.T) {
		notice := envs.Turn{
			Call:        envs.Call{Name: "FilterDB"},
			Outcome:     envs.Deprecated,
			Observation: in["Apply_Database_Filters"].notice,
		}
		h := ask(openQuestion).Append(notice).Append(load)
		wantCall(t, h, "Apply_Database_Filters", `{"condition1": "Date=2000-01-03", "condition2": "Open>1"}`)
	})
	t.Run("through two notices", func(t *testing.T) {
		h := ask(openQuestion).
			Append(envs.Turn{
				Call:        envs.Call{Name: "LoadDB"},
				Outcome:     envs.Deprecated,
				Observation: in["InitializeDatabase"].notice,
			}).
			Append(envs.Turn{
				Call:    envs.Call{Name: "InitializeDatabase"},
				Outcome: envs.Deprecated,
				Observation: deprecated(
					"InitializeDatabase[DatabaseName]",
					`OpenDB[db, mode], param example: {"db": "flights", "mode": 1}`),
			})
		wantCall(t, h, "OpenDB", `{"db": "coffee", "mode": 1}`)
	})
}

func wantCall(t *testing.T, h envs.History, name, input string) {
	t.Helper()

	text := propose(t, New(profile(t, "reader"), plans), mcts.Request{History: h, N: 1, Greedy: true})[0].Text
	if want := "\nAction: " + name + "\nAction Input: " + input; !strings.HasSuffix(text, want) {
		t.Errorf("got %s\nwant it to end with%s", text, want)
	}
}

func TestErrorsAreRetriedThenGivenUp(t *testing.T) {
	w := newWorld("p_c")
	w.refuse = map[string]string{"FilterDB": "The filtering query is incorrect."}
	h := solve(t, New(profile(t, "reader"), plans), w, openQuestion, 1, true)

	want := []string{"LoadDB ok", "FilterDB tool-error", "FilterDB tool-error", "FilterDB tool-error",
		"Finish incorrect"}
	if diff := cmp.Diff(want, called(h)); diff != "" {
		t.Error(diff)
	}

	if a, _ := h.Turns()[4].Call.Args.Text("answer"); a != unknownAnswer {
		t.Errorf("gave up with %q", a)
	}
}

func TestANoticeWithoutSuccessorIsGivenUp(t *testing.T) {
	w := newWorld("p_s_in")
	w.names["LoadDB"] = drifted{notice: deprecated("LoadDB[DBName]", `[x], param example: {"x": "y"}`)}
	h := solve(t, New(profile(t, "reader"), plans), w, openQuestion, 1, true)

	want := []string{"LoadDB deprecated", "LoadDB deprecated", "LoadDB deprecated", "Finish incorrect"}
	if diff := cmp.Diff(want, called(h)); diff != "" {
		t.Error(diff)
	}
}

func TestStale(t *testing.T) {
	p := New(profile(t, "stale"), plans)
	if h := solve(t, p, newWorld("p_c"), openQuestion, 1, true); outcome(h) != envs.Correct {
		t.Errorf("p_c: calls %q", called(h))
	}

	want := []string{"LoadDB deprecated", "LoadDB deprecated", "LoadDB deprecated", "LoadDB deprecated",
		"Finish incorrect"}

	for _, version := range []string{"p_s_in", "p_s_ood"} {
		for seed := range uint64(20) {
			if diff := cmp.Diff(want, called(solve(t, p, newWorld(version), openQuestion, seed,
				seed == 0))); diff != "" {
				t.Fatalf("%s, seed %d:\n%s", version, seed, diff)
			}
		}
	}
}

func TestUnknownQuestions(t *testing.T) {
	for _, p := range Profiles() {
		h := solve(t, in(newWorld("p_c"), p), newWorld("p_c"), strangeRequest, 1, false)
		if diff := cmp.Diff([]string{"Finish incorrect"}, called(h)); diff != "" {
			t.Errorf("%s:\n%s", p.Name, diff)
		}
	}
}

func TestPlanThatCannotGoOn(t *testing.T) {
	h := ask(openQuestion)
	for i, name := range []string{"LoadDB", "FilterDB", "GetValue"} {
		h = h.Append(envs.Turn{
			Call:        envs.Call{Tool: name, Name: name, Args: kv("x", string(rune('a'+i)))},
			Observation: `{"Low": "1"}`,
		})
	}

	wantCall(t, h, envs.FinishTool, `{"answer": "unknown"}`)
}

// A profile with hopeless questions takes on each of them as it does any other, and never solves
// it.
func TestHopelessQuestions(t *testing.T) {
	p := profile(t, "weak")
	p.Rates = Rates{}
	hopeless := 0

	const questions = 900
	for i := range questions {
		policy, solved := New(p, plans), false
		for seed := range uint64(3) {
			h := solve(t, policy, newWorld("p_s_in"), fmt.Sprint(openQuestion, " ", i), seed, seed == 0)
			if h.Len() != 13 {
				t.Fatalf("question %d: calls %q", i, called(h))
			}

			if outcome(h) == envs.Correct != solved && seed > 0 {
				t.Errorf("question %d is solved sometimes", i)
			}

			solved = outcome(h) == envs.Correct
		}

		if !solved {
			hopeless++
		}
	}

	if hopeless < questions/3-50 || hopeless > questions/3+50 {
		t.Errorf("%d of %d questions are hopeless, want a third", hopeless, questions)
	}
}

// Whoever makes mistakes makes those of the task in every API version, and under drift some more: a
// question that is missed without drift is not answered with it.
func TestNoQuestionIsEasierUnderDrift(t *testing.T) {
	for _, name := range []string{"noisy", "weak"} {
		right := map[string]int{}

		for i := range 400 {
			question := fmt.Sprint(openQuestion, " ", i)
			without := false

			for _, version := range []string{"p_c", "p_s_in", "p_s_ood"} {
				h := solve(t, New(profile(t, name), plans), newWorld(version), question, 1, true)

				correct := outcome(h) == envs.Correct
				if correct {
					right[version]++
				}

				if version == "p_c" {
					without = correct
				} else if correct && !without {
					t.Errorf("%s: question %d is answered in %s and not in p_c: %q", name, i, version, called(h))
				}
			}
		}

		if right["p_c"] == 0 || right["p_c"] == 400 || right["p_s_in"] == right["p_c"] {
			t.Errorf("%s: of 400 questions %v are answered: the test shows nothing", name, right)
		}
	}
}

// Answers that are JSON objects are read for their message: every profile does what it does
// without.
func TestWrappedAnswersChangeNothing(t *testing.T) {
	for _, p := range Profiles() {
		for seed := range uint64(200) {
			question := fmt.Sprint(openQuestion, " ", seed)
			plain, wrapped := newWorld("p_s_in"), newWorld("p_s_in")
			wrapped.wraps = true

			for _, greedy := range []bool{true, false} {
				want := called(solve(t, in(plain, p), plain, question, seed, greedy))
				got := called(solve(t, in(wrapped, p), wrapped, question, seed, greedy))

				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, seed %d, greedy %v (-plain +wrapped):\n%s", p.Name, seed, greedy, diff)
				}
			}
		}
	}
}

// Parameters can change under a name that stands: then the thought does not say that the name has
// changed.
func TestThoughtOnOutdatedParameters(t *testing.T) {
	h := ask(openQuestion).Append(envs.Turn{
		Call:        envs.Call{Tool: "LoadDB", Name: "LoadDB", Args: kv("DBName", "coffee")},
		Outcome:     envs.Deprecated,
		Observation: deprecated("LoadDB[DBName]", `LoadDB[#DBName], param example: {"#DBName": "flights"}`),
	})
	reader := New(profile(t, "reader"), plans)

	text := propose(t, reader, mcts.Request{History: h, N: 1, Greedy: true})[0].Text

	want := "Thought: The parameters of LoadDB have changed. I write them as the notice does. I need step LoadDB.\n" +
		"Action: LoadDB\nAction Input: {\"#DBName\": \"coffee\"}"
	if text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}

	for _, sample := range propose(t, reader, mcts.Request{History: h, N: 50, Seed: 1}) {
		if strings.Contains(sample.Text, "LoadDB instead") || strings.Contains(sample.Text, "takes the place") {
			t.Errorf("a sample says\n%s", sample.Text)
		}
	}
}

// Reader and stale differ from sample to sample in nothing but the words of the thought.
func TestSteadyProfilesMakeOneCall(t *testing.T) {
	for _, name := range []string{"reader", "stale"} {
		texts, calls := map[string]bool{}, map[string]bool{}
		for _, p := range propose(t, New(profile(t, name), plans),
			mcts.Request{History: ask(openQuestion), N: 200, Seed: 7}) {
			texts[p.Text] = true
			_, call, _ := strings.Cut(p.Text, "\n")
			calls[call] = true
		}

		if len(calls) != 1 || len(texts) < 5 {
			t.Errorf("%s: %d calls in %d texts, want 1 in at least 5", name, len(calls), len(texts))
		}
	}
}

func TestProposalsDependOnHistoryAndSeedsOnly(t *testing.T) {
	for _, profile := range Profiles() {
		r := mcts.Request{History: ask(openQuestion), N: 8, Seed: 42}
		first := propose(t, in(newWorld("p_s_in"), profile), r)
		shared := in(newWorld("p_s_in"), profile)
		propose(t, shared, mcts.Request{History: ask(strangeRequest), N: 3, Seed: 1})

		r.Node = mcts.NodeID{Question: "other", Tree: 3, Path: "0.1"}

		r.First = 5
		if diff := cmp.Diff(first, propose(t, shared, r)); diff != "" {
			t.Errorf("%s: other node, other answer:\n%s", profile.Name, diff)
		}
		// Sample i of a request is the first sample of a request with that seed.
		one := propose(t, shared, mcts.Request{History: r.History, N: 1, Seed: 45})
		if diff := cmp.Diff(first[3:4], one); diff != "" {
			t.Errorf("%s: sample 3 and seed 45:\n%s", profile.Name, diff)
		}

		for _, p := range first {
			if !p.Scored || p.Tokens == 0 || p.LogProb > -0.05 || p.LogProb < -1.2 || math.IsNaN(p.LogProb) {
				t.Errorf("%s: proposal %+v", profile.Name, p)
			}
		}
	}
}

// The oracle takes as many turns whatever is deployed, and meets no notice; nobody else does. It
// plays nowhere before it was told.
func TestOracle(t *testing.T) {
	for _, version := range []string{"p_c", "p_s_in", "p_s_ood"} {
		w := newWorld(version)

		h := solve(t, in(w, profile(t, "oracle")), w, openQuestion, 1, true)
		if outcome(h) != envs.Correct || h.Len() != 5 {
			t.Errorf("%s: %q", version, called(h))
		}

		reader := solve(t, in(w, profile(t, "reader")), w, openQuestion, 1, true)
		if outcome(reader) != envs.Correct || (reader.Len() > 5) != (version != "p_c") {
			t.Errorf("%s: the reader calls %q", version, called(reader))
		}
	}

	_, err := New(profile(t, "oracle"), plans).Propose(t.Context(), mcts.Request{History: ask(openQuestion), N: 1})
	if stage, _ := envs.FailedStage(err); stage != envs.StagePolicy || !strings.Contains(err.Error(), "not told") {
		t.Errorf("it plays without knowing: %v", err)
	}
}

// What the deployed version cannot express, or an environment without versions cannot say, is
// called as the prompt lists it.
func TestOracleThatCannotKnow(t *testing.T) {
	told, unaware := New(profile(t, "oracle"), plans).In(struct{ envs.Environment }{}), in(nil, profile(t, "reader"))
	r := mcts.Request{History: ask(openQuestion), N: 1, Greedy: true}

	if diff := cmp.Diff(propose(t, unaware, r), propose(t, told, r)); diff != "" {
		t.Error(diff)
	}
}

func TestGreedyNeedsNoSeed(t *testing.T) {
	p := New(profile(t, "noisy"), plans)
	a := propose(t, p, mcts.Request{History: ask(openQuestion), N: 1, Seed: 1, Greedy: true})

	b := propose(t, p, mcts.Request{History: ask(openQuestion), N: 1, Seed: 99, Greedy: true})
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
}

func TestProposeFails(t *testing.T) {
	p := New(profile(t, "reader"), plans)
	done, cancel := context.WithCancel(t.Context())
	cancel()

	for name, try := range map[string]func() error{
		"cancelled": func() error {
			_,
				err := p.Propose(done, mcts.Request{History: ask(openQuestion), N: 1})
			return err
		},
		"no samples": func() error {
			_,
				err := p.Propose(t.Context(), mcts.Request{History: ask(openQuestion)})
			return err
		},
	} {
		if stage, ok := envs.FailedStage(try()); !ok || stage != envs.StagePolicy {
			t.Errorf("%s: %v names stage %q, want policy", name, try(), stage)
		}
	}
}

func TestProfiles(t *testing.T) {
	for _, p := range Profiles() {
		if err := p.Validate(); err != nil {
			t.Error(err)
		}

		if got := New(p, plans).Name(); got != "scripted:"+p.Name {
			t.Errorf("name %q", got)
		}
	}

	_, err := ParseProfile("gpt")
	want := `"gpt": valid are careful, clumsy, noisy, oracle, reader, stale`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v does not list the profiles", err)
	}

	for _, p := range []Profile{{Name: "x"}, {Name: "x", Patience: 1, Greedy: 2},
		{Name: "x", Patience: 1, Rates: Rates{Column: -1}},
		{Name: "x", Patience: 1, Rates: Rates{ExtraCall: math.NaN()}}} {
		if p.Validate() == nil {
			t.Errorf("%+v is valid", p)
		}
	}
}
