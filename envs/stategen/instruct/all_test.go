package instruct

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/stategen"
)

// manyTasks are copies of one task under other names.
type manyTasks int

func (m manyTasks) Len() int { return int(m) }

func (m manyTasks) Task(i int) (*stategen.Task, error) {
	t := voiceTask()
	t.ID = fmt.Sprint("voice-", i)
	t.Program.Init[0].Type = fmt.Sprint("a text of topic ", i)
	return t, nil
}

// critic writes what is good, and accepts it for some tasks.
type critic struct{ gone error }

func (c critic) Write(_ context.Context, instructions, request string, _ uint64) (string, error) {
	switch {
	case c.gone != nil && strings.Contains(request, "topic 299"):
		return "", c.gone
	case strings.HasPrefix(instructions, "You write"):
		return good, nil
	case strings.Contains(request, "topic 7;"):
		return "IMPOSSIBLE", nil
	case strings.Contains(request, "topic 8;"):
		return "REVISE\nMore.", nil
	}

	return "OK", nil
}

func TestAll(t *testing.T) {
	n := negotiator(critic{}, critic{})
	last := 0

	var yielded []string

	report, err := n.All(t.Context(), manyTasks(300), 8, func(done, total int) { last = done*1000 + total },
		func(t *stategen.Task) error {
			yielded = append(yielded, t.ID)
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}

	want := Report{
		Accepted: 298, Drafts: 298 + 1 + 3, Verdicts: 298 + 1 + 3,
		Rejected: []Refused{{"voice-7", Impossible}, {"voice-8", "More."}},
	}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Error(diff)
	}

	if last != 300*1000+300 {
		t.Errorf("the progress ended at %d", last)
	}

	at := 0
	for i := range 300 {
		if i != 7 && i != 8 {
			if yielded[at] != fmt.Sprint("voice-", i) {
				t.Fatalf("task %d is %s", i, yielded[at])
			}

			at++
		}
	}
}

// hopeless is the error of a request that a server fails at, though it answers others.
type hopeless struct{}

func (hopeless) Error() string   { return "the server fails at this request alone" }
func (hopeless) GivenUp() string { return "too long" }

// A task that no server will ever answer for is rejected with the reason: the others are not held
// up.
func TestAllGivesUp(t *testing.T) {
	n := negotiator(critic{gone: hopeless{}}, critic{})

	report, err := n.All(t.Context(), manyTasks(300), 4, func(int, int) {},
		func(*stategen.Task) error { return nil })
	if err != nil {
		t.Fatal(err)
	}

	want := Report{
		Accepted: 297, Drafts: 297 + 1 + 3, Verdicts: 297 + 1 + 3,
		Rejected: []Refused{{"voice-7", Impossible}, {"voice-8", "More."},
			{"voice-299", "not asked: too long"}},
	}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Error(diff)
	}
}

// What was accepted before a failure of ours is yielded; the failure is no rejection.
func TestAllFails(t *testing.T) {
	n := negotiator(critic{gone: errors.New("the server is gone")}, critic{})
	yielded := 0

	report, err := n.All(t.Context(), manyTasks(300), 4, func(int, int) {}, func(*stategen.Task) error {
		yielded++
		return nil
	})
	if err == nil || yielded != atOnce-2 || len(report.Rejected) != 2 {
		t.Errorf("%v after %d tasks: %+v", err, yielded, report)
	}
}
