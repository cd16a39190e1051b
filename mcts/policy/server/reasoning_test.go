package server_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
	"toolevo/mcts/policy/server"
)

// TestReasoning holds what a turn has of a reply, by what the policy is told of reasoning.
func TestReasoning(t *testing.T) {
	const (
		act    = "Thought: x\nAction: A\nAction Input: {\"a\": 1}"
		tagged = "<think>\nI wonder.\n</think>\n\n" + act
		other  = "[THINK]a[/THINK]" + act
		empty  = "<think>\n\n</think>\n\n" + act
	)

	for name, test := range map[string]struct {
		choice     server.Choice
		show, once string
		drop       string
		refused    bool
	}{
		"none":       {server.Choice{Text: act}, act, act, act, false},
		"tags":       {server.Choice{Text: tagged}, tagged, tagged, act, true},
		"other tags": {server.Choice{Text: other}, other, other, act, true},
		"a field":    {server.Choice{Text: "\n\n" + act, Reasoning: "I wonder.\n"}, tagged, tagged, act, true},
		"begun":      {server.Choice{Text: "I wonder.\n</think>\n\n" + act}, tagged, tagged, act, true},
		"empty tags": {server.Choice{Text: empty}, empty, act, act, false},
		"nothing more": {server.Choice{Reasoning: "a", Finish: server.FinishLength},
			"<think>\na\n</think>\n\n", "<think>\na\n</think>\n\n", "", true},
	} {
		for mode, want := range map[action.Reasoning]string{
			"": test.show, action.Show: test.show, action.Once: test.once, action.Drop: test.drop, action.Refuse: act,
		} {
			o := options(fixed{server.Reply{Choices: []server.Choice{test.choice}}})
			o.LogProbs, o.Reasoning = false, mode

			got, err := newPolicy(t, o).Propose(t.Context(), request(0, 1))
			if refused := mode == action.Refuse && test.refused; refused {
				if !envs.IsFinal(err) || !strings.Contains(err.Error(), "server.reasoning") {
					t.Errorf("%s, %s: %v", name, mode, err)
				}

				continue
			}

			if err != nil || len(got) != 1 || got[0].Text != want {
				t.Errorf("%s, %q: %+v, %v; want %q", name, mode, got, err, want)
			}
		}
	}
}

// Reasoning that is kept from us and uses up all tokens is the model's answer: it is paid for once,
// and the server has not lost its voice.
func TestHiddenReasoning(t *testing.T) {
	const requests, n = 60, 2

	hide := func(_ int64, _ server.Completion, r *server.Reply) {
		for i := range r.Choices {
			r.Choices[i] = server.Choice{Finish: server.FinishLength, Tokens: 64, Reasoned: true}
		}
	}

	synctest.Test(t, func(t *testing.T) {
		p := newPolicy(t, options(&spoiling{next: &echo{address: "a"}, change: hide}))

		for i, got := range all(t, p, requests, 1, n) {
			if len(got) != n || got[0].Text != "" || got[0].Finish != mcts.FinishLength {
				t.Errorf("request %d gives %+v", i, got)
			}
		}

		s := p.Snapshot()
		if s.Requests != requests || s.Silent != requests*n || s.Empty+s.Unscored > 0 ||
			s.Servers[0].Down {
			t.Errorf("%+v", s)
		}
	})
}

// A lead begins the content, whatever the model reasons before it.
func TestLeadBehindReasoning(t *testing.T) {
	o := options(fixed{server.Reply{Choices: []server.Choice{{Text: "<think>a</think>\n I look."}}}})
	o.LogProbs, o.Lead = false, "Thought:"

	got, err := newPolicy(t, o).Propose(t.Context(), request(0, 1))
	if err != nil || got[0].Text != "<think>a</think>\n Thought:I look." {
		t.Errorf("%+v, %v", got, err)
	}
}

// stopping is a backend whose model writes one text, as far as the stop texts of a request allow.
// Its tokens are lines; it tells their texts, unless it is mute, where it is asked for them.
type stopping struct {
	text  string
	asked *[]server.Completion
	mute  bool
}

func (stopping) Address() string { return "stopping" }

