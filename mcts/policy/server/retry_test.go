package server

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestRetryDo(t *testing.T) {
	var (
		garbled = &Fault{Kind: Transient, Status: 200, Message: "garbled"}
		away    = &Fault{Kind: Transient, Message: "away"}
		busy    = &Fault{Kind: Transient, Status: 429, RetryAfter: 20 * time.Second}
		refused = &Fault{Kind: Refused, Status: 401}
		other   = errors.New("no fault")
	)
	const ever = 99

	retry := Retry{Attempts: 3, Base: time.Second, Max: 4 * time.Second, Patience: time.Minute}
	for _, tt := range []struct {
		name        string
		retry       Retry
		faults      []error // of the first tries; the last one of all further ones if there are ever tries
		tries       int
		want        error
		least, most time.Duration // how long it takes
	}{
		{"at once", retry, nil, 1, nil, 0, 0},
		{"garbled twice", retry, []error{garbled, garbled}, 3, nil, 1500 * time.Millisecond, 3 * time.Second},
		{"garbled thrice", retry, []error{garbled, garbled, garbled}, 3, garbled, 1500 * time.Millisecond,
			3 * time.Second},
		{"refused", retry, []error{refused}, 1, refused, 0, 0},
		{"no fault", retry, []error{other}, 1, other, 0, 0},
		{"away for a while, which is no attempt", retry, []error{away, away, away, away, away, garbled, garbled}, 8,
			nil, 11 * time.Second, 24 * time.Second},
		{"away", retry, []error{away}, ever, away, time.Minute, time.Minute + 4*time.Second},
		{"busy", retry, []error{busy}, 2, nil, 20 * time.Second, 20 * time.Second},
		{"without patience", Retry{Patience: -1}, []error{away}, 1, away, 0, 0},
		{"by default", Retry{}, []error{garbled, garbled}, 3, nil, 375 * time.Millisecond, 750 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, tries := time.Now(), 0
				err := tt.retry.Do(t.Context(), 1, func() error {
					tries++
					switch {
					case tries <= len(tt.faults):
						return tt.faults[tries-1]
					case tt.tries == ever:
						return tt.faults[len(tt.faults)-1]
					}

					return nil
				})

				took := time.Since(start)
				if !errors.Is(err, tt.want) || tt.tries != ever && tries != tt.tries || took < tt.least ||
					took > tt.most {
					t.Errorf("%v after %d tries in %v; want %v after %d in %v to %v", err, tries, took, tt.want,
						tt.tries, tt.least, tt.most)
				}

				var gone *GoneError
				if errors.As(err, &gone) != (tt.want == error(away)) {
					t.Errorf("error %v (%T)", err, err)
				}
			})
		})
	}
}

func TestRetryDoEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()

		err := Retry{Patience: time.Hour}.Do(ctx, 1, func() error { return &Fault{Kind: Transient} })
		if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "attempts") {
			t.Errorf("error %v, want the context's", err)
		}
	})
}
