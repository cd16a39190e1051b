package remote

import (
	"context"
	"errors"
	"time"
)

// spare is an instance that is started before anybody needs it: a server takes a second or more to
// start, and a model as long to say what is called next.
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

// take waits for the instance, which is the caller's. The error is that of starting it, or of ctx,
// after which there is no instance.
func (s *spare) take(ctx context.Context) (Instance, error) {
	select {
	case <-s.done:
		s.stop()
		return s.instance, s.err
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), s.end())
	}
}

// end gives up an instance that nobody has taken. A nil spare has none.
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
