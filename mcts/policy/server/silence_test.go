package server_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/envs"
	"toolevo/mcts/account"
	"toolevo/mcts/policy/server"
)

// emptied is a backend whose samples lose their texts where lost says so.
func emptied(address string, lost func(asked int64, c server.Completion) bool) *spoiling {
	change := func(asked int64, c server.Completion, r *server.Reply) {
		if lost(asked, c) {
			for i := range r.Choices {
				r.Choices[i].Text, r.Choices[i].LogProbs = " ", nil
			}
		}
	}

	return &spoiling{next: &echo{address: address}, change: change}
}

// A server that loses its voice after so many replies is a failing one, from its first empty reply
// on: none of them is taken for the model's own silence, and another server takes over.
func TestServerLosesItsVoice(t *testing.T) {
	const requests, n = 80, 3
	for _, good := range []int64{0, 1, 60} {
		want := all(t, newPolicy(t, options(&echo{address: "a"})), requests, 1, n)
		synctest.Test(t, func(t *testing.T) {
			noText := emptied("a", func(asked int64, _ server.Completion) bool { return asked > good })
			o := options(noText)
			var log bytes.Buffer
			o.Retry.Patience, o.Log = time.Minute, slog.New(slog.NewTextHandler(&log, nil))
			p := newPolicy(t, o)

			for i := range requests {
				got, err := p.Propose(t.Context(), request(i, n))

				var gone *server.GoneError
				switch {
				case err == nil:
					for j := range got {
						if got[j] != want[i][j] {
							t.Fatalf("after %d replies, request %d gives %+v", good, i, got[j])
						}
					}
				case !errors.As(err, &gone) || !envs.IsFinal(err) || !strings.Contains(err.Error(), "empty reply"):
					t.Fatalf("error is %v", err)
				default:
					<-time.After(time.Minute) // the next request finds out whether it is back
				}
			}

			if s := p.Snapshot(); s.Silent != 0 || !s.Servers[0].Down || strings.Contains(log.String(), "is back") {
				t.Errorf("%d samples are taken for silence; it said\n%s", s.Silent, log.String())
			}
		})

		synctest.Test(t, func(t *testing.T) {
			noText := emptied("a", func(asked int64, _ server.Completion) bool { return asked > good })

			p := newPolicy(t, options(noText, &echo{address: "b"}))
			for i, got := range all(t, p, requests, 4, n) {
				for j := range got {
					if got[j] != want[i][j] {
						t.Fatalf("with another server, request %d gives %+v", i, got[j])
					}
				}
			}

			if s := p.Snapshot(); s.Silent != 0 {
				t.Errorf("with another server, %d samples are taken for silence", s.Silent)
			}
		})
	}
}

// A server of whose replies about half come without text is failing, though it has not lost its
// voice: none of its silence is believed once that is known.
func TestHalfOfTheRepliesAreEmpty(t *testing.T) {
	for _, test := range []struct {
		name    string
		share   int64 // of ten prompts, those that get nothing
		failing bool
	}{{"half", 5, true}, {"two of ten", 2, false}} {
		synctest.Test(t, func(t *testing.T) {
			half := emptied("a", func(_ int64, c server.Completion) bool {
				return c.Prompt != "Hello" && int64(c.Seed/1000)%10 < test.share
			})
			o := options(half)
			o.Retry.Patience = time.Minute
			p := newPolicy(t, o)

			var gone *server.GoneError
			for i := range 100 {
				if _, err := p.Propose(t.Context(), request(i, 1)); err != nil && !errors.As(err, &gone) {
					t.Fatal(err)
				}
			}

			s := p.Snapshot()
			if failing := gone != nil; failing != test.failing || s.Silent > 10*test.share {
				t.Errorf("%s: failing: %v, %d are silent: %v", test.name, failing, s.Silent, gone)
			}
		})
	}
}

// Calls that a server cannot read are no silence of it, however many there are: the model wrote
// them, and the server says so.
func TestUnreadIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		unread := emptied("a",
			func(_ int64, c server.Completion) bool { return c.Prompt != "Hello" })
		empty := unread.change
		unread.change = func(asked int64, c server.Completion, r *server.Reply) {
			empty(asked, c, r)
			r.Choices[0].Unread = c.Prompt != "Hello"
		}
		p := newPolicy(t, options(unread))

		for i := range 100 {
			if got, err := p.Propose(t.Context(), request(i, 1)); err != nil ||
				strings.TrimSpace(got[0].Text) != "" {
				t.Fatalf("request %d: %+v, %v", i, got, err)
			}
		}

		if s := p.Snapshot(); s.Silent != 100 || s.Transient != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// A call that a server cannot read comes without counts, from a server that reports them otherwise:
// a limit of tokens can be kept.
func TestUnreadIsNotUntold(t *testing.T) {
	unread := func(asked int64, _ server.Completion, r *server.Reply) {
		if asked == 1 {
			*r = server.Reply{Choices: []server.Choice{{Finish: server.FinishStop, Unread: true}}}
		}
	}

	synctest.Test(t, func(t *testing.T) {
		o := options(&spoiling{next: &echo{address: "a"}, change: unread})
		o.Account = account.New("")

		work, end, err := o.Account.Begin(t.Context(), account.Stops{Tokens: 1e6}, func(err error) {
			t.Errorf("the work ends: %v", err)
		})
		if err != nil {
			t.Fatal(err)
		}
		defer end()

		if _, err := newPolicy(t, o).Propose(work, request(0, 1)); err != nil || work.Err() != nil {
			t.Errorf("error %v, of the work %v", err, work.Err())
		}

		if u := o.Account.Total(); u.Calls != 1 || u.Untold != 0 {
			t.Errorf("%+v, want the one call that has a text", u)
		}
	})
}

// named is a backend whose replies bear names, of which it knows its own.
type named struct {
	*spoiling
	own []string
}

func (n named) Serves(_ context.Context, name string) (bool, error) {
	for _, own := range n.own {
		if name == own {
			return true, nil
		}
	}

	return false, nil
}

// answering is a named backend that answers under a name.
func answering(address string, name func(asked int64) string, own ...string) named {
	return named{&spoiling{
		next: &echo{address: address},
		change: func(asked int64, _ server.Completion, r *server.Reply) {
			r.Model = name(asked)
			if r.Model == "other" {
				r.Choices[0].Text = "another model's"
			}
		},
	}, own}
}

// What another model wrote is never a proposal. A server that changes its model is set aside like
// one that is gone, and is used again when it has the model back.
func TestAnotherModel(t *testing.T) {
	const requests, n = 60, 2
	want := all(t, newPolicy(t, options(&echo{address: "a"})), requests, 1, n)
	ours, theirs := func(int64) string { return "m" }, func(int64) string { return "other" }

	for _, test := range []struct {
		name   string
		a, b   named
		faults bool
	}{
		{"its own name", answering("a", ours, "m"), answering("b", ours, "m"), false},
		{"no name", answering("a", func(int64) string { return "" }, "m"), answering("b", ours, "m"), false},
		{"an alias", answering("a", func(int64) string { return "alias" }, "m", "alias"), answering("b", ours, "m"),
			false},
		{"another from the beginning", answering("a", theirs, "m"), answering("b", ours, "m"), true},
		{"another after a while", answering("a", func(asked int64) string {
			if asked > 20 && asked < 30 {
				return "other"
			}
			return "m"
		}, "m"), answering("b", ours, "m"), true},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPolicy(t, options(test.a, test.b))
			for i, got := range all(t, p, requests, 4, n) {
				for j := range got {
					if got[j] != want[i][j] {
						t.Fatalf("%s: request %d, sample %d is %+v", test.name, i, j, got[j])
					}
				}
			}

			s := p.Snapshot()
			if faults := s.Faults["another model"] > 0; faults != test.faults ||
				s.Transient != s.Faults["another model"] {
				t.Errorf("%s: faults %v", test.name, s.Faults)
			}

			if test.faults && s.Failovers == 0 {
				t.Errorf("%s: no request went to the other server", test.name)
			}
		})
	}
}

// One reply of another model is enough: nothing more is asked of that server at once.
func TestAnotherModelIsNotAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := answering("a", func(int64) string { return "other" }, "m")
		p := newPolicy(t, options(other, &echo{address: "b"}))
		all(t, p, 30, 1, 1)

		if n := other.asked.Load(); n != 1 {
			t.Errorf("it was asked %d times", n)
		}
	})
}

