package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"toolevo/envs/console"
)

// Door is where a server listens, and whether clients need a key.
type Door struct {
	Listen     string // HOST:PORT; before Key also PORT
	RequireKey bool   // even where only this machine can reach the server
	Variable   string // of the environment, which has the key

	// Session marks the context of a connection; nil leaves it as it is.
	Session func(context.Context) context.Context
}

// Key returns the key that clients have to send, "" for none, and completes the address. A server
// that other machines can reach has one.
func (d *Door) Key(p *console.Program) (string, error) {
	key := p.Lookup(d.Variable)

	address, open := ParseAddress(d.Listen)
	if address != "" {
		d.Listen = address
	}

	switch {
	case open != nil && !errors.Is(open, ErrOpen):
		return "", console.Option("listen", "%w", open)
	case open != nil && key == "":
		return "", console.Option("listen", "%s: %w: set %s, which clients then have to send",
			d.Listen, open,
			d.Variable)
	case open == nil && !d.RequireKey:
		return "", nil
	case key == "":
		return "", console.Option("require-key", "%s is not set", d.Variable)
	}

	d.RequireKey = true
	return key, nil
}

// SayKey says that the server asks for a key, if it does.
func (d *Door) SayKey(p *console.Program) {
	if d.RequireKey {
		p.Say("It asks for the key in %s.", d.Variable)
	}
}

// The times that clients have. A call may take as long as the model does.
const (
	readTime  = time.Minute
	idleTime  = 2 * time.Minute
	graceTime = 10 * time.Second // for calls that are being answered when the server ends
)

// Serve serves until ctx ends, and finishes the calls in progress then. It introduces the server
// once it listens, and returns its address.
func (d *Door) Serve(
	ctx context.Context, p *console.Program, h http.Handler, introduce func(address string),
) (string, error) {
	bare, err := (&net.ListenConfig{}).Listen(ctx, "tcp", d.Listen)
	if err != nil {
		return "", console.GaveUp(console.Option("listen", "%w: name another address", err))
	}

	// Calls in progress do not notice that the server ends, unless they outlast the grace.
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()

	s := &http.Server{
		Handler: h, ReadHeaderTimeout: readTime, ReadTimeout: readTime, IdleTimeout: idleTime,
		BaseContext: func(net.Listener) context.Context { return calls },
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			if d.Session == nil {
				return ctx
			}
			return d.Session(ctx)
		},
	}
	address := "http://" + bare.Addr().String()
	introduce(address)

	ended := make(chan error, 1)
	go func() { ended <- s.Serve(&acceptor{Listener: bare, say: p.Say}) }()

	select {
	case err := <-ended:
		return address, console.GaveUp(err)
	case <-ctx.Done():
	}

	// Closing connections does not end their handlers; only the context does.
	if !shutDown(calls, s, h) {
		cancel()
		_ = s.Close()
	}
	<-ended

	return address, nil
}

// drainer is a handler with connections of its own, which end with ctx at the latest.
type drainer interface{ Drain(ctx context.Context) }

// shutDown gives calls some time to be answered, and reports whether all have been.
func shutDown(calls context.Context, s *http.Server, h http.Handler) bool {
	grace, end := context.WithTimeout(calls, graceTime)
	defer end()

	if d, ok := h.(drainer); ok {
		d.Drain(grace)
	}
	return s.Shutdown(grace) == nil
}

// acceptor is a listener that says when it cannot accept connections: net/http tries again without
// a word.
type acceptor struct {
	net.Listener
	say  func(format string, args ...any)
	said time.Time
}

// quietTime is how long an acceptor waits before it repeats that.
const quietTime = time.Minute

// Accept implements [net.Listener].
func (l *acceptor) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil || errors.Is(err, net.ErrClosed) || time.Since(l.said) < quietTime {
		return conn, err
	}

	l.said = time.Now()

	advice := ""
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		advice = "; raise their number (ulimit -n), or let fewer clients in"
	}

	l.say("No connection can be accepted: %v%s. Open ones continue, new ones wait.", err, advice)
	return conn, err
}

// Piped is a server that can also speak over a pipe.
type Piped interface {
	Stdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error
}

// Pipe serves over stdin and stdout until stdin is closed or ctx ends.
func Pipe(ctx context.Context, p *console.Program, s Piped) error {
	return console.GaveUp(s.Stdio(ctx, io.NopCloser(p.In), unclosed{p.Raw}))
}

// unclosed is an output that outlives its connection.
type unclosed struct{ io.Writer }

// Close implements [io.Closer].
func (unclosed) Close() error { return nil }
