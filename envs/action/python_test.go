package action

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/envtest"
)

func TestPythonParse(t *testing.T) {
	for text, want := range map[string]string{
		"```python\nRESULT = 1\n```":                                       "RESULT = 1",
		"I add.\n\n```py\na = 1\n\nRESULT = a\n```\nThat is all.":          "a = 1\n\nRESULT = a",
		"```python\nwrong()\n```\nNo, rather:\n```python\nRESULT = 2\n```": "RESULT = 2",
		"```\nRESULT = 3\n```":                                             "RESULT = 3",
		"````python\ntext = '''\n```\n'''\n````\n":                         "text = '''\n```\n'''",
		"  ```python\n  RESULT = 4\n  ```  ":                               "  RESULT = 4",
		"```\nnever ends: ```python\nRESULT = 5\n```":                      "never ends: ```python\nRESULT = 5",
		"```\nthis\n```python\nRESULT = 6\n```":                            "RESULT = 6",
		"```python\nRESULT = 8\n```\nThat is it.\n```":                     "RESULT = 8",
		"```python\n```":                   "",
		"```python\nRESULT = 7\r\n```\r\n": "RESULT = 7\r",
	} {
		got, err := Python{}.Parse(text)
		if diff := cmp.Diff(call(envs.FinishTool, "answer", want), got); diff != "" || err != nil {
			t.Errorf("Parse(%q): %v, -want +got:\n%s", text, err, diff)
		}
	}

	for _, text := range []string{
		"", "RESULT = 1", "```python\nRESULT = 1", "``\nRESULT = 1\n``", "`RESULT = 1`", "```",
		"```python RESULT = 1```", "````python\nRESULT = 1\n```",
	} {
		if got, err := (Python{}).Parse(text); !errors.Is(err, ErrMalformed) || got.Name != "" {
			t.Errorf("Parse(%q) = %v, %v, want a malformed action", text, got, err)
		}
	}
}

func TestPythonAroundTheBlock(t *testing.T) {
	const block = "```python\nRESULT = 1\n```"
	for text, want := range map[string]struct{ thought, trimmed string }{
		block:                             {"", block},
		" I count.\n\n" + block + "\n":    {"I count.", " I count.\n\n" + block + "\n"},
		"So:\n" + block + "\nThat is it.": {"So:", "So:\n" + block},
		"no program":                      {"no program", "no program"},
	} {
		if got := (Python{}).Thought(text); got != want.thought {
			t.Errorf("Thought(%q) = %q, want %q", text, got, want.thought)
		}

		if got := (Python{}).Trim(text); got != want.trimmed {
			t.Errorf("Trim(%q) = %q, want %q", text, got, want.trimmed)
		}
	}
}

// What is no answer cannot be written as a program; its text must still not be one that means
// something else.
func TestPythonHoldsAnswersOnly(t *testing.T) {
	for _, c := range []envs.Call{
		call(envs.UpdateTool, "newtool_desc", "x"), call(envs.FinishTool, "answer", envs.Number("1")), {Name: "list"},
	} {
		got, err := Python{}.Parse(Python{}.Format("", c))
		if code, _ := got.Args.Text("answer"); code != Canonical(c) || err != nil {
			t.Errorf("%v is written as %q, %v", c, code, err)
		}
	}
}

func FuzzPython(f *testing.F) {
	for _, a := range envtest.Hostile() {
		if len(a) < 1000 {
			f.Add(string(a))
		}
	}

	f.Add("So:\n```python\nRESULT = 1\n```\nThat is it.\n```")
	f.Fuzz(func(t *testing.T, text string) {
		checkTrim(t, Python{}, text)

		c, err := Python{}.Parse(text)
		if err != nil {
			return
		}

		if again, err := (Python{}).Parse(Python{}.Format("", c)); !cmp.Equal(again, c) || err != nil {
			t.Errorf("%q is read back as %v, %v", text, again, err)
		}
	})
}
