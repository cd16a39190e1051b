package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/recorded"
	"toolevo/trajectories/export"
)

// world is APIs with recorded calls: api i of 40 has i+2 that succeed, every fourth three that
// fail.
func world() (*recorded.Documents, []recorded.Call) {
	c := &toolbench.Collection{}

	var calls []recorded.Call

	for i := range 40 {
		k := toolbench.Key{Category: fmt.Sprintf("Category %d", i%7), Tool: fmt.Sprintf("Tool %02d", i), API: "Get"}
		c.Documents = append(c.Documents, toolbench.Document{
			Key: k, Description: "Gets things.", Required: []toolbench.Parameter{{Name: "n", Type: "NUMBER"}},
		})

		for j := range i + 2 {
			calls = append(calls, call(k, j, toolbench.Answer{Response: fmt.Sprintf("thing %d of %d", j, i)}))
		}

		for j := range 3 * (1 - min(i%4, 1)) {
			calls = append(calls, call(k, 1000+j, toolbench.Answer{Error: "missing parameter m", Response: ""}))
		}
	}
	return recorded.NewDocuments(c), calls
}

func call(k toolbench.Key, n int, a toolbench.Answer) recorded.Call {
	return recorded.Call{
		Key: k, Input: envs.Args{{Name: "n", Value: envs.Number(fmt.Sprint(n))}}, Answer: a,
	}
}

func options() Options { return Options{Seed: 1, Failures: PaperFailures, Rules: recorded.Corrected()} }

func TestSelect(t *testing.T) {
	t.Parallel()

	documents, calls := world()
	first := calls[0]
	other := func(a toolbench.Answer) recorded.Call {
		return recorded.Call{Key: first.Key, Input: first.Input, Answer: a}
	}

	stranger := first
	stranger.Tool = "Nobody's"

	r := NewReport()
	pairs := selectPairs(map[Kind][]recorded.Call{
		Recorded: append(slices.Clone(calls), first, stranger,
			other(toolbench.Answer{Response: "another thing"}), // APIs change their minds
			other(toolbench.Answer{Error: "HTTP 502"}),
			other(toolbench.Answer{Error: "Unauthorized"})),
		Augmented: {
			other(toolbench.Answer{Response: "an invented thing"}),
			call(first.Key, 77, toolbench.Answer{Response: "one"}),
			call(first.Key, 78, toolbench.Answer{Response: "two"}),
			call(first.Key, 78, toolbench.Answer{Response: "three"}),
			call(first.Key, 79, toolbench.Answer{Response: "four"}),
			call(first.Key, 79, toolbench.Answer{Response: "four"}),
		},
	}, documents, options(), r)

	want := map[string]int{
		noDocument: 1, duplicate: 2, conflict: 3, "class not-connected": 1, "class not-authorised": 1,
	}
	if diff := cmp.Diff(want, r.Dropped); diff != "" {
		t.Error(diff)
	}

	if want := len(calls) + 3; len(pairs) != want || r.Calls != len(calls)+11 {
		t.Errorf("%d pairs of %d calls, want %d", len(pairs), r.Calls, want)
	}
}

func TestSelectKeepsSomeFailures(t *testing.T) {
	t.Parallel()

	documents, calls := world()
	o, r := options(), NewReport()
	o.Failures = 7

	failed := 0
	for _, p := range selectPairs(map[Kind][]recorded.Call{Recorded: calls}, documents, o, r) {
		if p.fails() {
			failed++
		}
	}

	if failed != 7 || r.Dropped[tooManyFails] != 30-7 {
		t.Errorf("%d failures are kept and %d are not, want 7 of 30", failed, r.Dropped[tooManyFails])
	}
}

