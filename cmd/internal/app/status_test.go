package app

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/console"
	"toolevo/finetune"
	"toolevo/mcts/collect"
)

func noServers() string { return "" }

// An evaluation says how much there is to do before its first episode is over. What the log had is
// no work.
func TestEvalStatus(t *testing.T) {
	t.Parallel()

	var s finetune.Snapshot
	read := evalStatus(func() finetune.Snapshot { return s }, noServers)

	for _, test := range []struct {
		snapshot finetune.Snapshot
		want     console.Status
	}{
		{
			finetune.Snapshot{Planned: 40},
			console.Status{Total: 40, Work: console.Work{Left: 40}, Text: "0/40 episodes"},
		},
		{
			finetune.Snapshot{Planned: 40, Done: 30, Replayed: 28},
			console.Status{
				Done:  30,
				Total: 40,
				Work:  console.Work{Done: 2, Left: 10},
				Text:  "30/40 episodes",
			},
		},
	} {
		s = test.snapshot
		if diff := cmp.Diff(test.want, read()); diff != "" {
			t.Errorf("%+v: -want +got:\n%s", s, diff)
		}
	}
}

// Seven calls a minute are not 0 a second, however often somebody looks. The work that is left is
// that of questions: most of the trees that are planned are never grown.
func TestCollectStatus(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := collect.Snapshot{
			Questions:         10,
			QuestionsDone:     4,
			QuestionsReplayed: 3,
			TreesPlanned:      60,
			TreesDone:         24,
		}
		read := collectStatus(func() collect.Snapshot { return s }, noServers)

		for range 14 {
			for range 42 { // a call takes 60/7 s
				<-time.After(time.Minute / 7 / 42)
				read()
			}

			s.Asked++
		}

		got := read()
		if !strings.Contains(got.Text, " 7 calls/min,") {
			t.Errorf("14 calls in two minutes are %q", got.Text)
		}

		got.Text = ""

		want := console.Status{Done: 24, Total: 60, Work: console.Work{Done: 1, Left: 6}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}
