package envs_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
)

// A remark is seen at the end of a history, and changes nothing of the history it was made to.
func TestRemark(t *testing.T) {
	t.Parallel()

	asked := envs.NewHistory(envs.Task{ID: "a", Question: "What?"})
	if got := asked.Remark("Look.").Task().Question; got != "What?\n\nLook." || asked.Task().Question != "What?" {
		t.Errorf("the question becomes %q, and was %q", got, asked.Task().Question)
	}

	learned := asked.Append(envs.Turn{Action: "x", Observation: "1"}).Learn("Tool").
		Append(envs.Turn{Action: "y", Observation: "2", Outcome: envs.OK})
	remarked := learned.Remark("Look.")

	last, _ := remarked.Last()
	want := envs.Turn{Action: "y", Observation: "2\n\nLook.", Outcome: envs.OK}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Errorf("the last turn (-want +got):\n%s", diff)
	}

	if diff := cmp.Diff(learned.Turns()[:1], remarked.Turns()[:1]); diff != "" || len(remarked.Learned()) != 1 {
		t.Errorf("the rest changes, too:\n%s", diff)
	}

	if last, _ := learned.Last(); last.Observation != "2" || remarked.Hash() == learned.Hash() {
		t.Errorf("the history itself is changed: %+v", last)
	}
}