// The splits are apart from one another and from what is trained, whatever order the calls come in.
func TestDivide(t *testing.T) {
	t.Parallel()

	documents, calls := world()

	// APIs change their minds.
	for _, c := range calls[:len(calls):len(calls)] {
		if n := string(c.Input[0].Value.(envs.Number)); strings.HasSuffix(n, "0") || strings.HasSuffix(n, "3") {
			again := c
			again.Answer.Response = fmt.Sprint(c.Answer.Response, " later")
			calls = append(calls, again)
		}
	}

	divide := func(calls []recorded.Call) (*Data, *Report) {
		r := NewReport()
		pairs := selectPairs(map[Kind][]recorded.Call{Recorded: calls}, documents, options(), r)
		return divideCalls(pairs, PaperSizes(), 3, r), r
	}

	data, r := divide(calls)

	place := map[string]string{} // of each pair
	trained, held := map[toolbench.Key]bool{}, map[toolbench.Key]bool{}
	number := map[toolbench.Key]int{}

	note := func(where string, pairs []Pair) {
		for i := range pairs {
			id := pairs[i].request + pairs[i].Answer.Text()
			if place[id] != "" {
				t.Errorf("%s is in %s and %s", id, place[id], where)
			}

			place[id] = where
			number[pairs[i].Key]++
		}
	}

	note("train", data.Train[Recorded])

	requestsTrained := map[string]bool{}

	for _, p := range data.Train[Recorded] {
		trained[p.Key], requestsTrained[p.request] = true, true
	}

	for split, pairs := range data.Test {
		note(string(split), pairs)

		for _, p := range pairs {
			outside := split == OODSuccess || split == OODFail
			if trained[p.Key] == outside {
				t.Errorf("%s of %s is trained on: %v", p.Key, split, trained[p.Key])
			}

			if requestsTrained[p.request] {
				t.Errorf("the request %s of %s is trained on, with another answer", p.request, split)
			}

			if p.fails() != (split == OODFail) {
				t.Errorf("%s is in %s", p.Answer.Text(), split)
			}

			if outside {
				held[p.Key] = true
			}
		}
	}

	if len(held) != 4 || len(trained) != 36 {
		t.Errorf("%d APIs are held out and %d trained on, want a tenth of 40", len(held), len(trained))
	}

	if len(place)+r.Dropped[heldOut]+r.Dropped[tested] != len(calls) || r.Dropped[tested] == 0 {
		t.Errorf("%d pairs have a place, %d are held out and %d of tested requests, of %d", len(place),
			r.Dropped[heldOut], r.Dropped[tested], len(calls))
	}

	// Those of the first third have more pairs than those of the second, and so on.
	least := 1 << 20

	for _, split := range []Split{IDHigh, IDMedium, IDLow} {
		if len(data.Test[split]) == 0 {
			t.Fatalf("%s is empty", split)
		}

		most := 0
		for _, p := range data.Test[split] {
			most = max(most, number[p.Key])
		}

		if most > least {
			t.Errorf("an API of %s has %d pairs, one of the split above %d", split, most, least)
		}

		for _, p := range data.Test[split] {
			least = min(least, number[p.Key])
		}
	}

	shuffled := slices.Clone(calls)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	})

	again, _ := divide(shuffled)
	for split, pairs := range data.Test {
		if requests(again.Test[split]) != requests(pairs) {
			t.Errorf("%s depends on the order of the calls", split)
		}
	}
}

// A cached call may repeat a recorded one: testing it never takes an API of another split from what
// is trained on.
func TestDivideOfRepeatedCalls(t *testing.T) {
	t.Parallel()

	// Two of each API: one is kept to train on, the other may be tested.
	documents, calls := world()
	calls = slices.DeleteFunc(calls, func(c recorded.Call) bool {
		n := string(c.Input[0].Value.(envs.Number))
		return n != "0" && n != "1"
	})
	kinds := map[Kind][]recorded.Call{Recorded: calls}

	// With another answer, or else it would be the same pair.
	for i, c := range calls {
		if i%2 == 1 {
			c.Input = envs.Args{{Name: "n", Value: envs.Number(fmt.Sprint(5000 + i))}}
		}

		c.Answer.Response = fmt.Sprint("cached ", i)
		kinds[Cached] = append(kinds[Cached], c)
	}

	for seed := range uint64(20) {
		r := NewReport()
		data := divideCalls(selectPairs(kinds, documents, options(), r), PaperSizes(), seed, r)

		if len(data.Test[OfCache]) == 0 {
			t.Errorf("seed %d: no cached call is tested", seed)
		}

		trained := map[toolbench.Key]bool{}
		for _, p := range data.Train[Recorded] {
			trained[p.Key] = true
		}

		for _, split := range []Split{IDHigh, IDMedium, IDLow} {
			for _, p := range data.Test[split] {
				if !trained[p.Key] {
					t.Errorf("seed %d: %s of %s is not trained on", seed, p.Key, split)
				}
			}
		}
	}
}

