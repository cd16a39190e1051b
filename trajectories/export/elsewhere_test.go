package export

import "testing"

// TestElsewhereFinds: a question of another split is found however it is spelt and whatever stands
// around it, on one line or on several.
func TestElsewhereFinds(t *testing.T) {
	var e Elsewhere
	e.Add("What was the price on 2013-08-27?", "test: q")

	for text, want := range map[string]string{
		"What was the price on 2013-08-27?":                       "test: q",
		"Question: what  WAS the price on 2013-08-27?":            "test: q",
		"Question: What was\n\u00a0the price\non 2013-08-27?":     "test: q",
		"Use tools.\nQuestion: What was the price on 2013-08-27?": "test: q",
		"What was the price on 2013-08-28?":                       "",
		"":                                                        "",
	} {
		if got := e.find(text); got != want {
			t.Errorf("%q is asked in %q, want %q", text, got, want)
		}
	}
}
