package sqltool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mattn/go-sqlite3"
)

// conn is a connection, with what its statements may take and what its functions share.
type conn struct {
	*sqlite3.SQLiteConn
	budget   *budget
	calendar *calendar
	room     *room
}

// close releases all of it.
func (c *conn) close() error {
	err := errors.Join(c.SQLiteConn.Close(), c.calendar.Close())
	c.budget.free()
	return err
}

var errClosed = errors.New("sqltool: the tool is closed")

// pool is a number of connections, each opened when it is first needed.
type pool struct {
	open  func() (*conn, error)
	slots chan struct{} // one for each connection there is
	idle  chan *conn

	shut   sync.Once
	closed chan struct{}

	mu   sync.Mutex
	left bool // close has given up: what is given back is closed at once
}

func newPool(conns int, open func() (*conn, error)) *pool {
	return &pool{
		open:   open,
		slots:  make(chan struct{}, conns),
		idle:   make(chan *conn, conns),
		closed: make(chan struct{}),
	}
}

// take returns a connection that nobody else has until it is given back.
func (p *pool) take(ctx context.Context) (*conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	select {
	case <-p.closed:
		return nil, errClosed
	case c := <-p.idle:
		return c, nil
	default:
	}

	select {
	case <-p.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	case c := <-p.idle:
		return c, nil
	case p.slots <- struct{}{}:
	}

	c, err := p.open()
	if err != nil {
		<-p.slots
		return nil, err
	}

	return c, nil
}

// give takes a connection back.
func (p *pool) give(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.left {
		c.close() // nobody is left to tell
		return
	}

	p.idle <- c
}

// close waits for the connections that are taken, for so long at most, and closes all. One that comes back
// later is closed then.
func (p *pool) close(most time.Duration) (err error) {
	p.shut.Do(func() {
		close(p.closed)

		late := time.NewTimer(most)
		defer late.Stop()

		for n := range cap(p.slots) {
			select {
			case c := <-p.idle:
				err = errors.Join(err, c.close())
			case p.slots <- struct{}{}: // there is no such connection
			case <-late.C:
				err = errors.Join(err, p.leave(cap(p.slots)-n, most))
				return
			}
		}
	})

	return err
}

// leave closes, of a number of connections, those that have come back, and leaves the others to whoever has them.
func (p *pool) leave(n int, waited time.Duration) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.left = true

	for ; n > 0; n-- {
		select {
		case c := <-p.idle:
			err = errors.Join(err, c.close())
		case p.slots <- struct{}{}:
		default:
			return errors.Join(err, fmt.Errorf("sqltool: close: statements that run %v after they were to end: %d: "+
				"the disk may be slow; their connections are closed when they end", waited, n))
		}
	}

	return err
}
