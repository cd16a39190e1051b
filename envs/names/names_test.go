package names

import "testing"

func TestMistakes(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"cofee", "coffee", 1},
		{"tset", "test", 1}, // two bytes swapped are one mistake
		{"kitten", "sitting", 3},
		{"ca", "abc", 3}, // nothing is changed twice: with swaps of changed bytes it were 2
		{"train", "dev", 5},
	} {
		if got := mistakes(tt.a, tt.b); got != tt.want {
			t.Errorf("mistakes(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}

		if got := mistakes(tt.b, tt.a); got != tt.want {
			t.Errorf("mistakes(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}

func TestClosest(t *testing.T) {
	splits := []string{"train", "dev", "test"}
	settings := []string{"seed", "preset", "search.trees", "search.cpuct"}

	policies := []string{"scripted:reader", "scripted:noisy"}
	for _, tt := range []struct {
		name  string
		valid []string
		want  string // "" is none
	}{
		{"tset", splits, "test"},
		{"Train", splits, "train"},
		{"policies/qwen2", []string{"policies/qwen2-7b-sft", "policies/qwen2-7b"}, "policies/qwen2-7b"},
		{"tra", splits, "train"},
		{"bsh", []string{"bash", "zsh"}, "bash"},
		{"validation", splits, ""},
		{"", splits, ""},
		{"x", splits, ""},
		{"serach.trees", settings, "search.trees"},
		{"trees", settings, "search.trees"},
		{"noise", policies, "scripted:noisy"},
		{"scripted:raeder", policies, "scripted:reader"},
	} {
		if got, ok := Closest(tt.name, tt.valid); got != tt.want || ok != (tt.want != "") {
			t.Errorf("Closest(%q) = %q, %v, want %q", tt.name, got, ok, tt.want)
		}
	}
}

func TestParse(t *testing.T) {
	type split string

	if got, err := Parse("split", "dev", []split{"train", "dev"}); got != "dev" || err != nil {
		t.Errorf("%q, %v", got, err)
	}

	for name, want := range map[string]string{
		"trian": `unknown split "trian", did you mean train? Valid are train, dev`,
		"all":   `unknown split "all": valid are train, dev`,
	} {
		if _, err := Parse("split", name, []split{"train", "dev"}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
