package drift_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolevo/envs/drift"
	"toolevo/envs/kept"
	"toolevo/envs/toolapi"
)

// listed is a tool as a model is told of it.
type listed struct {
	Name       string   `json:"name"`
	Parameters []string `json:"parameters"`
}

// renamed is a tool as a model names it.
type renamed struct {
	Name       string            `json:"name"`
	Parameters map[string]string `json:"parameters"`
}

// fakeWriter renames what it is asked for; spoil changes an answer before it is sent.
type fakeWriter struct {
	spoil    func(request int, names map[string]renamed) string
	requests []string
}

func (w *fakeWriter) Write(_ context.Context, _, request string, _ uint64) (string, error) {
	w.requests = append(w.requests, request)

	var tools []listed
	if err := json.NewDecoder(strings.NewReader(request)).Decode(&tools); err != nil {
		return "", err
	}

	names := map[string]renamed{}
	for _, tool := range tools {
		n := renamed{"model-" + strings.ToLower(tool.Name), map[string]string{}}
		for _, p := range tool.Parameters {
			n.Parameters[p] = "model_" + p
		}

		names[tool.Name] = n
	}

	if w.spoil != nil {
		return w.spoil(len(w.requests), names), nil
	}
	return jsonOf(names), nil
}

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A model's names are those of the version, whatever stands around the JSON; names that cannot be
// used are asked for again, and drawn in the end. In every case the version is whole.
func TestMutate(t *testing.T) {
	t.Parallel()

	c := shipped(t)

	for name, test := range map[string]struct {
		spoil              func(request int, names map[string]renamed) string
		requests           int
		refused, repaired  string // in what is said of names; "" where nothing is
		loadDB, otherwhere string // the new names of two tools; "" is any
	}{
		"as asked": {requests: 1, loadDB: "model-loaddb", otherwhere: "model-filterdb"},
		"with prose": {
			spoil: func(_ int, names map[string]renamed) string {
				return "Here you are:\n```json\n" + jsonOf(names) + "\n```\nAnything else?"
			},
			requests: 1, loadDB: "model-loaddb",
		},
		"prose alone at first": {
			spoil: func(request int, names map[string]renamed) string {
				if request == 1 {
					return "I would rather not."
				}
				return jsonOf(names)
			},
			requests: 2, refused: kept.ErrNoObject.Error(), loadDB: "model-loaddb",
		},
		"names that are in use": {
			spoil: func(request int, names map[string]renamed) string {
				if request == 1 {
					names["LoadDB"] = renamed{"Filter-DB", map[string]string{"DBName": "databaseIdentifier"}}
				}
				return jsonOf(names)
			},
			requests: 2, refused: "is in use", loadDB: "model-loaddb", otherwhere: "model-filterdb",
		},
		"names that are none": {
			spoil: func(_ int, names map[string]renamed) string {
				names["LoadDB"] = renamed{strings.Repeat("longer", 11), map[string]string{"DBName": "two words"}}
				return jsonOf(names)
			},
			requests: 4, refused: "longer than 64", repaired: "other characters", otherwhere: "model-filterdb",
		},
		"no answer": {
			spoil:    func(int, map[string]renamed) string { return "" },
			requests: 4, refused: kept.ErrNoObject.Error(), repaired: kept.ErrNoObject.Error(),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m := maker(t, c, "p_c", 1, allHeld...)
			w := &fakeWriter{spoil: test.spoil}

			made, changes, report, err := m.Mutate(t.Context(), w, 0, byNames)
			if err != nil {
				t.Fatal(err)
			}

			if report.Requests != test.requests || len(w.requests) != test.requests || len(changes) < 22 {
				t.Errorf("%d requests and %d changes, want %d requests", report.Requests, len(changes), test.requests)
			}

			mentionsOnly(t, "refused", report.Refused, test.refused)
			mentionsOnly(t, "repaired", report.Repaired, test.repaired)

			text, err := made.Encode()
			if err != nil {
				t.Fatal(err)
			}

			all := shipped(t, toolapi.File{Path: "mutated.yaml", Text: string(text)})

			v, err := all.Version(made.Version)
			if err != nil {
				t.Fatal(err)
			}

			for tool, want := range map[string]string{"LoadDB": test.loadDB, "FilterDB": test.otherwhere} {
				if a, _ := v.ForTool(tool); want != "" && a.Name != want || a.Name == tool {
					t.Errorf("%s is called %s, want %s", tool, a.Name, want)
				}
			}

			for _, name := range drift.Identifiers(made) {
				if slices.Contains(drift.Identifiers(specOf(t, c, "p_s_in")), name) {
					t.Errorf("it has %s, which is held out", name)
				}
			}
		})
	}
}

// mentionsOnly checks that something is said, and what, or that nothing is.
func mentionsOnly(t *testing.T, what string, all []string, want string) {
	t.Helper()

	if got := strings.Join(all, "\n"); want == "" && got != "" || !strings.Contains(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// Long lists of tools are asked for in parts, and the second question is about what was wrong
// alone.
func TestMutateAsksInParts(t *testing.T) {
	t.Parallel()

	var tools strings.Builder
	for i := range 30 {
		fmt.Fprintf(&tools, "  - {name: fetch_%d_thing, description: which fetches., parameters: [key]}\n", i)
	}

	text := strings.Replace(others, "apis:\n", "apis:\n"+tools.String(), 1)
	w := &fakeWriter{spoil: func(request int, names map[string]renamed) string {
		if request == 1 {
			delete(names, "fetch_3_thing")
		}
		return jsonOf(names)
	}}

	_, _, report, err := maker(t, catalogOf(t, text), "base", 1).Mutate(t.Context(), w, 0, byNames)
	if err != nil {
		t.Fatal(err)
	}

	mentionsOnly(t, "refused", report.Refused, "fetch_3_thing: there is no new name")

	if again := w.requests[1]; !strings.Contains(again, `"fetch_3_thing"`) || strings.Contains(again, "fetch_4_thing") {
		t.Errorf("the second request is %s", again)
	}
}

// byNames has a model choose names alone.
var byNames = drift.Mutating{Changes: []string{drift.MutateNames}}

// failing is a server that is down.
type failing struct{}

func (failing) Write(context.Context, string, string, uint64) (string, error) { return "", errDown }

var errDown = errors.New("down")

func TestMutateWithoutAServer(t *testing.T) {
	t.Parallel()

	_, _, _, err := maker(t, shipped(t), "p_c", 1).Mutate(t.Context(), failing{}, 0, byNames)
	if !errors.Is(err, errDown) {
		t.Errorf("error %v, want that of the server", err)
	}
}
