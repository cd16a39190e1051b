package viewer

import "testing"

// Letters whose lower case is longer or shorter, and bytes that are no text, do not move what is
// found.
func TestAround(t *testing.T) {
	for in, want := range map[string]string{
		"before the Needle, behind":        "Needle",
		"ȺȺȺȺȺȺȺ needle":                   "needle",
		"\xff\xfe\xff\xfe needle":          "needle",
		"\u212a\u212a\u212a NEEDLE, after": "NEEDLE",
	} {
		if got := around(place{}, in, "needle").Text; got != want {
			t.Errorf("%q: found %q, want %q", in, got, want)
		}
	}
}