func (s stopping) Complete(_ context.Context, c server.Completion) (server.Reply, error) {
	*s.asked = append(*s.asked, c)
	r := server.Reply{}

	for range c.N {
		text := s.text
		for _, stop := range c.Sampling.Stop {
			text, _, _ = strings.Cut(text, stop)
		}

		choice := server.Choice{Text: text, Finish: server.FinishStop, LogProbs: lineLogProbs(text)}
		if c.Pieces && !s.mute {
			choice.Pieces = slices.Collect(strings.Lines(text))
		}

		r.Choices = append(r.Choices, choice)
	}
	return r, nil
}

// lineLogProbs are the log-probabilities of a text's lines.
func lineLogProbs(text string) (all []float64) {
	for line := range strings.Lines(text) {
		all = append(all, -float64(len(line)))
	}
	return all
}

// TestStopsInReasoning: stop texts are about the content. Where one ends the reasoning, the sample
// is asked for again by its seed, and ends where they say. What was written behind that does not
// count.
func TestStopsInReasoning(t *testing.T) {
	const act = "Thought: x\nAction: A\nAction Input: {\"a\": 1}\n"

	for name, test := range map[string]struct {
		text, want string
		requests   int
	}{
		"in reasoning": {"<think>\nObservation: none\n</think>\n\n" + act + "Observation: y",
			"<think>\nObservation: none\n</think>\n\n" + act, 2},
		"behind it":      {"<think>\na\n</think>\n\n" + act + "\n\nThought: y", "<think>\na\n</think>\n\n" + act, 2},
		"the template's": {"<think>\na\n</think>\n\n<|end|>" + act, "<think>\na\n</think>\n\n", 2},
		"in content":     {act + "Observation: y", act, 1},
	} {
		var asked []server.Completion

		o := options(stopping{text: test.text, asked: &asked})
		o.Closing = []string{"<|end|>"}
		o.Sampling.Stop = []string{"<|end|>", "Observation:", "\n\nThought:"}
		p := newPolicy(t, o)

		got, err := p.Propose(t.Context(), request(7, 1))
		if err != nil || got[0].Text != test.want || len(asked) != test.requests {
			t.Errorf("%s: %+v after %d requests, %v; want %q", name, got, len(asked), err, test.want)
			continue
		}

		mean := 0.0
		lines := lineLogProbs(test.want)
		for _, l := range lines {
			mean += l / float64(len(lines))
		}

		if math.Abs(got[0].LogProb-mean) > 1e-9 || !got[0].Scored {
			t.Errorf("%s: the log-probability is %v, want %v", name, got[0].LogProb, mean)
		}

		last := asked[len(asked)-1]
		if last.Seed != asked[0].Seed || test.requests == 2 && !slices.Equal(last.Sampling.Stop, o.Closing) {
			t.Errorf("%s: asked again with the seed %d and the stop texts %q", name, last.Seed, last.Sampling.Stop)
		}

		if n := p.Snapshot().PastReasoning; n != int64(test.requests-1) {
			t.Errorf("%s: %d are counted", name, n)
		}
	}
}

// What counts of a sample that is ended here is not known where a server does not tell its tokens.
func TestStopsInReasoningOfMuteTokens(t *testing.T) {
	var asked []server.Completion

	o := options(stopping{"<think>\na\n</think>\n\nI look.\nObservation: y", &asked, true})
	o.Sampling.Stop = []string{"Observation:", "a"}

	got, err := newPolicy(t, o).Propose(t.Context(), request(7, 1))
	if err != nil || got[0].Text != "<think>\na\n</think>\n\nI look.\n" || got[0].Scored {
		t.Errorf("%+v, %v", got, err)
	}
}

// Who asks for something readable gets it without the reasoning.
func TestCompleteWithoutReasoning(t *testing.T) {
	o := options(fixed{server.Reply{Choices: []server.Choice{{Text: "<think>{}</think>\n{\"a\": 1}"}}}})
	o.LogProbs = false

	choices, err := newPolicy(t, o).Complete(t.Context(), "key", server.Completion{
		Prompt: "Judge:", N: 1, Sampling: o.Sampling,
	})
	if err != nil || len(choices) != 1 || choices[0].Text != `{"a": 1}` {
		t.Errorf("%+v, %v", choices, errors.Unwrap(err))
	}
}
