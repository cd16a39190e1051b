package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/server"
)

func TestWhatIsSent(t *testing.T) {
	var got server.Completion
	backend := &echo{address: "a", before: func(_ context.Context, c server.Completion) error { got = c; return nil }}
	cold := sampling()
	cold.Temperature = 0

	messages := func(o *server.Options) {
		o.Render = nil
		o.Messages = func(h envs.History) []chat.Message {
			return []chat.Message{{Role: "user", Content: h.Task().Question}}
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*server.Options)
		greedy bool
		want   server.Completion
	}{
		{"samples", func(*server.Options) {}, false, server.Completion{
			Prompt:   "What is q3?",
			N:        5,
			Seed:     3000,
			Sampling: sampling(),
		}},
		{"a chat", messages, false, server.Completion{
			Messages: []chat.Message{{Role: "user", Content: "What is q3?"}},
			N:        5,
			Seed:     3000,
			Sampling: sampling(),
		}},
		{"greedy", func(*server.Options) {}, true, server.Completion{
			Prompt: "What is q3?",
			N:      1,
			Seed:   3000,
			Sampling: server.Sampling{
				TopP: 1, RepetitionPenalty: 1, MaxTokens: 64, Stop: []string{"\nObservation"}},
		}},
		{"temperature 0", func(o *server.Options) { o.Sampling = cold }, false,
			server.Completion{Prompt: "What is q3?", N: 1, Seed: 3000, Sampling: cold}},
	} {
		o := options(backend)
		tt.change(&o)

		r := request(3, 5)
		r.Greedy = tt.greedy

		proposals, err := newPolicy(t, o).Propose(t.Context(), r)
		ignored := cmp.Options{cmpopts.IgnoreUnexported(got), cmpopts.IgnoreFields(got, "Session")}
		if diff := cmp.Diff(tt.want, got, ignored); diff != "" || err != nil ||
			len(proposals) != tt.want.N {
			t.Errorf("%s: %d proposals, error %v, request:\n%s", tt.name, len(proposals), err, diff)
		}
	}
}

