package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

func TestMatchers(t *testing.T) {
	t.Parallel()

	for _, test := range []struct {
		task   Task
		answer string
		want   bool
	}{
		{Task{Answer: "12.50", Match: "number"}, "12.5", true},
		{Task{Answer: "12.50", Match: "number"}, "$12.50.", true},
		{Task{Answer: "12.50", Match: "number"}, "12.51", false},
		{Task{Answer: "12.50", Match: "number"}, "about twelve", false},
		{Task{Answer: "1200", Match: "number"}, "1,200", true},
		{Task{Answer: "1234567.5", Match: "number"}, "-$1,234,567.50", false},
		{Task{Answer: "1234567.5", Match: "number"}, "$1,234,567.50", true},
		{Task{Answer: "-1200", Match: "number"}, "-1,200.", true},
		{Task{Answer: "15", Match: "number"}, "1,5", false},
		{Task{Answer: "123", Match: "number"}, "1,2,3", false},
		{Task{Answer: "1250", Match: "number"}, "12,50", false},
		{Task{Answer: "1200", Match: "number"}, "1200,", false},
		{Task{Answer: "1200300", Match: "number"}, "1200,300", false},
		{Task{Answer: "125", Match: "number"}, "0,125", false},
		{Task{Answer: "0.3", Match: "number", Tolerance: 0.1}, "0.4", true},
		{Task{Answer: "0.3", Match: "number", Tolerance: 0.1}, "0.41", false},
		{Task{Answer: "0.3", Match: "number"}, "0.30000000000000004", true},
		{Task{Answer: "3", Match: "number"}, "2.9999999999999996", true},
		{Task{Answer: "1e3", Match: "number"}, "1000", true},
		{Task{Answer: "4000000001", Match: "number"}, "4000000003", false},
		{Task{Answer: "9007199254740993", Match: "number"}, "9007199254740992", false},
		{Task{Answer: "0.5", Match: "number"}, "1/2", false},
		{Task{Answer: "1", Match: "number"}, "inf", false},
		{Task{Answer: `{"a": "x", "b": [true, null]}`, Match: "json"},
			`{'a': 'x', 'b': [True, None]}`, true},
		{Task{Answer: `{"a": 1, "b": [2]}`, Match: "json"}, ` {"b":[2.0],"a":1}`, true},
		{Task{Answer: `{"a": 1}`, Match: "json"}, `{"a": 1, "b": 2}`, false},
		{Task{Answer: `{"a": 1}`, Match: "json"}, `{"a": 1`, false},
		{Task{Answer: "yes|sure", Match: "regex"}, "sure", true},
		{Task{Answer: "yes|sure", Match: "regex"}, "not sure", false},
		{Task{Answer: "Friday"}, "friday.", true},
		{Task{Answer: "1.5", Match: "strict"}, "15", false},
	} {
		if official, strict := test.task.agrees(test.answer); official != test.want || strict != test.want {
			t.Errorf("%+v: %q is %v and %v, want %v", test.task, test.answer, official, strict, test.want)
		}
	}

	// ToolQA's own matcher has two verdicts.
	task := Task{Answer: "1.5", Match: "official"}
	if official, strict := task.agrees("15"); !official || strict {
		t.Errorf("ToolQA's matcher: %v and %v", official, strict)
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()

	const value = `{"id": 7, "items": [{"sku": "a", "n": 2}, {"sku": "b", "n": 1}], "paid": true, "note": null}`

	for says, want := range map[string]bool{
		`{"paid": true}`: true, `{"id": 7.0, "items": [{"n": 2}, {"sku": "b"}]}`: true, `{"note": null}`: true,
		`{"items": [{"n": 2}]}`: false, `{"paid": "true"}`: false, `{"missing": null}`: false, `[]`: false, `{}`: true,
	} {
		a, err := pytext.DecodeStrict(value)
		b, wrong := pytext.DecodeStrict(says)

		if err != nil || wrong != nil || holds(a, b) != want {
			t.Errorf("%s: %v, want %v", says, holds(a, b), want)
		}
	}
}

// What is wrong with a file is told by its line, and what to do.
func TestTasksThatMakeNoSense(t *testing.T) {
	t.Parallel()

	for line, want := range map[string]string{
		`{"question":"?","answer":"1"}`:                                                            "wants an id and a question",
		`{"id":"a,b","question":"?","answer":"1"}`:                                                 "has a comma",
		`{"id":"a","question":"?"}`:                                                                "nothing says what is right",
		`{"id":"a","question":"?","answer":"1","match":"exact"}`:                                   `unknown match "exact"`,
		`{"id":"a","question":"?","answer":"x","match":"number"}`:                                  `"x" is no number`,
		`{"id":"a","question":"?","answer":"{","match":"json"}`:                                    "answer:",
		`{"id":"a","question":"?","answer":"(","match":"regex"}`:                                   "missing closing",
		`{"id":"a","question":"?","answer":"1","tolerance":1}`:                                     "tolerance is of numbers",
		`{"id":"a","question":"?","answer":"1","gold":"1"}`:                                        "unknown field",
		`{"id":"a","question":"?","answer":"1","solution":[{"tool":"gett"}]}`:                      `unknown tool "gett"`,
		`{"id":"a","question":"?","after":[{"tool":"get","has":{}}]} {}`:                           "more than one value",
		`{"id":"a","question":"?","after":[{"tool":"get"}]}`:                                       "has:",
		`{"id":"a","question":"?","answer":"1","final":"{{1 /id}}"}`:                               "there is no call 1",
		`{"id":"a","question":"?","after":[{"tool":"get","args":1,"has":1}]}`:                      "want an object",
		`{"id":"b","question":"?","answer":"1"}` + "\n" + `{"id":"b","question":"?","answer":"2"}`: "line 2: there is a task b before",
		`{"id":"a","question":"?","answer":"1","solution":[{"tool":"get","args":{"id":"{{1}}"}}]}`: "not made before",

		`{"id":"a","question":"?","answer":"12,50","match":"number"}`: `"12,50" is no number`,
	} {
		path := filepath.Join(t.TempDir(), "tasks.jsonl")
		if err := os.WriteFile(path, []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}

		_, err := ReadTasks(path, []string{"get", "list"})
		if !strings.Contains(said(err), want) || !strings.Contains(said(err), "tasks.jsonl, line ") {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

func TestTables(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "tasks.csv")
	table := "question,answer,match,tolerance\n\"How much, in all?\",12.5,number,0.1\nWho?,Ada,,\n"

	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}

	all, err := readTable(path, nil)
	if err != nil || len(all) != 2 || all[0].ID != "task-0001" || all[0].Question != "How much, in all?" ||
		all[0].Tolerance != 0.1 || all[1].matcher() != matchStrict {
		t.Errorf("%+v, %v", all, err)
	}

	if err := os.WriteFile(path, []byte("question,anwser\nWho?,Ada\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	if _, err := readTable(path, nil); !strings.Contains(said(err), `unknown column "anwser"`) {
		t.Errorf("another column: %v", err)
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()

	results := []string{
		`Success: {"a/b": [{"id": 7}, "x"], "~": "tilde", "n": null}` + "\n", "plain text", "a [1] text",
	}

	for text, want := range map[string]string{
		"no reference":             `"no reference"`,
		"{{1 /a~1b/0/id}}":         "7",
		"{{ 1 /a~1b/0 }}":          `{"id": 7}`,
		"{{1 /~0}}":                `"tilde"`,
		"{{1 /n}}":                 "null",
		"{{2}}":                    `"plain text"`,
		"id {{1 /a~1b/0/id}} of x": `"id 7 of x"`,
		"{{1 /a~1b/1}}, {{2}}":     `"x, plain text"`,
		"{{1 /missing}}":           "error: the answer of call 1 has nothing at /missing",
		"{{1 /a~1b/2}}":            "error: the answer of call 1 has nothing at /a~1b/2",
		"{{2 /a}}":                 "error: call 2 was not answered with JSON",
		"{{3 /0}}":                 "error: call 3 was not answered with JSON",
		"{{4}}":                    "error: there is no call 4 before",
		"a {{0 /a}}":               "error: there is no call 0 before",
	} {
		value, err := fillText(text, results)

		got := pytext.JSON(value)
		if err != nil {
			got = "error: " + err.Error()
		}

		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// A plan gives up where the answers are not what its solution expects, and never panics.
func FuzzPlan(f *testing.F) {
	f.Add(`{"id": "{{1 /a/0}}"}`, `{"a": [1]}`, "{{1}}")
	f.Add(`{"id": ["{{1 /a~2}}", {"{{1}}": "{{1 /}}"}]}`, `[[]]`, "{{1 /0/0}}")

	f.Fuzz(func(t *testing.T, args, result, final string) {
		task := Task{
			ID: "a", Question: "?", Answer: "1", Final: final,
			Solution: []Step{{Tool: "get"}, {Tool: "get", Args: []byte(args)}},
		}
		if task.validate([]string{"get"}) != nil {
			return
		}

		plan := task.plan()
		for _, results := range [][]string{nil, {result}, {result, result}} {
			_, call, err := plan(results)
			if err == nil && call.Tool != "get" && call.Tool != envs.FinishTool {
				t.Errorf("%v leads to %+v", results, call)
			}
		}
	})
}
