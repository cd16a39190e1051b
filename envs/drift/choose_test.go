package drift_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
)

// written answers with texts in turn, and with the last one from then on; to requests that are not
// about a tool it answers that all stays.
type written struct {
	texts    []string
	about    string
	requests []string
	others   int // requests that are not about the tool
}

func (w *written) Write(_ context.Context, _, request string, _ uint64) (string, error) {
	if list, _, _ := strings.Cut(request, "\n\n"); !strings.Contains(list, w.about) {
		w.others++
		return `{"` + strings.Fields(list)[0] + `": []}`, nil
	}

	w.requests = append(w.requests, request)
	text := w.texts[0]
	w.texts = w.texts[min(1, len(w.texts)-1):]
	return text, nil
}

// refusing is a trial that a version with some change does not stand.
func refusing(words string) func(context.Context, *toolapi.Spec) (wrong, err error) {
	return func(_ context.Context, made *toolapi.Spec) (wrong, err error) {
		text, err := made.Encode()
		if strings.Contains(string(text), words) {
			wrong = errors.New("a question cannot be solved any more")
		}
		return wrong, err
	}
}

// What a model chooses of parameters becomes the version's where it can be; anything else is asked
// for again with the reason, and at last left out. What was good stays, and is not asked for again.
func TestMutateParameters(t *testing.T) {
	t.Parallel()

	const (
		nests = `{"change": "nest-parameters", "of": ["page", "page_size"], "as": "window"}`
		swaps = `{"change": "swap-required", "of": "most"}`
		flags = `{"change": "add-flag", "as": "go_ahead"}`
	)

	of := func(tool string, changes ...string) string {
		return fmt.Sprintf(`{"%s": [%s]}`, tool, strings.Join(changes, ", "))
	}

	for name, test := range map[string]struct {
		replies           []string
		about             string // the tool, find_flights unless it is another
		try               func(context.Context, *toolapi.Spec) (wrong, err error)
		requests          int
		changes           string
		refused, repaired string // in what is said; "" where nothing is
	}{
		"good": {
			replies: []string{of("find_flights", nests, swaps, `{"change": "type-to-string", "of": ["seats", "direct"]}`,
				`{"change": "merge-parameters", "of": ["airport", "start_date"], "as": "departure"}`)},
			requests: 1,
			changes: "find_flights: nest-parameters page, page_size → window; find_flights: swap-required most → " +
				"most required; find_flights: type-to-string seats → seats as a text; " +
				"find_flights: type-to-string direct → direct as a text; " +
				"find_flights: merge-parameters airport, start_date → departure",
		},
		"several tools, one change without a list": {
			about: "search –",
			replies: []string{`{"search": {"change": "add-count", "as": "top_k"}, "find_flights": ` + flags +
				`, "tag": [], "run_code": null}`, of("search")},
			requests: 2, refused: `search, {"change": "add-count", "as": "top_k"}: it does not fit`,
			changes: "find_flights: add-flag go_ahead",
		},
		"split off": {
			about:    "filter_rows",
			replies:  []string{of("filter_rows", `{"change": "number-list", "of": ["filters"], "as": "rule"}`)},
			requests: 1, changes: "filter_rows: number-list filters → rule1",
		},
		"steps build on each other": {
			replies: []string{of("find_flights", nests, `{"change": "swap-required", "of": "window"}`,
				`{"change": "merge-parameters", "of": ["page", "airport"], "as": "both"}`)},
			requests: 4, refused: `["page", "airport"], "as": "both"}: there is no "page"`, repaired: "both",
			changes: "find_flights: nest-parameters page, page_size → window",
		},
		"out of grammar at first": {
			replies:  []string{"Let us nest page and page_size.", of("find_flights", nests)},
			requests: 2, refused: "no JSON object",
			changes: "find_flights: nest-parameters page, page_size → window",
		},
		"no list of changes": {
			replies:  []string{`{"find_flights": "nest-parameters"}`, of("find_flights", nests)},
			requests: 2, refused: `find_flights, "nest-parameters": unknown change ""`,
			changes: "find_flights: nest-parameters page, page_size → window",
		},
		"an unknown operator": {
			replies:  []string{of("find_flights", `{"change": "drop-parameter", "of": ["page"]}`, swaps)},
			requests: 4, refused: `unknown change "drop-parameter"`, repaired: "drop-parameter",
			changes: "find_flights: swap-required most → most required",
		},
		"two that there are not": {
			replies:  []string{of("find_flights", `{"change": "a"}`, `{"change": "b"}`, flags)},
			requests: 4, refused: `unknown change "a"`, repaired: `unknown change "b"`,
			changes: "find_flights: add-flag go_ahead",
		},
		"an operator of names, and one of answers": {
			replies: []string{of("find_flights", `{"change": "rename-api", "as": "p_s_in"}`,
				`{"change": "rename-field", "of": "a", "as": "b"}`), of("find_flights")},
			requests: 2, refused: `unknown change "rename-field"`,
		},
		"what cannot be made": {
			replies: []string{of("find_flights",
				`{"change": "type-to-string", "of": ["airport"]}`,
				`{"change": "merge-parameters", "of": ["airport", "end_date"], "as": "departure"}`,
				`{"change": "nest-parameters", "of": ["page", "pages"], "as": "window"}`), of("find_flights", swaps)},
			requests: 2, refused: "it does not fit",
			changes: "find_flights: swap-required most → most required",
		},
		"twice": {
			replies:  []string{of("find_flights", swaps, swaps, `{"change": "swap-required", "of": ["most"], "as": ""}`)},
			requests: 4, refused: "it has been changed already", repaired: "already",
			changes: "find_flights: swap-required most → most required",
		},
		"names that are in use, held out or none": {
			replies: []string{of("find_flights",
				`{"change": "add-flag", "as": "Order-By"}`, `{"change": "add-flag"}`,
				`{"change": "nest-parameters", "of": ["page", "page_size"], "as": "two words"}`), of("find_flights", flags)},
			requests: 2, refused: `"Order-By" is in use`, changes: "find_flights: add-flag go_ahead",
		},
		"a change that breaks the oracle": {
			replies:  []string{of("find_flights", nests, flags, swaps), of("find_flights")},
			try:      refusing("go_ahead"),
			requests: 2, refused: `{"change": "add-flag", "as": "go_ahead"}: a question cannot be solved any more`,
			changes: "find_flights: nest-parameters page, page_size → window; " +
				"find_flights: swap-required most → most required",
		},
		"one that does so to the end, on which another rests": {
			replies: []string{of("find_flights", nests, `{"change": "add-count", "as": "go_on"}`,
				`{"change": "nest-parameters", "of": ["window", "most"], "as": "wider"}`)},
			try:      refusing("window"),
			requests: 4, refused: `"as": "wider"}: there is no "window"`, repaired: "cannot be solved any more",
			changes: "find_flights: add-count go_on",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			w := &written{texts: test.replies, about: cmp.Or(test.about, "find_flights")}
			how := drift.Mutating{Changes: []string{drift.MutateParameters}, Try: test.try}

			made, changes, report, err := maker(t, catalogOf(t, others), "base", 1).Mutate(t.Context(), w, 0, how)
			if err != nil {
				t.Fatal(err)
			}

			if got := said(changes); got != test.changes {
				t.Errorf("the changes are\n%s\nwant\n%s", got, test.changes)
			}

			if len(w.requests) != test.requests || report.Requests != test.requests+w.others {
				t.Errorf("%d requests, %d of them about other tools, want %d", report.Requests, w.others, test.requests)
			}

			mentionsOnly(t, "refused", report.Refused, test.refused)
			mentionsOnly(t, "repaired", report.Repaired, test.repaired)

			if once := slices.Compact(slices.Clone(report.Repaired)); len(once) < len(report.Repaired) {
				t.Errorf("one change is left out twice: %q", report.Repaired)
			}

			text, err := made.Encode()
			if err != nil {
				t.Fatal(err)
			}

			catalogOf(t, others, toolapi.File{Path: "made.yaml", Text: string(text)}) // it is whole
		})
	}
}

