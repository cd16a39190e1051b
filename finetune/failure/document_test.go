package failure

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// RULES.md has every rule with its class, in the order in which they are tried.
func TestRulesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("RULES.md")
	if err != nil {
		t.Fatal(err)
	}

	rest := string(text)

	for _, r := range rules {
		_, after, ok := strings.Cut(rest, fmt.Sprintf("\n| `%s` | `%s` |", r.name, r.class))
		if !ok {
			t.Errorf("RULES.md does not have %s, %s, in its place", r.name, r.class)
			continue
		}

		rest = after
	}
}

func TestHeadings(t *testing.T) {
	for _, c := range Classes() {
		want := c == Infrastructure || c == Undecided
		if got := c.Heading() == NoHeading; got != want {
			t.Errorf("%s is under %q", c, c.Heading())
		}
	}
}