// The requests of a tree are of one session, of which every tree has its own.
func TestSessions(t *testing.T) {
	sessions := map[string]int{}
	p := newPolicy(t, options(&echo{address: "a", before: func(_ context.Context, c server.Completion) error {
		sessions[c.Session]++
		return nil
	}}))

	for question := range 3 {
		for tree := range 2 {
			for _, path := range []string{"0", "0.1", "0.1.0"} {
				r := request(question, 2)
				r.Node.Tree, r.Node.Path = tree, path

				if _, err := p.Propose(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
		}
	}

	for session, requests := range sessions {
		if len(sessions) != 6 || requests != 3 || session == "" {
			t.Errorf("sessions %v, want 6 of 3 requests each", sessions)
		}
	}
}

func TestProposals(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	for _, tt := range []struct {
		name   string
		choice server.Choice
		want   mcts.Proposal
	}{
		{"the mean of the tokens", server.Choice{Text: "a", LogProbs: []float64{-1, -2, -6}, Tokens: 3},
			mcts.Proposal{Text: "a", LogProb: -3, Scored: true, Tokens: 3}},
		{"no more than certain", server.Choice{Text: "a", LogProbs: []float64{0.5, 0.1}},
			mcts.Proposal{Text: "a", Scored: true, Tokens: 9}},
		{"none", server.Choice{Text: "a"}, mcts.Proposal{Text: "a", Tokens: 9}},
		{"no number", server.Choice{Text: "a", LogProbs: []float64{-1, nan}}, mcts.Proposal{Text: "a", Tokens: 9}},
		{"infinite", server.Choice{Text: "a", LogProbs: []float64{inf, -1}}, mcts.Proposal{Text: "a", Tokens: 9}},
		{"cut", server.Choice{
			Text:     "a",
			LogProbs: []float64{-1},
			Finish:   server.FinishLength,
		}, mcts.Proposal{
			Text:    "a",
			LogProb: -1,
			Scored:  true,
			Finish:  mcts.FinishLength,
			Tokens:  9,
		}},
		{"stopped", server.Choice{
			Text:     "a",
			LogProbs: []float64{-1},
			Finish:   server.FinishStop,
		}, mcts.Proposal{Text: "a", LogProb: -1, Scored: true, Tokens: 9}},
		{"empty", server.Choice{Finish: server.FinishStop}, mcts.Proposal{Tokens: 9}},
	} {
		o := options(fixed{server.Reply{Choices: []server.Choice{tt.choice}, CompletionTokens: 9}})
		o.LogProbs = false

		got, err := newPolicy(t, o).Propose(t.Context(), request(0, 1))
		if diff := cmp.Diff([]mcts.Proposal{tt.want}, got); diff != "" || err != nil {
			t.Errorf("%s: error %v\n%s", tt.name, err, diff)
		}
	}
}

// What a model writes behind a lead begins with it, once; silence stays silence.
func TestLead(t *testing.T) {
	for written, want := range map[string]string{
		" I look.\nAction: Look":           "Thought: I look.\nAction: Look",
		"\nThought: I look.\nAction: Look": "\nThought: I look.\nAction: Look",
		" ":                                " ",
	} {
		o := options(fixed{server.Reply{Choices: []server.Choice{{Text: written, Finish: server.FinishStop}}}})
		o.LogProbs, o.Lead = false, "Thought:"

		got, err := newPolicy(t, o).Propose(t.Context(), request(0, 1))
		if err != nil || len(got) != 1 || got[0].Text != want {
			t.Errorf("%q became %+v, %v", written, got, err)
		}
	}
}

type fixed struct{ reply server.Reply }

func (fixed) Address() string { return "fixed" }
func (f fixed) Complete(_ context.Context, c server.Completion) (server.Reply, error) {
	if c.Prompt == "Hello" {
		return answer(c), nil
	}
	return f.reply, nil
}

// Whatever goes wrong on the way, the proposals are those of a day on which nothing did, and every
// request is accounted for.
func TestFaultsChangeNothing(t *testing.T) {
	const requests, n = 400, 5
	var want [][]mcts.Proposal

	synctest.Test(t, func(t *testing.T) {
		want = all(t, newPolicy(t, options(&echo{address: "a"})), requests, 1, n)
	})

	for _, servers := range []int{1, 3} {
		for _, sequences := range []int{0, 1, 16} {
			synctest.Test(t, func(t *testing.T) {
				var backends []server.Backend
				for i := range servers {
					backends = append(backends, newFaulty(strings.Repeat("a", i+1), 0.3))
				}

				o := options(backends...)
				o.Limit.Sequences, o.Timeout = sequences, 20*time.Second

				p := newPolicy(t, o)
				if diff := cmp.Diff(want, all(t, p, requests, 24, n)); diff != "" {
					t.Errorf("%d servers, limit %d: faults changed the proposals:\n%s", servers, sequences, diff)
				}

				s := p.Snapshot()
				if s.Requests != s.Answered+s.Transient || s.Transient == 0 || s.Short == 0 {
					t.Errorf("%d requests, %d answered, %d faults, %d short", s.Requests, s.Answered, s.Transient,
						s.Short)
				}

				const known = 20 // what finds out whose fault a fault is may come on top
				few := func(n int64) bool { return n >= 0 && n <= known }

				if !few(s.Transient-s.Retries) || !few(s.Answered-requests-n*s.Short) ||
					s.Completions <= requests*n {
					t.Errorf("%d retries of %d faults, %d answers to %d requests, %d of them short, %d completions",
						s.Retries, s.Transient, s.Answered, requests, s.Short, s.Completions)
				}

				if share := float64(s.Transient) / float64(s.Requests); share < 0.15 || share > 0.35 {
					t.Errorf("%.2f of the requests failed, want a good quarter", share)
				}

				if s.InFlight != 0 || s.Waiting != 0 {
					t.Errorf("%d in flight, %d waiting after the end", s.InFlight, s.Waiting)
				}
			})
		}
	}
}

func TestTooLongIsADeadEnd(t *testing.T) {
	backend := &echo{
		address: "a",
		before: func(context.Context, server.Completion) error {
			return &server.Fault{
				Kind:    server.TooLong,
				Address: "a",
				Status:  400,
				Message: "maximum context length is 512 tokens",
			}
		},
	}
	p := newPolicy(t, options(backend))
	later := request(0, 5)
	later.History = later.History.Append(envs.Turn{Action: "a", Observation: "o"})

	got, err := p.Propose(t.Context(), later)
	if diff := cmp.Diff([]mcts.Proposal{{Finish: mcts.FinishTooLong}}, got); diff != "" || err != nil {
		t.Errorf("error %v\n%s", err, diff)
	}

	if s := p.Snapshot(); s.TooLong != 1 || s.Requests != 1 || backend.asked.Load() != 1 {
		t.Errorf("%d requests, %d of them too long, %d seen by the server", s.Requests, s.TooLong, backend.asked.Load())
	}
}

// A sample may be let in at the very moment at which its node comes to a dead end. It gives its
// place back, without which a run would stand still in the end.
func TestDeadEndsGiveTheirPlacesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, full := strict{{"n", bad(400, "n has to be 1")}}, false
		o := options(&echo{address: "a", before: func(ctx context.Context, c server.Completion) error {
			if err := one.before(ctx, c); err != nil || !full {
				return err
			}
			return &server.Fault{Kind: server.TooLong, Address: "a", Message: "the window is full"}
		}})
		o.Limit.Sequences = 1
		p := newPolicy(t, o)

		// It takes an answer to learn that the server draws samples one by one.
		for range 2 {
			if _, err := p.Propose(t.Context(), request(0, 5)); err != nil {
				t.Fatal(err)
			}
		}

		full = true
		for i := range 100 {
			later := request(i, 5)
			later.History = later.History.Append(envs.Turn{Action: "a", Observation: "o"})

			got, err := p.Propose(t.Context(), later)
			if err != nil || len(got) != 1 || got[0].Finish != mcts.FinishTooLong {
				t.Fatalf("%v, %v", got, err)
			}
		}

		if s := p.Snapshot(); s.InFlight != 0 || s.Waiting != 0 {
			t.Errorf("%d in flight, %d waiting after the end", s.InFlight, s.Waiting)
		}
	})
}