// Of enough calls the splits have the paper's sizes, of as many APIs as can be.
func TestDivideInThePapersSizes(t *testing.T) {
	t.Parallel()

	c := &toolbench.Collection{}

	var calls, cached []recorded.Call

	for i := range 500 {
		k := toolbench.Key{Category: "C", Tool: fmt.Sprintf("T%03d", i), API: "A"}
		c.Documents = append(c.Documents, toolbench.Document{Key: k})

		for j := range 6 {
			calls = append(calls, call(k, j, toolbench.Answer{Response: "x"}),
				call(k, 100+j, toolbench.Answer{Error: "bad parameter"}))
			cached = append(cached, call(k, 200+j, toolbench.Answer{Response: "x"}))
		}
	}

	r := NewReport()
	pairs := selectPairs(map[Kind][]recorded.Call{Recorded: calls, Cached: cached}, recorded.NewDocuments(c),
		Options{Failures: 1 << 30, Rules: recorded.Corrected()}, r)
	data := divideCalls(pairs, PaperSizes(), 1, r)

	for split, want := range map[Split]int{
		OODSuccess: 200, OODFail: 100, IDHigh: 100, IDMedium: 100, IDLow: 100, OfCache: 200,
	} {
		if got := count("", data.Test[split]); got.Samples != want {
			t.Errorf("%s has %d samples, want %d", split, got.Samples, want)
		} else if strings.HasPrefix(string(split), "id") && got.APIs != 100 {
			t.Errorf("%s is of %d APIs, want one for each of its pairs", split, got.APIs)
		}
	}

	if outside := count("", slices.Concat(data.Test[OODSuccess], data.Test[OODFail])); outside.APIs != 49 {
		t.Errorf("%d APIs are held out, want 49", outside.APIs)
	}
}

func requests(pairs []Pair) string {
	var b strings.Builder
	for i := range pairs {
		b.WriteString(pairs[i].request + pairs[i].Answer.Text())
	}
	return b.String()
}

// fake is a model that answers by a rule, and counts what it was asked.
type fake struct {
	rule func(instructions, request string, seed uint64) string

	mu    sync.Mutex
	asked int
}

func (f *fake) Write(_ context.Context, instructions, request string, seed uint64) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.asked++

	text := f.rule(instructions, request, seed)
	if text == "down" {
		return "", envs.Fail(envs.StagePolicy, "write", errors.New("the server is down"))
	}
	return text, nil
}

func model(rule func(instructions, request string, seed uint64) string) (*Model, *fake) {
	f := &fake{rule: rule}
	return &Model{Writer: f, Seed: 1, Tries: 3, Workers: 4}, f
}

func selected(t *testing.T) []Pair {
	t.Helper()

	documents, calls := world()
	return selectPairs(map[Kind][]recorded.Call{Recorded: calls}, documents, options(), NewReport())
}

// A verdict that cannot be read is asked for again, and its pair goes in the end; a server that
// fails stops everything.
func TestCheck(t *testing.T) {
	t.Parallel()

	pairs := selected(t)[:4]
	number := map[string]int{}

	for i := range pairs {
		number[described(&pairs[i])] = i
	}

	m, f := model(func(_, request string, seed uint64) string {
		first, _, _ := strings.Cut(request, "\n\nYour last reply")

		switch number[first] {
		case 0:
			return "```json\n{\"reason\": \"so\", \"overall_eval\": 1}\n```"
		case 1:
			return `{"overall_eval": "0"}`
		case 2:
			return "I cannot say."
		}

		if seed%3 == 1 { // the first try of the pair 3
			return `{"overall_eval": 2}`
		}
		return `{"overall_eval": true}`
	})
	r := NewReport()

	kept, err := m.check(t.Context(), pairs, r)
	if err != nil {
		t.Fatal(err)
	}

	if requests(kept) != requests([]Pair{pairs[0], pairs[3]}) || r.Written.Verdicts != 3 {
		t.Errorf("%d pairs are kept and %d were judged, want 2 and 3", len(kept), r.Written.Verdicts)
	}

	if diff := cmp.Diff(map[string]int{offDocument: 1, unjudged: 1}, r.Dropped); diff != "" {
		t.Error(diff)
	}

	if f.asked != 1+1+3+2 {
		t.Errorf("the model was asked %d times, want 7", f.asked)
	}

	m, _ = model(func(string, string, uint64) string { return "down" })
	if _, err := m.check(t.Context(), pairs, r); err == nil {
		t.Error("a failure of the server is a verdict")
	}
}

