package server

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Do calls try until it succeeds or fails with anything but a transient [*Fault], for examinations,
// which want to know what a server does, and not whose fault it is. One that is there is asked
// Attempts times; one that is not is waited for, and the error is a [*GoneError] once Patience is
// over. Zero values mean the defaults. The error is the context's when that ends while nobody is
// asked. Requests that fail together have different seeds, so that they do not come back all at
// once.
func (r Retry) Do(ctx context.Context, seed uint64, try func() error) error {
	r = r.withDefaults()
	var gone time.Time // zero while the server is there
	counted := 0

	for sent := 1; ; sent++ {
		err := try()

		var fault *Fault
		if err == nil || !errors.As(err, &fault) || fault.Kind != Transient {
			return err
		}

		switch {
		case !fault.absent():
			gone = time.Time{}

			if counted++; counted >= r.Attempts {
				return fmt.Errorf("after %d attempts: %w", sent, err)
			}
		case gone.IsZero():
			gone = time.Now()
		}

		if !gone.IsZero() && time.Since(gone) >= r.Patience {
			return &GoneError{Servers: 1, Since: gone, Patience: max(r.Patience, 0), Last: fault}
		}

		if err := wait(ctx, r.pause(sent-1, seed+uint64(sent), fault)); err != nil {
			return err
		}
	}
}