func TestRefusalEndsAtOnce(t *testing.T) {
	backend := &echo{
		address: "a",
		before: func(context.Context, server.Completion) error {
			return fmt.Errorf("asking: %w", &server.Fault{
				Kind:    server.Refused,
				Address: "a",
				Status:  401,
				Message: "wrong key",
			})
		},
	}
	p := newPolicy(t, options(backend, &echo{address: "b"}))

	question := 0
	for p.Snapshot().Refused == 0 { // a question whose own server is a
		question++
		_, err := p.Propose(t.Context(), request(question, 2))
		var fault *server.Fault

		if p.Snapshot().Refused == 0 {
			continue
		}

		if stage, _ := envs.FailedStage(err); !isRefused(err) || !envs.IsFinal(err) || !errors.As(err, &fault) ||
			fault.Status != 401 || stage != envs.StagePolicy {
			t.Errorf("error is %v", err)
		}
	}

	if n := backend.asked.Load(); n > 2 { // it is greeted, too
		t.Errorf("the server was asked %d times", n)
	}

	if isRefused(&server.Fault{Kind: server.Transient}) || isRefused(errors.New("refused")) {
		t.Error("not every error is a refusal")
	}
}

// A request that fails at a server that is there is tried a bounded number of times, at growing
// intervals.
func TestAttemptsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times []time.Duration
		start := time.Now()
		o := options(&echo{address: "a", before: func(_ context.Context, c server.Completion) error {
			if c.Prompt != "What is q7?" {
				return nil
			}

			times = append(times, time.Since(start))
			return &server.Fault{Kind: server.Transient, Address: "a", Status: 500, Message: "this prompt kills me"}
		}})
		o.Retry = server.Retry{Attempts: 4, Base: time.Second, Max: 2 * time.Second}
		p := newPolicy(t, o)
		_, err := p.Propose(t.Context(), request(7, 1))

		var fault *server.Fault
		if !errors.As(err, &fault) || isRefused(err) || len(times) != 4 {
			t.Errorf("%d attempts, error %v", len(times), err)
		}

		for i, most := range []time.Duration{time.Second, 2 * time.Second, 2 * time.Second} {
			if gap := times[i+1] - times[i]; gap < most/2 || gap > most {
				t.Errorf("attempt %d came after %v, want %v..%v", i+2, gap, most/2, most)
			}
		}

		if _, err := p.Propose(t.Context(), request(8, 2)); err != nil {
			t.Errorf("another request: %v", err)
		}
	})
}

