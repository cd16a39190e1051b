package pytooltest

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/sandbox"
)

// extent is how much of check is run. The zero value is all of it, which the fork server passes.
// That is enough for what others share with them: the same driver in an engine that starts a new
// Python, on another interpreter, behind other walls or for another user runs a part that has each
// kind of program.
type extent struct {
	step  int  // of the programs in the files, run one in so many, the snippets in both captures by turns; 0 is all
	brief bool // leave out the programs that compute for seconds until a limit that another program meets, too
}

// check holds an engine to what packages sandbox and pytool promise, to all of it where
// TOOLEVO_HOSTILE is set. It does not close it.
func check(t *testing.T, e sandbox.Engine, x extent) {
	t.Helper()

	if os.Getenv("TOOLEVO_HOSTILE") != "" {
		x = extent{}
	}

	step := max(x.step, 1)
	snippets := snippetCases()
	plain, published, samples := oneIn(step, 0, snippets), oneIn(step, step/2, snippets), oneIn(step, 0, sampleCases())

	t.Run("snippets", func(t *testing.T) { checkCases(t, e, plain, false) })
	t.Run("snippets, published capture", func(t *testing.T) { checkCases(t, e, published, true) })
	t.Run("samples", func(t *testing.T) { checkCases(t, e, samples, false) })
	t.Run("texts in the published capture", func(t *testing.T) { checkPublishedTexts(t, e) })
	t.Run("odd code", func(t *testing.T) { checkOddCode(t, e) })
	t.Run("equal code", func(t *testing.T) { checkEqual(t, e) })
	t.Run("no state survives", func(t *testing.T) { checkState(t, e) })
	t.Run("limits", func(t *testing.T) { checkLimits(t, e, x.brief) })
	t.Run("callers that give up", func(t *testing.T) { checkCancel(t, e) })
}

// oneIn returns one in step of the cases, from a first one on. The files have what is alike side by
// side.
func oneIn(step, first int, cases []Case) []Case {
	var some []Case
	for i := first; i < len(cases); i += step {
		some = append(some, cases[i])
	}
	return some
}

// checkCases compares what is shown of cases with what their file says.
func checkCases(t *testing.T, e sandbox.Engine, cases []Case, published bool) {
	cases = runnable(cases, e.Stamp())
	if published {
		cases = slices.DeleteFunc(cases, func(c Case) bool { return c.Published == nil })
	}

	all, err := observe(t.Context(), e, cases, published)
	if err != nil {
		t.Fatal(err)
	}

	for i, c := range cases {
		want := c.Plain
		if published {
			want = *c.Published
		}

		got := Shown{all[i].Failed, normal(all[i].Text)}

		want.Text = normal(want.Text)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", c.Name, c.Code, diff)
		}
	}
}
