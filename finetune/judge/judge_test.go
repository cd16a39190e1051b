package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/kept"
	"toolevo/envs/toolbench/answers"
	"toolevo/finetune"
	"toolevo/finetune/judge"
)

// model answers what a test says. It is safe for concurrent use.
type model struct {
	mu     sync.Mutex
	asked  []string // the requests
	answer func(instructions, request string, n int) (string, error)
}

func (m *model) Write(_ context.Context, instructions, request string, _ uint64) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	m.asked = append(m.asked, request)
	return m.answer(instructions, request, len(m.asked))
}

// approves is a judge for whom everything is solved.
func approves(instructions string) string {
	if strings.Contains(instructions, "is complete") {
		return "Solved\nAll of it is there."
	}
	return solved
}

// says returns a model that answers in turn; the last answer is repeated.
func says(texts ...string) *model {
	return &model{answer: func(_, _ string, n int) (string, error) { return texts[min(n, len(texts))-1], nil }}
}

// judging returns a model that judges.
func judging(m *model) *judge.Model {
	return &judge.Model{Name: "test:judge", Writer: m, Completing: m}
}

// answered returns an answer of an agent that ends with a call of Finish.
func answered(agent, id, final string) judge.Answer {
	arguments, err := json.Marshal(map[string]string{"return_type": "give_answer", "final_answer": final})
	if err != nil {
		panic(err)
	}
	return judge.Answer{
		Agent: finetune.Contender{Policy: agent}, Group: "G1_x", ID: id,
		Given: &answers.Answer{
			Query: "How warm is it?", Functions: json.RawMessage(`[{"name": "f"}, {"name": "Finish"}]`),
			Final: string(arguments),
			Nodes: []answers.Node{
				{Role: "tool", Call: answers.Call{Name: "f", Arguments: "{}", Response: `{"error": "", "response": 9}`}},
				{Role: "tool", Call: answers.Call{Name: "Finish", Arguments: string(arguments)}},
			},
		},
	}
}

const (
	solved   = `{"reason": "it is", "answer_status": "Solved"}`
	unsolved = `{"answer_status": "Unsolved"}`
	unsure   = "Well.\n```json\n{\"answer_status\": \"Unsure\", \"reason\": \"{?}\"}\n```"
	prose    = "I would say that it is fine."
)

// The calls are shown only where the final answer alone leaves the judge unsure; what cannot be
// read is asked for again, and never means Unsolved.
func TestStatus(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		texts []string
		want  judge.Status
		asked int
	}{
		"solved":                {[]string{solved}, judge.Solved, 1},
		"unsolved":              {[]string{unsolved}, judge.Unsolved, 1},
		"unsure, then solved":   {[]string{unsure, solved}, judge.Solved, 2},
		"unsure twice":          {[]string{unsure}, judge.Unsure, 2},
		"prose, then solved":    {[]string{prose, solved}, judge.Solved, 2},
		"braces around braces":  {[]string{"{{" + solved[1:] + "}"}, judge.Solved, 1},
		"says it twice":         {[]string{solved + " So: " + solved}, judge.Solved, 1},
		"changes its mind":      {[]string{`{"answer_status": "Solved"} no: ` + unsolved}, judge.Lost, 3},
		"two variants":          {[]string{"A:\n" + solved + "\nB:\n" + unsolved, unsolved}, judge.Unsolved, 2},
		"never readable":        {[]string{prose}, judge.Lost, 3},
		"no such status":        {[]string{`{"answer_status": "Maybe"}`}, judge.Lost, 3},
		"unsure, then prose":    {[]string{unsure, prose}, judge.Lost, 4},
		"broken JSON, repaired": {[]string{`{"answer_status": "Sol`, unsure, unsolved}, judge.Unsolved, 3},
	} {
		m := says(test.texts...)
		a := answered("a", "7", "9 degrees")

		got, err := judging(m).Status(t.Context(), &a, 0)
		if err != nil || got != test.want || len(m.asked) != test.asked {
			t.Errorf("%s: %v, %v after %d calls, want %v after %d", name, got, err, len(m.asked), test.want, test.asked)
		}

		if strings.Contains(m.asked[0], `"arguments"`) || !strings.Contains(m.asked[0], "9 degrees") {
			t.Errorf("%s: the first step is shown %s", name, m.asked[0])
		}
	}
}

