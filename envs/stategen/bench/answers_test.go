package bench

import (
	"fmt"
	"testing"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen/domains"
)

// membersOf are the members of a value, at any depth, by name: what kind of value each has. A list
// has those of its items, and whether it is one.
func membersOf(t *testing.T, text string) map[string]string {
	t.Helper()

	value, err := pytext.DecodeStrict(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}

	all := map[string]string{"": fmt.Sprintf("%T", value)}

	envs.Map(value, func(part any) (any, bool) {
		object, _ := part.(envs.Args)
		for _, m := range object {
			all[m.Name] = fmt.Sprintf("%T", m.Value)
		}
		return part, false
	})
	return all
}

// The examples of answers, which silent drift is drawn from, have members that tools do answer
// with, of the same kinds.
func TestExamplesOfAnswers(t *testing.T) {
	t.Parallel()

	s := open(t, choice(t, 30))
	env := environmentOf(t, s, base)
	answered := map[string]map[string]bool{} // "NAME KIND" of the members that a tool has answered with

	for _, task := range s.Tasks() {
		last, _ := play(t, s, env, task, as)

		for _, turn := range last.State.History().Turns() {
			if turn.Outcome != envs.OK || envs.IsSystem(turn.Call.Tool) {
				continue
			}

			if answered[turn.Call.Tool] == nil {
				answered[turn.Call.Tool] = map[string]bool{}
			}

			for name, kind := range membersOf(t, turn.Observation) {
				answered[turn.Call.Tool][name+" "+kind] = true
			}
		}
	}

	examples := 0

	for _, d := range domains.All() {
		for _, a := range d.APIs() {
			if a.Answer == "" || a.Name == "get_session" { // programs never get one session
				continue
			}

			examples++

			for name, kind := range membersOf(t, a.Answer) {
				if !answered[a.Name][name+" "+kind] {
					t.Errorf("%s never answers with %q, of the kind %s", a.Name, name, kind)
				}
			}
		}
	}

	if examples < 10 {
		t.Errorf("%d examples", examples)
	}
}