// said lists changes.
func said(changes []drift.Change) string {
	var all []string
	for _, c := range changes {
		all = append(all, c.String())
	}
	return strings.Join(all, "; ")
}

// Changes of parameters are chosen among the names that the model has given, and asked for again
// where they are wrong alone.
func TestMutateNamesAndParameters(t *testing.T) {
	t.Parallel()

	names := `{"qux": {"name": "does_it", "parameters": {"zyx": "thing"}},
		"Überprüfe": {"name": "verify", "parameters": {"größe": "size", "Node1": "one", "Node2": "two", "tags": "marks"}}}`
	w := &written{about: "Überprüfe", texts: []string{names,
		`{"Überprüfe": [{"change": "merge-parameters", "of": ["Node1", "Node2"], "as": "both"}], "qux": [
			{"change": "add-flag", "as": "sure"}]}`,
		`{"Überprüfe": [{"change": "merge-parameters", "of": ["one", "two"], "as": "both"}]}`,
	}}

	made, changes, report, err := maker(t, catalogOf(t, others), "base", 1).Mutate(t.Context(), w, 0,
		drift.Mutating{Changes: drift.Mutable()})
	if err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{"Überprüfe: rename-api Überprüfe → verify", "qux: add-flag sure"} {
		if !strings.Contains(said(changes), want) {
			t.Errorf("the changes are %s, want %s", said(changes), want)
		}
	}

	if len(w.requests) != 3 || report.Requests != 3+w.others || !strings.Contains(w.requests[1], "  one: ") ||
		!strings.Contains(w.requests[2], "Überprüfe –") || strings.Contains(w.requests[2], "qux –") {
		t.Errorf("%d requests, the last ones\n%s", len(w.requests), strings.Join(w.requests[1:], "\n"))
	}

	i := slices.IndexFunc(made.APIs, func(a toolapi.APISpec) bool { return a.ToolName() == "Überprüfe" })
	want := []string{"size", "both", "marks"}
	if got := toolapi.ParameterNames(made.APIs[i].Parameters.All); !slices.Equal(got, want) {
		t.Errorf("Überprüfe has %v", got)
	}
}