// A rationale may not be long, nor give away what it is to explain.
func TestExplain(t *testing.T) {
	t.Parallel()

	pairs := selected(t)

	succeeding := slices.IndexFunc(pairs, func(p Pair) bool { return !p.fails() })

	secret, ok := pairs[succeeding].Answer.Response.(string)
	if !ok {
		t.Fatal("the answer is no text")
	}

	for text, want := range map[string]error{
		"The API looks things up.":     nil,
		strings.Repeat("word ", 301):   errTooLong,
		strings.Repeat("words ", 300):  nil,
		strings.Repeat("x", 5*2560):    errTokens,
		"It answers " + secret + ".":   errLeaks,
		"It reads the parameter n, 0.": nil,
	} {
		p := pairs[succeeding]
		p.Rationale = strings.TrimSpace(text)

		if err := (Explanations{}).check(&p); !errors.Is(err, want) {
			t.Errorf("%.40q: %v, want %v", text, err, want)
		}
	}

	m, _ := model(func(_, request string, seed uint64) string {
		if strings.Contains(request, "Tool 39") {
			return strings.Repeat("word ", 301)
		}
		return "The API looks things up."
	})
	r := NewReport()

	explained, err := m.explain(t.Context(), pairs, Explanations{Successes: 100, Failures: 5}, r)
	if err != nil {
		t.Fatal(err)
	}

	failed := 0
	for _, p := range explained {
		if p.fails() {
			failed++
		}
	}

	if refused := r.Written.Refused[errTooLong.Error()]; failed != 5 || len(explained)+refused != 105 || refused == 0 {
		t.Errorf("%d are explained, %d of them failures, %d refused", len(explained), failed, refused)
	}
}

// A rationale is the explanation and nothing else; the next reply may be one.
func TestExplainTakesTheExplanationAlone(t *testing.T) {
	t.Parallel()

	pairs := selected(t)[:1]

	for name, reply := range map[string]string{
		"a thought within":    "The API looks things up. <think>By n?</think> It orders them.",
		"the end of one":      "By n, I think.\n</think>\nThe API looks things up.",
		"a thought, cut off":  "Well. <thinking>The API looks",
		"an introduction":     "Sure, here are the hints:\n\nThe API looks things up.",
		"nothing but a blank": "\n",
	} {
		m, _ := model(func(_, request string, seed uint64) string {
			if seed%3 == 0 {
				return reply
			}
			return "The API looks things up.\n"
		})
		m.Tries, m.Seed = 3, 0

		explained, err := m.explain(t.Context(), pairs, Explanations{Successes: 1, Failures: 1}, NewReport())
		if err != nil || len(explained) != 1 || explained[0].Rationale != "The API looks things up." {
			t.Errorf("%s: %v, %+v", name, err, explained)
		}
	}
}

// A verdict is the only one of its reply.
func TestVerdict(t *testing.T) {
	t.Parallel()

	for reply, want := range map[string]string{
		`{"reason": "{so}", "overall_eval": 1}`:                               "true",
		"```json\n{\"overall_eval\": 0}\n```":                                 "false",
		`{"status": "thinking"} {"overall_eval": true}`:                       "true",
		`{"overall_eval": 1} No: {"overall_eval": 0}`:                         "lost",
		`{"reason": "a", "overall_eval": 1} {"reason":"b","overall_eval": 1}`: "true",
		`{"overall_eval": 10}`:                                                "lost",
		`"overall_eval": 1`:                                                   "lost",
	} {
		follows, err := verdict(reply)

		got := fmt.Sprint(follows)
		if err != nil {
			got = "lost"
		}

		if got != want {
			t.Errorf("%s: %s, %v, want %s", reply, got, err, want)
		}
	}
}

// Invented calls fit their document or fail, and are of APIs with few pairs first.
func TestAugment(t *testing.T) {
	t.Parallel()

	pairs := selected(t)
	m, _ := model(func(_, request string, seed uint64) string {
		last := request[strings.LastIndex(request, "API doc:"):]

		switch {
		case strings.Contains(last, "Tool 00"):
			return `Here: {"request": {"n": 5}, "error": "", "response": {"thing": 5}}`
		case strings.Contains(last, "Tool 01"):
			return `{"request": {"m": 5}, "error": "", "response": "no such parameter"}`
		case strings.Contains(last, "Tool 02"):
			return `{"request": {"m": 5}, "error": "unknown parameter m", "response": ""}`
		}

		return "no"
	})
	r := NewReport()

	calls, err := m.augment(t.Context(), pairs, 4, r)
	if err != nil {
		t.Fatal(err)
	}

	var got []string
	for i := range calls {
		got = append(got, calls[i].Tool+" "+calls[i].Answer.Text())
	}

	want := []string{
		`Tool 02 {"error": "unknown parameter m", "response": ""}`,
		`Tool 00 {"error": "", "response": {"thing": 5}}`,
	}

	slices.Sort(got)
	slices.Sort(want)

	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	refused, lost := map[string]int{errAPILimit.Error(): 1}, map[string]int{kept.ErrNoObject.Error(): 1}
	counted := []map[string]int{r.Written.Refused, r.Written.Lost}
	if diff := cmp.Diff([]map[string]int{refused, lost}, counted); diff != "" {
		t.Error(diff)
	}
}

