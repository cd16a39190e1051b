package forkserver

import (
	"context"
	"sync"
)

// starts is how often in a row a server is started before that is an error.
const starts = 3

// want is a caller who wants to borrow a server.
type want struct {
	lend chan<- lease
	gone <-chan struct{} // closed when the caller no longer waits
}

// lease is a server lent for one call. Its holder sends on back whether the server is still good.
type lease struct {
	server *server
	back   chan<- bool
	err    error // why there is no server; nothing is to be given back then
}

// keeper owns one server at a time.
type keeper struct {
	start   starter
	recycle int

	server *server      // nil after one broke
	calls  int          // of the server
	next   chan *server // the one that is being started in its place, nil if none is; brings nil if that failed
	wg     sync.WaitGroup
}

// run lends the server until the end of life, and then ends it.
func (k *keeper) run(life context.Context, wants <-chan want) {
	defer k.end()

	back := make(chan bool)

	for life.Err() == nil {
		select {
		case <-life.Done():
		case s := <-k.next:
			k.replace(s)
		case w := <-wants:
			k.serve(life, w, back)
		}
	}
}

// serve lends the server to a caller, and has another one when it comes back broken.
func (k *keeper) serve(life context.Context, w want, back chan bool) {
	if err := k.ready(life); err != nil {
		select {
		case w.lend <- lease{err: err}:
		case <-w.gone:
		}

		return
	}

	select {
	case w.lend <- lease{server: k.server, back: back}:
	case <-w.gone:
		return
	}

	var good bool
	select {
	case good = <-back:
	case <-life.Done():
		k.server.Kill()
		<-back
	}

	if !good {
		k.server.End()
		k.server = nil
		k.ready(life) // at once, so that the next call need not wait; if it fails, that call tries again

		return
	}

	k.calls++
	if k.calls >= k.recycle && k.next == nil {
		next := make(chan *server, 1)
		k.next = next
		k.wg.Go(func() {
			s, _ := k.start(life, life)
			next <- s
		})
	}
}

// ready sees to it that there is a server.
func (k *keeper) ready(life context.Context) error {
	if k.server == nil && k.next != nil {
		k.replace(<-k.next)
	}
	var err error

	for try := 0; k.server == nil && try < starts && life.Err() == nil; try++ {
		k.calls = 0
		k.server, err = k.start(life, life)
	}

	if k.server == nil && err == nil {
		err = errClosed
	}

	return err
}

// replace puts a new server in the place of the one before. If there is none, the old one serves on, and the next is
// tried after as many calls again.
func (k *keeper) replace(s *server) {
	k.next, k.calls = nil, 0

	if s == nil {
		return
	}

	if k.server != nil {
		k.server.End()
	}

	k.server = s
}

func (k *keeper) end() {
	k.wg.Wait()

	if k.next != nil {
		if s := <-k.next; s != nil {
			s.End()
		}
	}

	if k.server != nil {
		k.server.End()
	}
}
