package dynamic

import (
	"errors"
	"testing"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/envtest"
)

func TestCanonical(t *testing.T) {
	env := newEnv(t, "p_c", Options{})
	if got := env.Canonical(react("LoadDB", `{"DBName":"coffee"}`)); got != `LoadDB {"DBName": "coffee"}` {
		t.Errorf("the key is %q", got)
	}
}

func FuzzStep(f *testing.F) {
	for _, a := range envtest.Hostile() {
		if len(a) < 1000 {
			f.Add(string(a))
		}
	}

	f.Add(string(react("LoadDB", `{"DBName": "coffee"}`)))
	env := newEnv(f, "p_s_in", Options{})
	f.Fuzz(func(t *testing.T, text string) {
		_, err := action.ReAct{}.Parse(text)
		malformed := errors.Is(err, action.ErrMalformed)

		got := play(t, env, envs.Action(text))
		if !utf8.ValidString(got.Turn.Observation) || (got.Turn.Outcome == envs.Malformed) != malformed {
			t.Errorf("%q: %s %q", text, got.Turn.Outcome, got.Turn.Observation)
		}
	})
}
