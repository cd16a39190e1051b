package server

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// An asker waits for a server that is away, and gives up a request at which a server fails that
// answers what it answered before.
func TestAsker(t *testing.T) {
	var (
		garbled = &Fault{Kind: Transient, Status: 200, Message: "garbled"}
		away    = &Fault{Kind: Transient, Message: "away"}
		busy    = &Fault{Kind: Transient, Status: 429, RetryAfter: 20 * time.Second}
		refused = &Fault{Kind: Refused, Status: 401}
		bad     = &Fault{Kind: BadRequest, Status: 400}
		other   = errors.New("no fault")
	)

	const ever = 99

	given := new(*RequestError)
	gone := new(*GoneError)
	retry := Retry{Attempts: 3, Base: time.Second, Max: 4 * time.Second, Patience: time.Minute}
	for _, tt := range []struct {
		name        string
		retry       Retry
		faults      []error // of the first tries; the last one of all further ones if there are ever tries
		known       error   // the fault of the known request
		tries       int
		want        error
		as          any
		least, most time.Duration // how long it takes
	}{
		{"at once", retry, nil, nil, 1, nil, nil, 0, 0},
		{"garbled twice", retry, []error{garbled, garbled}, nil, 3, nil, nil, 1500 * time.Millisecond, 3 * time.Second},
		{"garbled thrice", retry, []error{garbled, garbled, garbled}, nil, 3, garbled, given, 1500 * time.Millisecond,
			3 * time.Second},
		{"refused", retry, []error{refused}, refused, 1, refused, nil, 0, 0},
		{"bad", retry, []error{bad}, nil, 1, bad, given, 0, 0},
		{"all is bad", retry, []error{bad}, bad, 1, nil, nil, 0, 0},
		{"no fault", retry, []error{other}, nil, 1, other, nil, 0, 0},
		{"away", retry, []error{away}, away, ever, away, gone, time.Minute, time.Minute + 4*time.Second},
		{"busy", retry, []error{busy}, nil, 2, nil, nil, 20 * time.Second, 20 * time.Second},
		{"busy, without patience", Retry{Attempts: 3, Patience: -1}, []error{busy}, nil, 2, nil, nil,
			20 * time.Second, 20 * time.Second},
		{"without patience", Retry{Attempts: 1, Patience: -1}, []error{away}, away, 1, away, gone, 0, 0},
		{"by default", Retry{}, []error{garbled, garbled}, nil, 3, nil, nil, 375 * time.Millisecond,
			750 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, tries := time.Now(), 0
				err := NewAsker("a", tt.retry, nil).Ask(t.Context(), Query{
					Key: "x",
					Send: func(context.Context) error {
						tries++
						switch {
						case tries <= len(tt.faults):
							return tt.faults[tries-1]
						case tt.tries == ever:
							return tt.faults[len(tt.faults)-1]
						}

						return nil
					},
					Known: func(context.Context) error { return tt.known },
				})

				took := time.Since(start)
				if tt.want != nil && !errors.Is(err, tt.want) || tt.tries != ever && tries != tt.tries ||
					took < tt.least || took > tt.most {
					t.Errorf("%v after %d tries in %v; want %v after %d in %v to %v", err, tries, took, tt.want,
						tt.tries, tt.least, tt.most)
				}

				if isGiven, isGone := errors.As(err, given), errors.As(err, gone); isGiven != (tt.as == any(given)) ||
					isGone != (tt.as == any(gone)) {
					t.Errorf("error %v (%T)", err, err)
				}
			})
		})
	}
}

// A server that is away for a while answers the request that waited for it, whatever it failed at
// before.
func TestAskerWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		back := time.Now().Add(10 * time.Minute)
		away := func(context.Context) error {
			if time.Now().Before(back) {
				return &Fault{Kind: Transient, Status: 503}
			}
			return nil
		}

		err := NewAsker("a", Retry{}, nil).Ask(t.Context(), Query{Key: "x", Send: away, Known: away})
		if late := time.Since(back); err != nil || late < 0 || late > time.Minute {
			t.Errorf("%v, %v after it was back", err, late)
		}
	})
}

func TestAskerEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()

		away := func(context.Context) error { return &Fault{Kind: Transient} }

		err := NewAsker("a", Retry{Patience: time.Hour}, nil).Ask(ctx, Query{Key: "x", Send: away, Known: away})
		if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "tried") {
			t.Errorf("error %v, want the context's", err)
		}
	})
}