// A run is told at its start of a server that it cannot use, and of nothing else.
func TestGreet(t *testing.T) {
	fails := func(every bool, f *server.Fault) func(context.Context, server.Completion) error {
		asked := 0
		return func(context.Context, server.Completion) error {
			if asked++; every || asked == 1 {
				return f
			}
			return nil
		}
	}
	atFirst := func(asked int64) string {
		if asked == 1 {
			return "other"
		}
		return "m"
	}

	noEnd := &server.Fault{Kind: server.Transient, Address: "a", Status: 200, Err: server.ErrNoEnd}
	for _, test := range []struct {
		name    string
		backend server.Backend
		want    string // in the error; "" is none
	}{
		{"well", &echo{address: "a"}, ""},
		{"passing", &echo{address: "a", before: fails(false, &server.Fault{Kind: server.Transient, Status: 503})}, ""},
		{"lasting", &echo{address: "a", before: fails(true, &server.Fault{Kind: server.Transient, Status: 503})}, ""},
		{"refused", &echo{address: "a", before: fails(true, &server.Fault{Kind: server.Refused, Status: 401})}, "401"},
		{"bad request", &echo{
			address: "a",
			before:  fails(true, &server.Fault{Kind: server.BadRequest, Status: 422}),
		}, "422"},
		{"a parameter that is set", &echo{address: "a", before: fails(true, &server.Fault{
			Kind: server.BadRequest, Status: 400, Message: "temperature: only 1 is supported",
		})}, "server.leave_out: [temperature]"},
		{"no end, once", &echo{address: "a", before: fails(false, noEnd)}, ""},
		{"no end on any reply", &echo{address: "a", before: fails(true, noEnd)}, "server.ends"},
		{"another model", answering("a", func(int64) string { return "other" }, "m"), `"other"`},
		{"another model, once", answering("a", atFirst, "m"), ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			err := newPolicy(t, options(test.backend, &echo{address: "b"})).Greet(t.Context(), 5)
			if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error is %v", test.name, err)
			}
		})
	}
}

// A server that refuses what it took before is down, for as long as it does so: another one is
// asked, or, where there is none, the run waits.
func TestServerRefusesForAWhile(t *testing.T) {
	const requests, n = 60, 2

	want := all(t, newPolicy(t, options(&echo{address: "a"})), requests, 1, n)

	for _, fault := range []server.Fault{
		{Kind: server.Refused, Status: 404, Message: "default backend - 404"},
		{Kind: server.Refused, Status: 401, Message: "the token has expired"},
		{Kind: server.Refused, Status: 403},
		{Kind: server.BadRequest, Status: 400, Message: "Invalid model name passed"},
		{Kind: server.Refused, Message: "redirected"},
	} {
		for _, others := range [][]server.Backend{nil, {&echo{address: "b"}}} {
			synctest.Test(t, func(t *testing.T) {
				e := &echo{address: "a"}
				since := sync.OnceValue(time.Now)
				e.before = func(context.Context, server.Completion) error {
					if e.asked.Load() < 10 || time.Since(since()) > 30*time.Second {
						return nil
					}
					return &fault
				}

				p := newPolicy(t, options(append([]server.Backend{e}, others...)...))
				for i, got := range all(t, p, requests, 4, n) {
					for j := range got {
						if got[j] != want[i][j] {
							t.Fatalf("%v: request %d gives %+v", &fault, i, got[j])
						}
					}
				}

				if s := p.Snapshot(); len(others) > 0 && s.Failovers == 0 || s.Faults[""] > 0 {
					t.Errorf("%v: %d failovers, faults %v", &fault, s.Failovers, s.Faults)
				}
			})
		}
	}
}

// Where a server refuses for longer than the patience what it took before, the run ends.
func TestServerRefusesForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &echo{address: "a"}
		e.before = func(context.Context, server.Completion) error {
			if e.asked.Load() > 10 {
				return &server.Fault{Kind: server.Refused, Address: "a", Status: 404, Message: "no such model"}
			}
			return nil
		}

		start, p := time.Now(), newPolicy(t, options(e))

		var err error
		for i := 0; err == nil; i++ {
			_, err = p.Propose(t.Context(), request(i, 2))
		}

		var gone *server.GoneError
		if waited := time.Since(start); !errors.As(err, &gone) || !isRefused(err) ||
			waited < server.DefaultPatience {
			t.Errorf("after %v: %v", waited, err)
		}
	})
}