func TestRetryAfterIsHonoured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend := &echo{address: "a"}
		backend.before = func(context.Context, server.Completion) error {
			if backend.asked.Load() == 1 {
				return &server.Fault{Kind: server.Transient, Address: "a", Status: 429, RetryAfter: 77 * time.Second}
			}
			return nil
		}
		var log bytes.Buffer
		o := options(backend)
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		start := time.Now()

		all(t, newPolicy(t, o), 1, 1, 2)

		if waited := time.Since(start); waited != 77*time.Second {
			t.Errorf("waited %v, the server asked for 77s", waited)
		}

		if strings.Count(log.String(), "wants a pause") != 1 || !strings.Contains(log.String(), "1m17s") {
			t.Errorf("it is not said once:\n%s", log.String())
		}
	})
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		want   string
		change func(*server.Options)
	}{
		{"no server", func(o *server.Options) { o.Backends = nil }},
		{"named twice", func(o *server.Options) { o.Backends = append(o.Backends, o.Backends[0]) }},
		{"either", func(o *server.Options) { o.Messages = func(envs.History) []chat.Message { return nil } }},
		{"attempts", func(o *server.Options) { o.Retry.Attempts = -1 }},
		{"wait", func(o *server.Options) { o.Retry.Base, o.Retry.Max = 2, 1 }},
		{"timeout", func(o *server.Options) { o.Timeout = -1 }},
		{"limit", func(o *server.Options) { o.Limit.Sequences = -1 }},
		{"limit", func(o *server.Options) { o.Limit.Start, o.Limit.Max = 9, 8 }},
		{"temperature", func(o *server.Options) { o.Sampling.Temperature = math.NaN() }},
		{"top_p", func(o *server.Options) { o.Sampling.TopP = 0 }},
		{"top_k", func(o *server.Options) { o.Sampling.TopK = -1 }},
		{"min_p", func(o *server.Options) { o.Sampling.MinP = 1.5 }},
		{"frequency_penalty", func(o *server.Options) { o.Sampling.FrequencyPenalty = 2.1 }},
		{"presence_penalty", func(o *server.Options) { o.Sampling.PresencePenalty = -2.1 }},
		{"repetition_penalty", func(o *server.Options) { o.Sampling.RepetitionPenalty = 0 }},
		{"max_tokens", func(o *server.Options) { o.Sampling.MaxTokens = 0 }},
		{"stop", func(o *server.Options) { o.Sampling.Stop = []string{""} }},
	} {
		o := options(&echo{address: "a"})
		tt.change(&o)

		if _, err := server.New(o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error is %v, want one about %q", err, tt.want)
		}
	}
}

// A completion that is no history's is drawn with the same guarantees; who wants nothing else needs
// no prompts.
func TestComplete(t *testing.T) {
	fault := &server.Fault{Kind: server.Transient, Address: "a", Status: 503}
	e := &echo{address: "a"}
	e.before = func(context.Context, server.Completion) error {
		if e.asked.Load() == 1 {
			return fault
		}
		return nil
	}
	o := options(e)
	o.Render = nil

	p, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()

	choices, err := p.Complete(t.Context(), "key", server.Completion{
		Prompt: "Judge:", N: 2, Seed: 5, Sampling: o.Sampling,
	})
	if err != nil || len(choices) != 2 || choices[0].Text != "Judge: 5" || choices[1].Text != "Judge: 6" {
		t.Errorf("%+v, %v", choices, err)
	}

	_, err = p.Propose(t.Context(), mcts.Request{History: envs.NewHistory(envs.Task{}), N: 1})

	var failure *envs.StageError
	if !errors.As(err, &failure) || failure.Stage != envs.StagePolicy {
		t.Errorf("a proposal without a prompt: %v", err)
	}
}

// BenchmarkPropose is what the policy adds to a request.
func BenchmarkPropose(b *testing.B) {
	reply := answer(server.Completion{Prompt: "p", N: 5})

	for _, sequences := range []int{0, 64} {
		b.Run(fmt.Sprint("limit=", sequences), func(b *testing.B) {
			o := options(fixed{reply})
			o.Limit.Sequences = sequences
			p, r := newPolicy(b, o), request(0, 5)
			b.ReportAllocs()

			for b.Loop() {
				if _, err := p.Propose(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// isRefused reports whether a server refused a request in a way that no further request changes.
func isRefused(err error) bool {
	var f *server.Fault
	return errors.As(err, &f) && f.Kind == server.Refused
}
