package bench

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
)

// A recorded run is a task where its calls can be said in the words of p_c; else it is left out
// with the reason.
func TestRecordedRuns(t *testing.T) {
	t.Parallel()

	toolset := &Toolset{Called: map[string]Called{
		"get_book": {Name: "get-book", Parameters: map[string]string{"book": "book-id"}},
	}}
	call := func(name, parameter string, value any) []envs.Call {
		return []envs.Call{{Name: name, Args: envs.Object(parameter, value)}}
	}
	run := func(id string, calls []envs.Call) Recorded {
		return Recorded{From: id + ".json", ID: id, Question: "What of " + id + "?", Answer: "2", Calls: calls}
	}

	changed := func(r Recorded, change func(*Recorded)) Recorded {
		change(&r)
		return r
	}

	recordings := &Recordings{
		Left: []LeftTask{{"none.json", "it has no final answer"}},
		Runs: []Recorded{
			run("plain", call("list", "reader", "Ada")),
			run("wire", call("get-book", "book-id", envs.Number("2"))),
			run("prefix", call("mcp__library__get-book", "book-id", envs.Number("3"))),
			run("other", call("get_bok", "book", "1")),
			run("braces", call("list", "reader", "{{1 /id}}")),
			changed(run("drifted", call("list", "reader", "Ada")), func(r *Recorded) { r.Version = "p_s_in" }),
			changed(run("words", nil), func(r *Recorded) { r.Answer = "two" }),
			changed(run("again", nil), func(r *Recorded) { r.Question = "What of plain?" }),
			run("known", nil),
			run("plain", nil),
		},
	}

	all := recordings.tasks(matchNumber, toolset, []string{"get_book", "list"}, []*Task{{ID: "known"}})

	var solutions []string
	for _, task := range all {
		if task.Match != matchNumber || task.Dataset != noDataset || task.Answer != "2" {
			t.Errorf("%+v", task)
		}

		solutions = append(solutions, task.ID+": "+task.Solution[0].Tool+" "+string(task.Solution[0].Args))
	}

	if diff := cmp.Diff([]string{
		`plain: list {"reader": "Ada"}`, `wire: get_book {"book": 2}`, `prefix: get_book {"book": 3}`,
	}, solutions); diff != "" {
		t.Error(diff)
	}

	if diff := cmp.Diff([]LeftTask{
		{"none.json", "it has no final answer"},
		{"other.json", "call 1: the toolset has no tool get_bok"},
		{"braces.json", "call 1: {{1 /id}} in its arguments would be read as an earlier answer"},
		{"drifted.json", "its calls are those of the version p_s_in, and a solution has those of p_c"},
		{"words.json", `words: answer: "two" is no number`},
		{"again.json", "the task plain asks the same"},
		{"known.json", "there is a task known already"},
		{"plain.json", "there is a task plain already"},
	}, recordings.Left); diff != "" {
		t.Error(diff)
	}
}
