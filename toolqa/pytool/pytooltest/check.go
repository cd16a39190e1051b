package pytooltest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa/pytool"
)

// Check holds an engine to everything that package pytool promises of engines. It does not close it.
func Check(t *testing.T, e pytool.Engine) {
	t.Helper()
	t.Run("snippets", func(t *testing.T) { checkCases(t, e, Snippets(), false) })
	t.Run("snippets, published capture", func(t *testing.T) { checkCases(t, e, Snippets(), true) })
	t.Run("samples", func(t *testing.T) { checkCases(t, e, Samples(), false) })
	t.Run("texts in the published capture", func(t *testing.T) { checkPublishedTexts(t, e) })
	t.Run("odd code", func(t *testing.T) { checkOddCode(t, e) })
	t.Run("equal code", func(t *testing.T) { checkEqual(t, e) })
	t.Run("no state survives", func(t *testing.T) { checkState(t, e) })
	t.Run("limits", func(t *testing.T) { checkLimits(t, e) })
	t.Run("limits of time read alike", func(t *testing.T) { checkTimes(t, e) })
	t.Run("callers that give up", func(t *testing.T) { checkCancel(t, e) })
}

// checkCases compares what is shown of cases with what their file says.
func checkCases(t *testing.T, e pytool.Engine, cases []Case, published bool) {
	cases = For(cases, e.Stamp())
	if published {
		cases = slices.DeleteFunc(cases, func(c Case) bool { return c.Published == nil })
	}
	all, err := Observe(t.Context(), e, cases, published)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		want := c.Plain
		if published {
			want = *c.Published
		}
		got := Shown{all[i].Failed, Normal(all[i].Text)}
		want.Text = Normal(want.Text)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", c.Name, c.Code, diff)
		}
	}
}