// Members of answers change as a model chooses, each once.
func TestMutateAnswers(t *testing.T) {
	t.Parallel()

	c := shipped(t)
	w := &written{texts: []string{`{"answers": [
		{"change": "rename-field", "of": "Date", "as": "day"}, {"change": "move-field", "of": "Date", "as": "when"},
		{"change": "scale-field", "of": "Open", "zeros": 7}, {"change": "scale-field", "of": "Open", "zeros": 2},
		{"change": "reorder-date", "of": "Open"}, {"change": "quote-field", "of": "Nothing"},
		{"change": "move-field", "of": "High", "as": "DAY"}, {"change": "move-field", "of": "High", "as": "Low"},
		{"change": "nest-parameters", "of": ["DBName"], "as": "x"}]}`, `{"answers": []}`}}

	made, changes, report, err := maker(t, c, "p_c", 1, allHeld...).Mutate(t.Context(), w, 0,
		drift.Mutating{Changes: []string{drift.MutateAnswers}})
	if err != nil {
		t.Fatal(err)
	}

	want := "all: rename-field Date → Date: it is called day.; all: scale-field Open → Open, also in condition, " +
		"also in the tables of SQL: numbers are 100 times what they were."
	if got := said(changes); got != want {
		t.Errorf("the changes are %s, want %s", got, want)
	}

	for i, want := range []string{"already", "1, 2 or 3", "does not fit", `no "Nothing"`, `"DAY" is in use`, `"Low" is in use`,
		"unknown change"} {
		if i >= len(report.Refused) || !strings.Contains(report.Refused[i], want) {
			t.Errorf("refused are %q, want %q", report.Refused, want)
		}
	}

	if len(report.Repaired) > 0 || !strings.Contains(w.requests[0], "Date: ") {
		t.Errorf("left out are %q; asked was %s", report.Repaired, w.requests[0])
	}

	text, err := made.Encode()
	if err != nil {
		t.Fatal(err)
	}

	v, err := shipped(t, toolapi.File{Path: "x", Text: string(text)}).Version(made.Version)
	if err != nil {
		t.Fatal(err)
	}

	if v.Cell() != toolapi.SilentLasting || len(made.Silent) != 2 {
		t.Errorf("a version that is %s has %v", v.Cell(), made.Silent)
	}
}

// A trial that fails by itself is an error, and asks nothing more.
func TestMutateTrialFails(t *testing.T) {
	t.Parallel()

	w := &written{about: "find_flights", texts: []string{`{"find_flights": [{"change": "add-flag", "as": "go_ahead"}]}`}}

	_, _, _, err := maker(t, catalogOf(t, others), "base", 1).Mutate(t.Context(), w, 0, drift.Mutating{
		Changes: []string{drift.MutateParameters},
		Try:     func(context.Context, *toolapi.Spec) (wrong, err error) { return nil, errDown },
	})
	if !errors.Is(err, errDown) || len(w.requests) != 1 {
		t.Errorf("error %v after %d requests", err, len(w.requests))
	}
}

// The prompts tell of all operators that a model may choose, and of no other.
func TestMutatePrompts(t *testing.T) {
	t.Parallel()

	for _, answers := range []bool{false, true} {
		all, told := drift.Choosable(answers)

		for _, o := range drift.OperatorNames() {
			if _, ok := all[o]; ok != strings.Contains(told, `"`+o+`"`) {
				t.Errorf("%s: whether it may be chosen is %v, which the prompt tells otherwise", o, ok)
			}
		}
	}
}

// A model is told which changes fit a parameter, alone or with another one.
func TestMutateTellsWhatFits(t *testing.T) {
	t.Parallel()

	w := &written{about: "find_flights", texts: []string{`{"find_flights": []}`}}

	_, _, _, err := maker(t, catalogOf(t, others), "base", 1).Mutate(t.Context(), w, 0,
		drift.Mutating{Changes: []string{drift.MutateParameters}})
	if err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{
		"\nfind_flights – which finds flights.\n  seats: type-to-string, swap-required, nest-parameters\n",
		"\n  airport: merge-parameters, swap-required, nest-parameters\n",
		"\n  tags: number-list, nest-parameters\n", "\n  q: \n",
	} {
		if !strings.Contains(w.requests[0], want) {
			t.Errorf("it is not told %s:\n%s", want, w.requests[0])
		}
	}
}
