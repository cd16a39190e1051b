package dynamic

import (
	"testing"

	"toolevo/envs"
)

// A notice announces the deployed version where lists follow notices, and histories that differ in
// it do not look the same.
func TestAnnounce(t *testing.T) {
	old, other := react("LoadDB", `{"DBName": "coffee"}`), react("LoadDB", `{"DBName": "flights"}`)

	for list, want := range map[string]string{ListFixed: "", ListLearned: "", ListAnnounced: "p_s_in"} {
		env := newEnv(t, "p_s_in", Options{Settings: Settings{ToolList: list}})

		if got := play(t, env, react("Nothing", "{}")).State.History().Announced(); got != "" {
			t.Errorf("%s: %q is announced after no notice", list, got)
		}

		noticed := play(t, env, old)
		if noticed.Turn.Outcome != envs.Deprecated {
			t.Fatal(noticed.Turn.Outcome)
		}

		h := play(t, env, old, other).State.History()
		if got := h.Announced(); got != want {
			t.Errorf("%s: %q is announced, want %q", list, got, want)
		}

		if same := h.Hash() == h.Announce("").Hash(); same != (want == "") {
			t.Errorf("%s: the hash is the same as that of a history without: %v", list, same)
		}
	}
}