// The second step is shown what was done.
func TestGraphIsShown(t *testing.T) {
	t.Parallel()

	m := says(unsure, solved)
	a := answered("a", "7", "9 degrees")

	if _, err := judging(m).Status(t.Context(), &a, 0); err != nil {
		t.Fatal(err)
	}

	if !strings.Contains(m.asked[1], `"name":"f"`) || !strings.Contains(m.asked[1], `"next"`) {
		t.Errorf("the second step is shown %s", m.asked[1])
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]judge.Status{
		"Solved\nBoth parts are there.":           judge.Solved,
		"UNSOLVED":                                judge.Unsolved,
		"Status: solved. Nothing was left out.":   judge.Solved,
		"**Unsolved**\n\nIt solved one part.":     judge.Unsolved,
		"Solved\nNothing of it is unsolved.":      judge.Solved,
		"Unsolved: half of it is solved already.": judge.Lost, // two verdicts on one line
		"Not solved\nThe chart is missing.":       judge.Unsolved,
		"**Status:** not solved":                  judge.Unsolved,
		"Solved or Unsolved?\nSolved":             judge.Lost,
		"Not fully solved.":                       judge.Lost,
		"Solved, but for the chart.":              judge.Lost,
		"Resolved\nAll is there.":                 judge.Lost,
		"It is solved but for a part: unsolved":   judge.Lost,
		"It has no chart.\nSolved":                judge.Lost, // not on the line that is asked for
		"I cannot tell.":                          judge.Lost,
		`{"answer_status": "Solved", "why": "-"}`: judge.Lost,
	} {
		a := answered("a", "7", "9 degrees")
		if got, err := judging(says(text)).Complete(t.Context(), &a); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}

// Whoever is preferred is, in whichever order the two were shown.
func TestPrefer(t *testing.T) {
	t.Parallel()

	first, second := answered("a", "7", "9 degrees"), answered("b", "7", "no idea")
	better := &model{answer: func(_, request string, _ int) (string, error) {
		if strings.Index(request, "9 degrees") < strings.Index(request, "no idea") {
			return `{"index": 0}`, nil
		}
		return `{"index": "1"}`, nil
	}}
	j := judging(better)

	orders := ""

	for round := range 20 {
		got, err := j.Prefer(t.Context(), &first, &second, round)
		if err != nil || got != judge.First {
			t.Errorf("round %d: %v, %v", round, got, err)
		}

		request := better.asked[round]
		orders += map[bool]string{true: "a", false: "b"}[strings.Index(request, "9 degrees") <
			strings.Index(request, "no idea")]
	}

	// What was written is kept by what was asked, so the order must not change with the version.
	if want := "abbbaaaaabbbbabbabaa"; orders != want {
		t.Errorf("who is shown first: %s, want %s as ever", orders, want)
	}

	if got, err := judging(says(prose)).Prefer(t.Context(), &first, &second, 0); err != nil ||
		got != judge.NoPreference {
		t.Errorf("prose: %v, %v", got, err)
	}
}

// A run that was cut short goes on, and asks nothing twice.
func TestResume(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "texts.jsonl")
	all := []judge.Answer{answered("a", "1", "x"), answered("a", "2", "y"), answered("a", "3", "z")}
	options := judge.Options{Scores: []judge.Score{judge.SoPR, judge.FAC}, Passes: 3, Workers: 1}
	down := errors.New("the server is down")

	run := func(m *model, workers int) (*judge.Report, error) {
		texts, err := kept.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := texts.Close(); err != nil {
				t.Error(err)
			}
		}()

		w := texts.Writer("test", m)
		j := &judge.Model{Name: "test:judge", Writer: w, Completing: w}
		options.Workers = workers

		judged, err := judge.Run(t.Context(), j, all, options)
		if err != nil {
			return nil, err
		}
		return judged.Report(j.Maker(), options.Passes), nil
	}

	flaky := &model{answer: func(instructions, _ string, n int) (string, error) {
		if n > 5 {
			return "", down
		}
		return approves(instructions), nil
	}}
	if _, err := run(flaky, 1); !errors.Is(err, down) {
		t.Fatalf("a server that is down: %v", err)
	}

	// A killed process left half a line.
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteString(`{"key": "unfinis`)
	}

	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}

	m := &model{answer: func(instructions, _ string, _ int) (string, error) { return approves(instructions), nil }}

	first, err := run(m, 4)
	if err != nil || len(m.asked) != 12-5 {
		t.Errorf("%d asked, %v: want 7", len(m.asked), err)
	}

	m = says(prose)

	again, err := run(m, 2)
	if err != nil || len(m.asked) != 0 {
		t.Errorf("%d asked, %v: want 0", len(m.asked), err)
	}

	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the same texts, another report: %s", diff)
	}
}

// A record says who judged and by which prompts.
func TestMaker(t *testing.T) {
	t.Parallel()

	maker := judging(says(solved)).Maker()
	hash := judge.PromptHash(kept.Prompts{})

	if len(hash) != 12 || maker.Version != "prompts "+hash || maker.Name != "test:judge" ||
		maker.Kind != (judge.Rule{}).Maker().Kind || (judge.Rule{}).Maker().Name != "rule" {
		t.Errorf("%+v", maker)
	}
}

// The rule knows our episodes, and nothing of answers that were published.
func TestRule(t *testing.T) {
	t.Parallel()

	a := answered("a", "7", "9 degrees")

	if got, err := (judge.Rule{}).Status(t.Context(), &a, 0); got != judge.Lost || err != nil {
		t.Errorf("published: %v, %v", got, err)
	}

	a.Conduct = &judge.Conduct{}

	if got, err := (judge.Rule{}).Complete(t.Context(), &a); got != judge.Unsolved || err != nil {
		t.Errorf("not right: %v, %v", got, err)
	}

	a.Right = true

	if got, err := (judge.Rule{}).Status(t.Context(), &a, 2); got != judge.Solved || err != nil {
		t.Errorf("right: %v, %v", got, err)
	}
}
