package remote

import (
	"context"
	"errors"
	"time"
)

// spare is an instance started before it is needed: a server takes a second or more to start, and a
// model about as long to choose the next call.
type spare struct {
	stop context.CancelFunc
	done chan struct{} // is closed once the others are set

	instance Instance
	err      error
}

// prepare begins to start an instance.
func prepare(source Source, patience time.Duration) *spare {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	s := &spare{stop: stop, done: make(chan struct{})}

	go func() {
		defer close(s.done)
		s.instance, s.err = source.Start(ctx)
	}()
	return s
}

// take waits for the instance and hands it to the caller. The error is that of starting it, or of
// ctx, which gives the instance up.
func (s *spare) take(ctx context.Context) (Instance, error) {
	select {
	case <-s.done:
		s.stop()
		return s.instance, s.err
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), s.end())
	}
}

// end closes an instance that nobody has taken. A nil spare has nothing to close.
func (s *spare) end() error {
	if s == nil {
		return nil
	}

	s.stop()
	<-s.done

	if s.err != nil {
		return nil
	}
	return s.instance.Close()
}
