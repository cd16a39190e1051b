package failure_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune/failure"
)

var update = flag.Bool("update", false, "write the tables of RULES.md")

// confusion counts episodes by label and class.
type confusion map[failure.Class]map[failure.Class]int

// classified runs the rules on the episodes of a file.
func classified(t *testing.T, file string) confusion {
	t.Helper()

	names, table := deployedNames(t), confusion{}

	for _, l := range readLabelled(t, file) {
		if !slices.Contains(failure.Classes(), l.Label) {
			t.Fatalf("%s: label %q", l.Name, l.Label)
		}

		e := l.episode(t)

		v, ok := failure.Classify(e, names[e.DeployedAPI])
		if !ok {
			t.Fatalf("%s did not fail", l.Name)
		}

		if v.Class != l.Label {
			t.Logf("%s: the reader says %s (%s), rule %s says %s, turn %d", l.Name, l.Label, l.Why, v.Rule, v.Class,
				v.Turn)
		}

		if table[l.Label] == nil {
			table[l.Label] = map[failure.Class]int{}
		}

		table[l.Label][v.Class]++
	}
	return table
}

// agreement returns how many episodes have the class of their label, and how many there are.
func (c confusion) agreement() (right, all int) {
	for label, row := range c {
		for class, n := range row {
			if all += n; class == label {
				right += n
			}
		}
	}

	return right, all
}

// The rules agree with the reader on at least 95 % of the episodes, also of those that they were
// not written from.
func TestRulesAgreeWithTheReader(t *testing.T) {
	var tables strings.Builder

	for _, half := range []struct{ file, name string }{
		{"written.yaml", "The half that the rules were written from"},
		{"held_out.yaml", "The half that was held out"},
	} {
		table := classified(t, half.file)

		right, all := table.agreement()
		if 100*right < 95*all {
			t.Errorf("%s: the rules agree with %d of %d labels, want 95 %%", half.file, right, all)
		}

		fmt.Fprintf(&tables, "\n%s: %d of %d agree, %.1f %%. Lines are labels, columns what the rules say.\n\n%s",
			half.name, right, all, 100*float64(right)/float64(all), table.markdown())
	}

	const begin, end = "<!-- labels: begin -->\n", "\n<!-- labels: end -->"

	text, err := os.ReadFile("RULES.md")
	if err != nil {
		t.Fatal(err)
	}

	before, rest, _ := strings.Cut(string(text), begin)
	_, after, _ := strings.Cut(rest, strings.TrimPrefix(end, "\n"))
	want := before + begin + tables.String() + end + after

	if *update {
		if err := os.WriteFile("RULES.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(text), want); diff != "" {
		t.Errorf("RULES.md is stale, run with -update; -want +got:\n%s", diff)
	}
}

// markdown is the table with a line for each label.
func (c confusion) markdown() string {
	var b strings.Builder

	classes := slices.DeleteFunc(failure.Classes(), func(class failure.Class) bool { return c[class] == nil })

	b.WriteString("| |")
	for _, class := range classes {
		fmt.Fprintf(&b, " %s |", class)
	}

	b.WriteString("\n|---|" + strings.Repeat("---:|", len(classes)) + "\n")

	for _, label := range classes {
		fmt.Fprintf(&b, "| **%s** |", label)

		for _, class := range classes {
			cell := "·"
			if n := c[label][class]; n > 0 {
				cell = fmt.Sprint(n)
			}

			b.WriteString(" " + cell + " |")
		}

		b.WriteByte('\n')
	}
	return b.String()
}
