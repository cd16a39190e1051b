package display

import "testing"

func TestOrdinal(t *testing.T) {
	t.Parallel()

	for n, want := range map[int]string{
		0: "0th", 1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 10: "10th", 11: "11th", 12: "12th",
		13: "13th", 21: "21st", 102: "102nd", 103: "103rd", 111: "111th", 1012: "1012th",
	} {
		if got := Ordinal(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestCapital(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"": "", "a b": "A b", "éa": "Éa", "ǆ": "Ǆ", "ß": "ß", "Ab": "Ab", "1a": "1a", "-": "-",
	} {
		if got := Capital(text); got != want {
			t.Errorf("%q begins as %q, want %q", text, got, want)
		}
	}
}
