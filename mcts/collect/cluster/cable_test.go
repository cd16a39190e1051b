package cluster_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// cable carries connections to a server, until it is cut: then nothing arrives any more, and nobody
// is told.
type cable struct {
	address string

	mu   sync.Mutex
	open *sync.Cond
	cuts bool
}

func newCable(t *testing.T, server string) *cable {
	t.Helper()

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })

	c := &cable{address: l.Addr().String()}
	c.open = sync.NewCond(&c.mu)

	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}

			to, err := net.Dial("tcp", server)
			if err != nil {
				_ = from.Close()
				continue
			}

			go c.carry(to, from)
			go c.carry(from, to)
		}
	}()
	return c
}

// carry copies from one connection to another, while the cable is whole.
func (c *cable) carry(to io.WriteCloser, from io.ReadCloser) {
	defer func() { _, _ = to.Close(), from.Close() }()

	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)

		c.mu.Lock()
		for c.cuts {
			c.open.Wait()
		}
		c.mu.Unlock()

		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}

		if err != nil {
			return
		}
	}
}

func (c *cable) cut() { c.set(true) }

func (c *cable) mend() { c.set(false) }

func (c *cable) set(cuts bool) {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.cuts = cuts
	c.open.Broadcast()
}
