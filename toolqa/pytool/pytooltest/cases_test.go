package pytooltest

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/sandbox"
)

// Case is a program and what is shown of it.
type Case struct {
	Name      string
	Needs     []string // modules beside the standard library, "python 3.11" or later
	Code      string
	Plain     Shown
	Published *Shown // nil where only the default capture is of interest
}

// Shown is an observation.
type Shown struct {
	Failed bool // it counts as an error
	Text   string
}

//go:embed testdata/snippets.txt
var snippets string

//go:embed testdata/samples.txt
var samples string

// snippetCases returns programs that each show one rule of what is shown.
func snippetCases() []Case { return mustParse("snippets.txt", snippets) }

// sampleCases returns programs of the kind that models write.
func sampleCases() []Case { return mustParse("samples.txt", samples) }

func mustParse(name, text string) []Case {
	cases, err := parse(text)
	if err != nil {
		panic(fmt.Sprintf("pytooltest: %s: %v", name, err)) // the files are part of the package
	}
	return cases
}

// runnable returns the cases that an engine can run.
func runnable(cases []Case, s sandbox.Stamp) []Case {
	var able []Case

	for _, c := range cases {
		if !slices.ContainsFunc(c.Needs, func(need string) bool { return !has(s, need) }) {
			able = append(able, c)
		}
	}

	return able
}

func has(s sandbox.Stamp, need string) bool {
	if version, ok := strings.CutPrefix(need, "python "); ok {
		return minor(s.Python) >= minor(version)
	}
	return slices.Contains(s.ModuleNames(), need)
}

// minor is the second number of a version.
func minor(version string) int {
	n, _ := strconv.Atoi(strings.Split(version+".0", ".")[1])
	return n
}

// parse reads a file of cases; see the package for what it looks like.
func parse(text string) ([]Case, error) {
	var cases []Case
	names := map[string]bool{}

	for i, block := range strings.Split("\n"+text, "\n=== ") {
		if i == 0 {
			continue // what stands before the first case
		}

		title, rest, _ := strings.Cut(block, "\n")

		c := Case{Name: title}
		if name, needs, ok := strings.Cut(title, " ["); ok {
			c.Name, c.Needs = name, strings.Split(strings.TrimSuffix(needs, "]"), ", ")
		}

		if c.Name == "" || names[c.Name] {
			return nil, fmt.Errorf("case %d: the name %q is taken or empty", i, c.Name)
		}

		names[c.Name] = true
		parts := strings.Split("\n"+rest, "\n--- ")

		c.Code = strings.TrimSuffix(strings.TrimPrefix(parts[0], "\n"), "\n")
		for _, part := range parts[1:] {
			if err := c.add(part); err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
		}

		cases = append(cases, c)
	}
	return cases, nil
}

// add reads one observation.
func (c *Case) add(part string) error {
	head, text, _ := strings.Cut(part, "\n")

	words := strings.Fields(head)
	if len(words) == 0 {
		return fmt.Errorf("an observation without a word")
	}

	word := words[len(words)-1]
	if word != "ok" && word != "error" {
		return fmt.Errorf("%q is neither ok nor error", word)
	}

	shown := Shown{Failed: word == "error", Text: strings.TrimSuffix(text, "\n")}

	switch {
	case len(words) == 1:
		c.Plain = shown
	case len(words) == 2 && words[0] == "published":
		c.Published = &shown
	default:
		return fmt.Errorf("an observation called %q", head)
	}

	return nil
}

// format is the reverse of parse.
func format(cases []Case) string {
	var b strings.Builder
	for _, c := range cases {
		b.WriteString("=== " + c.Name)

		if len(c.Needs) > 0 {
			b.WriteString(" [" + strings.Join(c.Needs, ", ") + "]")
		}

		b.WriteString("\n" + c.Code + "\n")
		c.Plain.format(&b, "")

		if c.Published != nil {
			c.Published.format(&b, "published ")
		}
	}
	return b.String()
}

func (s Shown) format(b *strings.Builder, capture string) {
	word := "ok"
	if s.Failed {
		word = "error"
	}

	fmt.Fprintf(b, "--- %s%s\n%s\n", capture, word, s.Text)
}
