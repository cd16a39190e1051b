package server_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/policy/server"
)

// picky is a server that does not take some prompts.
func picky(takes func(prompt string) bool) *echo {
	return &echo{address: "a", before: func(_ context.Context, c server.Completion) error {
		if takes(c.Prompt) {
			return nil
		}
		return &server.Fault{
			Kind: server.KindOfStatus(400), Address: "a", Status: 400,
			Message: "token id out of vocabulary",
		}
	}}
}

// A prompt that a server does not take is no reason to stop, not even when it is the first one: in
// a run that goes on, it often is.
func TestOneBadRequest(t *testing.T) {
	for _, first := range []int{3, 0} {
		p := newPolicy(t, options(picky(func(prompt string) bool { return prompt != "What is q3?" })))

		for i := range 8 {
			question := (first + i) % 8
			_, err := p.Propose(t.Context(), request(question, 2))

			stage, _ := envs.FailedStage(err)
			if question == 3 && (err == nil || envs.IsFinal(err) || stage != envs.StagePolicy) {
				t.Errorf("the prompt that is not taken: %v", err)
			}

			if question != 3 && err != nil {
				t.Errorf("question %d: %v", question, err)
			}
		}

		// Both samples are asked for together, and then each by itself, at the same time.
		s := p.Snapshot()
		if s.BadRequests > 3 || s.Requests != s.Answered+s.BadRequests+s.Cancelled ||
			s.Faults["HTTP 400"] != s.BadRequests {
			t.Errorf("%+v, faults %v", s.Counts, s.Faults)
		}
	}
}

// A request that is refused for its length, in words that nobody knows, is given up, though it is
// taken when it is asked for a few tokens: otherwise it would be sent for ever.
func TestTooLongInUnknownWords(t *testing.T) {
	for _, message := range []string{"no room for max_tokens", "no room"} {
		for _, n := range []int{1, 2} {
			backend := &echo{address: "a", before: func(_ context.Context, c server.Completion) error {
				if c.Prompt != "What is q3?" || c.Sampling.MaxTokens <= 16 {
					return nil
				}
				return &server.Fault{Kind: server.BadRequest, Address: "a", Status: 400, Message: message}
			}}
			p := newPolicy(t, options(backend))

			for question := range 5 {
				_, err := p.Propose(t.Context(), request(question, n))
				if (err != nil) != (question == 3) || envs.IsFinal(err) {
					t.Errorf("%s, %d samples, question %d: %v", message, n, question, err)
				}
			}
		}
	}
}

// A server that has taken no request at all will not take the next one either.
func TestNothingButBadRequests(t *testing.T) {
	p := newPolicy(t, options(picky(func(string) bool { return false })))
	_, err := p.Propose(t.Context(), request(0, 2))

	if !envs.IsFinal(err) || !isRefused(err) || !strings.Contains(err.Error(), "out of vocabulary") {
		t.Errorf("error is %v", err)
	}
}

// Twenty different prompts in a row that are not taken end the run; the same one again, or one that
// is taken in between, does not.
func TestManyBadRequests(t *testing.T) {
	for _, test := range []struct {
		name     string
		question func(i int) int
		final    int // the request that ends the run, -1 when none does
	}{
		{"different", func(i int) int { return i }, 20},
		{"each of them twice", func(i int) int { return i / 2 }, 40},
		{"the same", func(int) int { return 1 }, -1},
		{"one in between", func(i int) int { return i * (1 - i%19/18) }, -1},
	} {
		p := newPolicy(t, options(picky(func(prompt string) bool {
			return prompt == "What is q0?" ||
				prompt == "Hello"
		})))

		got := -1

		for i := range 60 {
			_, err := p.Propose(t.Context(), request(test.question(i), 1))
			if envs.IsFinal(err) {
				got = i
				break
			}
		}

		if got != test.final {
			t.Errorf("%s: request %d ended it, want %d", test.name, got, test.final)
		}
	}
}

