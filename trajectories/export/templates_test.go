package export

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write TEMPLATES.md anew from templates.yaml")

// TEMPLATES.md has the tables of templates.yaml.
func TestTemplatesPage(t *testing.T) {
	const begin, end = "<!-- verdicts -->\n", "<!-- end -->\n"

	text, err := os.ReadFile("TEMPLATES.md")
	if err != nil {
		t.Fatal(err)
	}

	before, rest, _ := strings.Cut(string(text), begin)
	stands, after, ok := strings.Cut(rest, end)

	if want := verdictTables(); *update {
		err = os.WriteFile("TEMPLATES.md", []byte(before+begin+want+end+after), 0o644)
	} else if !ok || stands != want {
		t.Errorf("the tables are others (go test -run TestTemplatesPage -update writes them):\n%s", want)
	}

	if err != nil {
		t.Error(err)
	}
}

func verdictTables() string {
	var b strings.Builder

	for _, trainer := range Trainers() {
		of := templates()[trainer]

		var programs []string
		for _, name := range slices.Sorted(maps.Keys(of.Versions)) {
			programs = append(programs, name+" "+of.Versions[name])
		}

		fmt.Fprintf(&b, "\n## %s (%s)\n\n| templates | react | react, a faulty reply | function-call | function-call, a faulty "+
			"reply |\n|---|---|---|---|---|\n", trainer, strings.Join(programs, ", "))

		for _, j := range of.Templates {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", quoted(j.Names), j.React, j.FaultyReact, j.Calls, j.FaultyCalls)
		}

		count := func(of func(judged) verdict) (n int) {
			for _, j := range templates()[trainer].Templates {
				if of(j).fits() {
					n += len(j.Names)
				}
			}

			return n
		}

		fmt.Fprintf(&b, "| exact, or exact as steps, of %d | %d | %d | %d | %d |\n",
			len(of.names(func(judged) bool { return true })),
			count(func(j judged) verdict { return j.React }), count(func(j judged) verdict { return j.FaultyReact }),
			count(func(j judged) verdict { return j.Calls }), count(func(j judged) verdict { return j.FaultyCalls }))
	}

	return b.String() + formsTable() + "\n"
}

// formsTable says under which templates each form of asking a server asks what is trained.
func formsTable() string {
	var b strings.Builder

	b.WriteString("\n## The forms of a server\n\n| server.form | trainer | samples | asks what these train |\n|---|---|---|---|\n")

	forms := templates()[LlamaFactory].Forms
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		for _, trainer := range Trainers() {
			for _, codec := range slices.Sorted(maps.Keys(templates()[trainer].Forms[form])) {
				var of string

				switch names := templates()[trainer].Forms[form][codec].(type) {
				case string:
					of = "all that are exact, or exact as steps"
				case []any:
					of = "none"
					if len(names) > 0 {
						of = quoted(names)
					}
				}

				fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", form, trainer, codec, of)
			}
		}
	}

	return b.String()
}

func quoted[T any](names []T) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = fmt.Sprintf("`%v`", name)
	}

	return strings.Join(words, ", ")
}
