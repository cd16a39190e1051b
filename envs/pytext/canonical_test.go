package pytext

import (
	"testing"
)

// Values that mean the same give the same text.
func TestAppendCanonical(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		`{"b": [1.0, {"d": 2, "c": null}], "a": "ä"}`:    `{"a": "ä", "b": [1, {"c": null, "d": 2}]}`,
		`[1e2, 100, 100.0, -0.50, 12345678901234567890]`: `[100, 100, 100, -0.5, 12345678901234567890]`,
	} {
		v, err := Decode(text)
		if got := string(AppendCanonical(nil, v)); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
}