// A folder has what LLaMA-Factory wants, passes the check of exports, and says what is in it.
func TestWrite(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "data")
	r := NewReport()
	data := divideCalls(selected(t), PaperSizes(), 1, r)
	explained := slices.Clone(data.Train[Recorded][:2])

	for i := range explained {
		explained[i].Rationale = "It looks things up."
	}

	m, err := data.Write(dir, explained, r, "test")
	if err != nil {
		t.Fatal(err)
	}

	if m.Dataset() != "train_sft,train_cot" || m.Rows != len(data.Train[Recorded])+2 {
		t.Errorf("%s has %d samples", m.Dataset(), m.Rows)
	}

	var info map[string]struct {
		File    string            `json:"file_name"`
		Columns map[string]string `json:"columns"`
	}

	decode(t, filepath.Join(dir, "dataset_info.json"), &info)

	for _, d := range r.Datasets {
		text, err := os.ReadFile(filepath.Join(dir, info[d.Name].File))
		if err != nil {
			t.Fatal(err)
		}

		if n := strings.Count(string(text), "\n"); n != d.Samples || n == 0 {
			t.Errorf("%s has %d samples, the report says %d", d.Name, n, d.Samples)
		}

		var s export.Instruction
		if err := json.Unmarshal([]byte(strings.SplitN(string(text), "\n", 2)[0]), &s); err != nil {
			t.Fatal(err)
		}

		isCoT := d.Name == trainCoT
		if strings.HasPrefix(s.System, "[CHAIN_OF_THOUGHT]") != isCoT ||
			strings.Contains(s.Output, "mechanism_of_the_api") != isCoT || !strings.Contains(s.Instruction, `{"n": `) {
			t.Errorf("%s begins with %+v", d.Name, s)
		}
	}

	linter, err := export.NewLinter(nil, "", 0)
	if err != nil {
		t.Fatal(err)
	}

	lint := func() *export.Report {
		report, err := export.Lint(dir, linter, nil)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}

	if report := lint(); !report.OK() || report.Rows != m.Rows+m.DevRows {
		t.Errorf("%+v", report)
	}

	if _, err := data.Write(dir, nil, NewReport(), "test"); err != nil { // in place of the other
		t.Fatal(err)
	}

	if report := lint(); !report.OK() {
		t.Errorf("%+v", report)
	}

	path := filepath.Join(dir, "train_sft.jsonl")
	if err := os.WriteFile(path, []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}

	if report := lint(); report.OK() {
		t.Error("a file that was altered is taken")
	}
}

func decode(t *testing.T, path string, v any) {
	t.Helper()

	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, v)
	}

	if err != nil {
		t.Fatal(err)
	}
}

// A plan that asks models is carried out in the same way again, and no invented pair is of an API
// that is held out.
func TestBuild(t *testing.T) {
	t.Parallel()

	documents, calls := world()

	build := func() *Built {
		m, _ := model(func(instructions, request string, _ uint64) string {
			last := request[strings.LastIndex(request, "API doc:"):]

			switch {
			case strings.Contains(instructions, "review"):
				if strings.Contains(last, "Tool 07") && strings.Contains(last, "invented") {
					return `{"overall_eval": 0}`
				}
				return `{"overall_eval": 1}`
			case strings.Contains(instructions, "invent"):
				return fmt.Sprintf(`{"request": {"n": %d}, "error": "", "response": "invented"}`, len(last)*1000)
			}
			return "It looks things up."
		})

		plan := Plan{
			Options: options(), Sizes: PaperSizes(), Check: m, Augment: m, Pairs: 60, Explain: m,
			Explanations: Explanations{Successes: 20, Failures: 3},
		}

		b, err := plan.Build(t.Context(), map[Kind][]recorded.Call{Recorded: calls}, documents)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}

	b := build()
	trained := map[toolbench.Key]bool{}

	for _, p := range b.Train[Recorded] {
		trained[p.Key] = true
	}

	for _, p := range b.Train[Augmented] {
		if !trained[p.Key] || p.Tool == "Tool 07" {
			t.Errorf("a pair of %s is invented", p.Key)
		}
	}

	// The model invents the same pair of an API again when it is asked again.
	if n := len(b.Train[Augmented]); n != len(trained)-b.Report.Dropped[offDocument] || len(b.Explained) != 23 {
		t.Errorf("%d pairs are invented and %d explained", n, len(b.Explained))
	}

	if diff := cmp.Diff(b.Report, build().Report); diff != "" {
		t.Error(diff)
	}
}
