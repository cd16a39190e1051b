package dynamic

import (
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// What an environment says of a call is what it takes: the tool gets the same in every version.
func TestLift(t *testing.T) {
	meant := envs.Call{
		Tool: "FilterDB", Name: "FilterDB",
		Args: envs.Args{{Name: "condition", Value: "Date>=2000-01-14, Open<70"}},
	}
	write := func(c envs.Call) envs.Action { return react(c.Name, string(pytext.AppendJSON(nil, c.Args))) }
	want := play(t, newEnv(t, "p_c", Options{}), write(meant)).Turn

	for _, deployed := range []string{
		"p_c", "p_s_in", "p_s_ood", "p_s_ood_proprietary", "b2_names_text", "b2_names_character", "b2_parameters_text",
		"b2_parameters_character",
	} {
		env := newEnv(t, deployed, Options{})

		lifted, err := envs.Lift(env, envs.NewHistory(task), meant)
		if err != nil {
			t.Fatal(err)
		}

		if got := play(t, env, write(lifted)).Turn; got.Observation != want.Observation || got.Outcome != envs.OK {
			t.Errorf("%s: %s %q, want %q", deployed, got.Outcome, got.Observation, want.Observation)
		}

		for _, same := range []string{envs.FinishTool, envs.UpdateTool} {
			c := envs.Call{Tool: same, Name: same, Args: envs.Args{{Name: "answer", Value: "1"}}}
			if same == envs.UpdateTool {
				c.Args[0].Name = "newtool_desc"
			}

			if lifted, err := envs.Lift(env, envs.NewHistory(task), c); err != nil || lifted.Name != same {
				t.Errorf("%s: %s is called %s (%v)", deployed, same, lifted.Name, err)
			}
		}
	}
}

// What is no call of the prompt version is none of another one.
func TestLiftErrors(t *testing.T) {
	for want, c := range map[string]envs.Call{
		"Search is not an API of p_c": {Name: "Search"},
		`"condition" is missing`:      {Tool: "FilterDB", Name: "FilterDB"},
	} {
		_, err := envs.Lift(newEnv(t, "p_s_in", Options{}), envs.NewHistory(task), c)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", c, err, want)
		}
	}
}