func TestKindOfStatus(t *testing.T) {
	for kind, statuses := range map[server.FaultKind][]int{
		server.Transient:  {408, 409, 425, 429, 500, 502, 503, 504, 529},
		server.BadRequest: {400, 406, 411, 413, 414, 415, 416, 418, 422, 424, 431, 451},
		server.Refused:    {101, 204, 301, 302, 304, 307, 401, 402, 403, 404, 405, 407, 410},
	} {
		for _, status := range statuses {
			if got := server.KindOfStatus(status); got != kind {
				t.Errorf("HTTP %d is %s, want %s", status, got, kind)
			}
		}
	}
}

// A question whose first prompt does not fit the window was never asked: that is not a dead end of
// the agent's. When so it is with one question after the other, the run ends.
func TestFirstPromptTooLong(t *testing.T) {
	fits := false
	p := newPolicy(t, options(&echo{address: "a", before: func(
		context.Context, server.Completion,
	) error {
		if fits {
			return nil
		}
		return tooLong()
	}}))

	propose := func(question int) error {
		_, err := p.Propose(t.Context(), request(question, 2))
		return err
	}
	for question := range 19 {
		err := propose(question)
		if stage, _ := envs.FailedStage(err); stage != envs.StagePolicy || envs.IsFinal(err) ||
			!strings.Contains(err.Error(), "first prompt") {
			t.Fatalf("question %d: %v", question, err)
		}
	}

	fits = true

	if err := propose(19); err != nil {
		t.Fatal(err)
	}

	fits = false

	for question := range 20 {
		if err := propose(question); envs.IsFinal(err) != (question == 19) {
			t.Fatalf("question %d: %v", question, err)
		}
	}
}

// What was given up for its length in an earlier pass of the run is no reason to stop, however much
// of it there is: it is asked for again at every resume.
func TestFirstPromptTooLongAgain(t *testing.T) {
	p := newPolicy(t, options(&echo{address: "a", before: func(
		context.Context, server.Completion,
	) error {
		return tooLong()
	}}))

	for question := range 25 {
		if _, err := p.Propose(mcts.Again(t.Context()), request(question, 2)); err == nil ||
			envs.IsFinal(err) {
			t.Fatalf("question %d: %v", question, err)
		}
	}
}

// A refusal comes sooner than an answer: while a request that was begun before may be answered, no
// number of refusals ends the run. Those that were begun later do not keep it from ending.
func TestFirstPromptTooLongBeforeAnyAnswer(t *testing.T) {
	for _, final := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var release [30]chan bool // whether the prompt fits, by the question
			for question := range release {
				release[question] = make(chan bool)
			}

			o := options(&echo{address: "a", before: func(
				ctx context.Context, c server.Completion,
			) error {
				if <-release[c.Seed/1000] {
					return nil
				}
				return tooLong()
			}})
			o.Limit = server.Limit{Sequences: len(release)}
			p := newPolicy(t, o)

			var results [len(release)]error
			for question := range results {
				go func() { _, results[question] = p.Propose(t.Context(), request(question, 1)) }()

				synctest.Wait()
			}

			first := 1 // the oldest waits
			if final {
				first = 0
			}

			for question := first; question < first+20; question++ {
				release[question] <- false
				synctest.Wait()

				last := question == first+19
				if err := results[question]; err == nil || envs.IsFinal(err) != (last && final) {
					t.Errorf("question %d after %d: %v", question, first, err)
				}
			}

			for question := range release {
				select {
				case release[question] <- true:
				default: // it was refused
				}
			}
		})
	}
}

// tooLong is the fault of a prompt for which the window is too small.
func tooLong() error {
	return &server.Fault{Kind: server.TooLong, Address: "a", Status: 400,
		Message: "the window is full"}
}

// A text whose request does not fit the window is given up, so that a judge goes on with others.
func TestTextTooLong(t *testing.T) {
	p := newPolicy(t, options(&echo{address: "a", before: func(
		context.Context, server.Completion,
	) error {
		return tooLong()
	}}))

	for i := range 20 {
		_, err := p.Complete(t.Context(), "a", server.Completion{Prompt: fmt.Sprint(i), N: 1})
		if _, alone := envs.GivenUp(err); alone == (i == 19) || envs.IsFinal(err) != (i == 19) {
			t.Fatalf("text %d: %v", i, err)
		}
	}
}
