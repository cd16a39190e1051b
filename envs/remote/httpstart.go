package remote

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"toolevo/envs/keeper"
	"toolevo/envs/remote/openapi"
)

// httpInstance is an instance of a service, started or found running. It implements [Instance].
type httpInstance struct {
	*httpSource
	programs

	address string        // HOST:PORT of one that was started
	ended   chan struct{} // closed when it has ended; nil if it ran already
	stop    context.CancelFunc
	cmd     *exec.Cmd

	own []string // pairs: what only this one has, and what is shown for it

	client http.Client
	nonce  string // unlike any other instance's
	calls  int
}

// inUse is set while the only instance of a service exists.
type inUse = atomic.Bool

// Start implements [Source].
func (s *httpSource) Start(ctx context.Context) (Instance, error) {
	if s.Most() == 1 && s.inUse.Swap(true) {
		return nil, errors.New("the service runs and is reset: there can be only one instance " +
			"at a time")
	}

	i := &httpInstance{httpSource: s, nonce: rand.Text()}
	i.client = http.Client{Transport: s.Transport, CheckRedirect: i.checkRedirect}
	i.said.Max = mostSaid

	if err := i.begin(ctx); err != nil {
		closed := i.Close() // all is said
		return nil, errors.Join(fmt.Errorf("%w%s", err, i.lastOutput()), closed)
	}
	return i, nil
}

// begin brings the instance to where every task begins.
func (i *httpInstance) begin(ctx context.Context) error {
	if err := i.allocate(ctx); err != nil {
		return err
	}

	// The folder is filled before the service looks into it.
	if len(i.ResetCommand) > 0 {
		if err := i.runReset(ctx, i.ResetCommand, ""); err != nil {
			return err
		}
	}

	if len(i.Command) > 0 {
		if err := i.launch(ctx); err != nil {
			return fmt.Errorf("start the service by %s: %w", strings.Join(i.Command, " "), err)
		}
	}

	if err := i.await(ctx); err != nil {
		return fmt.Errorf("wait for the service: %w", err)
	}

	if i.Reset == "" {
		return nil
	}
	return i.reset(ctx)
}

func (i *httpInstance) reset(ctx context.Context) error {
	o, err := i.fixedRequest(i.Reset)
	if err != nil {
		return err
	}

	a, err := i.exchange(ctx, request{Operation: o})
	if err == nil && a.status >= http.StatusBadRequest {
		err = errors.New(i.describeAnswer(a))
	}

	if err != nil {
		return fmt.Errorf("reset the service: %w", err)
	}
	return nil
}

// fixedRequest returns the operation of a request without arguments, such as "POST /reset".
func (i *httpInstance) fixedRequest(request string) (openapi.Operation, error) {
	o := i.home
	o.Method, o.Path, _ = strings.Cut(request, " ")
	o.Path, o.Query, _ = strings.Cut(o.Path, "?")

	at, err := url.Parse(i.base(o.Server))
	if err != nil {
		return o, err
	}

	o.Server = at.Scheme + "://" + at.Host
	return o, nil
}

// ports are those of the instances that this process has started: a port that looks free may belong
// to one that does not listen yet.
var ports sync.Map

func freeAddress(ctx context.Context) (string, error) {
	for {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return "", err
		}

		address := l.Addr().String()
		_ = l.Close()

		if _, taken := ports.LoadOrStore(address, true); !taken {
			return address, nil
		}
	}
}

// allocate gives the instance an address and a folder if it needs them.
func (i *httpInstance) allocate(ctx context.Context) (err error) {
	i.environment = i.Environment

	// Two schemes may share a variable, which commands get once.
	i.secrets = slices.Compact(slices.Sorted(maps.Values(i.Secrets)))

	if len(i.Command) > 0 || len(i.ResetCommand) > 0 {
		if err := i.checkSecrets(); err != nil {
			return err
		}
	}

	if i.usesDir() {
		if err := i.makeDir(); err != nil {
			return err
		}

		// No two instances have the same folder, so agents see the word for it.
		i.own = append(i.own, i.dir, dirWord)
	}

	if len(i.Command) > 0 {
		if i.address, err = freeAddress(ctx); err != nil {
			return err
		}

		// Answers show the document's host in place of the address, so all instances read alike.
		shown := "localhost"
		if at, err := url.Parse(i.home.Server); err == nil {
			shown = cmp.Or(at.Host, shown)
		}

		i.own = append(i.own, i.address, shown)
	}

	_, port, _ := strings.Cut(i.address, ":")
	i.words = strings.NewReplacer(dirWord, i.dir, addressWord, i.address, portWord, port)
	return nil
}

// usesDir reports whether an instance needs a folder.
func (h *HTTP) usesDir() bool {
	texts := slices.AppendSeq(slices.Concat(h.Command, h.ResetCommand), maps.Values(h.Environment))
	return strings.Contains(strings.Join(texts, " "), dirWord)
}

// launch starts the command.
func (i *httpInstance) launch(ctx context.Context) error {
	// Whatever happens to this process, neither the service nor anything that it started is left.
	lives, stop := context.WithCancel(context.WithoutCancel(ctx))
	i.cmd = i.command(lives, keeper.Command(keeper.OwnBinary, grace, i.Command))
	i.cmd.Stdout = i.cmd.Stderr
	i.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	i.cmd.Cancel = func() error { return syscall.Kill(-i.cmd.Process.Pid, syscall.SIGTERM) }
	i.cmd.WaitDelay = 2 * grace

	if err := i.cmd.Start(); err != nil {
		stop()
		return err
	}

	i.stop, i.ended = stop, make(chan struct{})

	go func() {
		_ = i.cmd.Wait() // cmd.ProcessState has it
		close(i.ended)
	}()
	return nil
}

// How long to wait before a service that is not ready is probed again: first, and at most.
const (
	firstProbePause   = 10 * time.Millisecond
	longestProbePause = 500 * time.Millisecond
)

// probeTimeout is how long a starting service may take to say whether it is ready: if it is asked
// too early, it may never answer.
const probeTimeout = 10 * time.Second

// await waits until the service is ready.
func (i *httpInstance) await(ctx context.Context) error {
	if i.Ready == "" && i.address == "" {
		return nil
	}

	ready, err := i.fixedRequest("GET " + i.Ready)
	if err != nil {
		return err
	}

	ready.Secrets = nil

	for pause := firstProbePause; ; pause = min(2*pause, longestProbePause) {
		err := i.probe(ctx, ready)
		if err == nil {
			return nil
		}

		if ended := i.pause(ctx, pause); ended != nil {
			return fmt.Errorf("%w: %w", ended, err)
		}
	}
}

// probe checks whether the service is ready: whether it answers, or at least listens.
func (i *httpInstance) probe(ctx context.Context, ready openapi.Operation) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()

	if i.Ready != "" {
		_, err := i.attempt(ctx, &request{Operation: ready})
		return err
	}

	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", i.address)
	if err == nil {
		_ = connection.Close()
	}
	return err
}

// pause waits, or returns why there is nothing left to wait for.
func (i *httpInstance) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-i.ended:
		return fmt.Errorf("the service has ended: %v", i.cmd.ProcessState)
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Close implements [Instance].
func (i *httpInstance) Close() error {
	if i.stop != nil {
		i.stop()
		<-i.ended
	}

	i.client.CloseIdleConnections()
	ports.Delete(i.address)

	if i.Most() == 1 {
		i.inUse.Store(false)
	}
	return i.programs.remove()
}
