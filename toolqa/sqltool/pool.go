package sqltool

import (
	"context"
	"errors"
	"sync"

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
}

func newPool(conns int, open func() (*conn, error)) *pool {
	return &pool{open: open, slots: make(chan struct{}, conns), idle: make(chan *conn, conns), closed: make(chan struct{})}
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
func (p *pool) give(c *conn) { p.idle <- c }

// close waits for the connections that are taken and closes all.
func (p *pool) close() (err error) {
	p.shut.Do(func() {
		close(p.closed)
		for range cap(p.slots) {
			select {
			case c := <-p.idle:
				err = errors.Join(err, c.close())
			case p.slots <- struct{}{}: // there is no such connection
			}
		}
	})
	return err
}
