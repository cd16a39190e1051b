package bench

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/drift"
)

// wins reports whether an episode of the relevant calls of a task, as they stand in a version or as
// they are lifted to it, is right.
func wins(t *testing.T, s *opened, env envs.Environment, task envs.Task, lift bool) bool {
	t.Helper()

	var actions []envs.Action

	for _, call := range s.planned(s.queries[task.ID]) {
		if lift {
			call = lifted(t, env, task, call)
		}

		actions = append(actions, text(call))
	}

	finish := envs.Call{Name: envs.FinishTool, Args: envs.Object("answer", "It is done.")}
	actions = append(actions, envs.Action(action.ReAct{}.Format("end", finish)))
	return reward(play(t, env, task, actions...)) == 1
}

// DynamicToolBench's versions touch as many queries of the published groups as were counted without
// this program: the first those with a relevant API that has one of the 48 names. Who is told what
// is deployed wins every task, and who calls what the prompt says those that are not touched.
func TestPublishedVersions(t *testing.T) {
	t.Parallel()

	if _, err := os.Stat(publishedFolder()); err != nil {
		t.Skipf("the published data is not here: %v (set TOOLEVO_SHARED_DATA, or TOOLEVO_STABLETOOLBENCH)", err)
	}

	c := choice(t, publishedFolder())

	for version, want := range map[string]map[string]int{
		drift.DTBv2:       {"G1_category": 57, "G1_instruction": 69, "G2_category": 71},
		drift.DTBv3:       {"G1_category": 65, "G1_instruction": 81, "G2_category": 76},
		drift.DTBCombined: {"G1_category": 83, "G1_instruction": 90, "G2_category": 87},
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()

			c := c
			c.Deployed = []string{base, version}
			s := open(t, c)
			env := environmentOf(t, s, version)
			got, stale := map[string]int{}, 0

			for _, task := range s.tasks {
				if !wins(t, s, env, task, true) {
					t.Errorf("%s: lost by calls of the version", task.ID)
				}

				touched := task.Labels[envs.LabelDifficulty] == exposed
				if touched {
					got[task.Labels[envs.LabelDataset]]++
				}

				if won := wins(t, s, env, task, false); touched && won {
					stale++
				} else if !touched && !won {
					t.Errorf("%s: lost by calls of the prompt's version, though it is not touched", task.ID)
				}
			}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("touched (-want +got):\n%s", diff)
			}

			t.Logf("%d touched tasks are won by calls of the prompt's version", stale)
		})
	}
}
