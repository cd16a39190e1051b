package scripted_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/configs/apis"
	"toolevo/envs"
	"toolevo/envs/toolapi"
	"toolevo/mcts"
	"toolevo/mcts/policy/scripted"
)

// toolCalls are calls of every tool that changes, in the prompt version.
func toolCalls() []envs.Call {
	call := func(tool string, pairs ...string) envs.Call {
		c := envs.Call{Tool: tool, Name: tool}
		for i := 0; i < len(pairs); i += 2 {
			c.Args = append(c.Args, envs.Arg{Name: pairs[i], Value: pairs[i+1]})
		}
		return c
	}
	return []envs.Call{
		call("RetrieveAgenda", "keyword", "Ann's meeting: 2022/03/04"),
		call("RetrieveScirex", "keyword", "F1 score of BERT"),
		call("LoadDB", "DBName", "coffee"),
		call("FilterDB", "condition", "Date=2000-01-03"),
		call("FilterDB", "condition", "Date>=2000-01-03, Date<=2001-01-03, Open>3"),
		call("GetValue", "column_name", "Open"),
		call("GetValue", "column_name", "Open, Close, service fee"),
		call("LoadGraph", "GraphName", "dblp"),
		call("NeighbourCheck", "GraphName", "PaperNet", "Node", "Deep learning: A survey, part 2"),
		call("NodeCheck", "GraphName", "AuthorNet", "Node", "Zoë Müller"),
		call("EdgeCheck", "GraphName", "AuthorNet", "Node1", "Ann Lee", "Node2", "Bo Xu"),
		call("SQLInterpreter", "SQL", "SELECT MAX(High) FROM coffee.coffee_data WHERE Date >= '2000-01-03'"),
		call("PythonInterpreter", "Python", "x = {\"a\": 1.5}\nprint(x[\"a\"])"),
	}
}

// A call of every tool, deprecated in every shipped version, reaches the tool with the arguments
// that were meant once the reader has seen the notice, the published ones with their defects
// included where they can be read at all.
func TestReaderReachesEveryToolOfEveryVersion(t *testing.T) {
	versions, err := toolapi.Load(apis.FS())
	if err != nil {
		t.Fatal(err)
	}

	reader, err := scripted.ParseProfile("reader")
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range versions.Names() {
		v, err := versions.Version(name)
		if err != nil {
			t.Fatal(err)
		}

		for _, meant := range toolCalls() {
			d, gone := v.Deprecation(meant.Tool)
			if !gone { // the name stands
				d, gone = v.Outdated(meant.Tool, meant.Args)
			}

			if !gone {
				if a, ok := v.API(meant.Tool); !ok || lowers(a, meant.Args) != "" {
					t.Errorf("%s does not deprecate %s", name, meant.Tool)
				}

				continue
			}

			notices := map[string]string{"corrected": d.Notice(), "published": d.PublishedNotice()}
			for kind, notice := range notices {
				if strings.Contains(notice, "Use [") {
					continue // no name to call
				}

				t.Run(name+"/"+meant.Tool+"/"+kind, func(t *testing.T) {
					p := scripted.New(reader, func(string) (envs.Plan, bool) {
						return func([]string) (string, envs.Call, error) { return "I call it.", meant, nil }, true
					})
					h := envs.NewHistory(envs.Task{Question: "q"}).
						Append(envs.Turn{Call: meant, Outcome: envs.Deprecated, Observation: notice})

					got, err := p.Propose(t.Context(), mcts.Request{History: h, N: 1, Greedy: true})
					if err != nil {
						t.Fatal(err)
					}

					api, args := written(t, v, got[0].Text)

					lowered, wrong := api.Lower(args)
					if wrong != nil {
						t.Fatalf("refused (%q):\n%s", wrong.Text, got[0].Text)
					}

					if api.Tool != meant.Tool {
						t.Errorf("reached %s, meant %s", api.Tool, meant.Tool)
					}

					if diff := cmp.Diff(trimmed(meant.Args), trimmed(lowered)); diff != "" {
						t.Errorf("%s\n%s", got[0].Text, diff)
					}
				})
			}
		}
	}
}

// lowers says what is wrong with a call of an API, "" if nothing.
func lowers(a *toolapi.API, args envs.Args) string {
	if _, wrong := a.Lower(args); wrong != nil {
		return wrong.Reason
	}
	return ""
}

// written reads the call of a completion whose arguments are texts, switches and numbers.
func written(t *testing.T, v *toolapi.Version, text string) (*toolapi.API, envs.Args) {
	t.Helper()

	_, call, _ := strings.Cut(text, "\nAction: ")
	name, input, ok := strings.Cut(call, "\nAction Input: ")

	api, known := v.API(name)
	if !ok || !known {
		t.Fatalf("no tool of that name:\n%s", text)
	}

	dec := json.NewDecoder(strings.NewReader(input))
	var args envs.Args

	for first := true; ; first = false {
		tok, err := dec.Token()
		if err != nil {
			t.Fatalf("%v in %s", err, input)
		}

		if tok == json.Delim('}') {
			return api, args
		}

		if first {
			continue
		}

		value, err := dec.Token()
		if err != nil {
			t.Fatalf("%v in %s", err, input)
		}

		args = append(args, envs.Arg{Name: tok.(string), Value: value})
	}
}

func trimmed(args envs.Args) map[string]string {
	m := map[string]string{}

	for _, a := range args {
		s, _ := a.Value.(string)
		m[a.Name] = strings.TrimSpace(s)
	}
	return m
}
