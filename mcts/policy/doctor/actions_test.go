package doctor_test

import (
	"context"
	"strings"
	"testing"

	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/simserver"
)

// actor writes first turns of which some can be read, and knows a form in which others can.
type actor struct{ reads, better, fails int }

func (a actor) Act(_ context.Context, n int) ([]doctor.Turn, server.Dialect, error) {
	turns := make([]doctor.Turn, n)
	for i := range turns {
		turns[i] = doctor.Turn{Text: "Thought: t\nAction: LoadDB"}

		if i < a.fails {
			turns[i] = doctor.Turn{Failed: &server.RequestError{
				Tries: 3, Fault: &server.Fault{Kind: server.Transient, Status: 500, Message: "it broke"},
			}}
		} else if i >= a.reads {
			turns[i] = doctor.Turn{Text: "I would look.\n\nWouldn't you?", Unreadable: true, Reasons: true}
		}
	}

	return turns, server.Dialect{OneLogProb: a.reads == 7}, nil
}

func (a actor) Better(context.Context, int) (map[string]string, int, error) {
	return map[string]string{"server.form": "chat"}, a.better, nil
}

// A model whose first turns cannot be read is a problem, with one of them, and with the form in
// which they can.
func TestActions(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		actor actor
		want  doctor.Verdict
		words string
	}{
		"all":               {actor{8, 0, 0}, doctor.OK, "8 of 8 first turns parse"},
		"most":              {actor{7, 8, 0}, doctor.OK, `7 of 8 first turns parse; one that does not: "I would`},
		"few":               {actor{2, 1, 0}, doctor.Warning, "2 of 8 first turns parse, such as"},
		"few, more in chat": {actor{2, 7, 0}, doctor.Warning, "--set server.form=chat, with which 7 of 8 parse"},
		"none":              {actor{0, 0, 0}, doctor.Problem, "0 of 8 first turns parse"},
		"one fails": {actor{8, 0, 1}, doctor.Warning,
			"1 of 8 first turns do; of the others 7 of 7 first turns parse: HTTP 500"},
		"none but in chat": {actor{0, 1, 0}, doctor.Problem, "--set server.form=chat, with which 1 of 8 parse"},
	} {
		virtually(t, name, func(t *testing.T) {
			o := options(start(t, simserver.Options{MaxModelLen: 8192}), openai.Kind)
			o.Actor, o.Reasoning = test.actor, "show"

			r := examine(t, o)
			wantOnly(t, r, map[doctor.Name]doctor.Verdict{doctor.Actions: test.want})

			if c, _ := r.Check(doctor.Actions); !strings.Contains(c.Seen+c.Do, test.words) {
				t.Errorf("it does not say %q: %+v", test.words, c)
			}

			c, _ := r.Check(doctor.Parameters)
			if less := strings.Contains(c.Seen, "logprobs 1 for 0"); less != (test.actor.reads == 7) {
				t.Errorf("%+v", c)
			}

			c, _ = r.Check(doctor.Reasoning)
			if reasons := strings.Contains(c.Seen, "server.reasoning is show"); reasons != (test.actor.reads < 8) {
				t.Errorf("%+v", c)
			}
		})
	}
}
