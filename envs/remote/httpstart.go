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

// httpInstance is an instance of a service, or one that runs. It implements [Instance].
type httpInstance struct {
	*httpSource
	programs

	address string        // HOST:PORT of one that was started
	ended   chan struct{} // closed when it has; nil of one that runs
	stop    context.CancelFunc
	cmd     *exec.Cmd

	own []string // what no other one has, and what is shown for it

	client http.Client
	nonce  string // no other instance's
	calls  int
}

// inUse is set as long as there is an instance of a service that has only one.
type inUse = atomic.Bool

// Start implements [Source].
func (s *httpSource) Start(ctx context.Context) (Instance, error) {
	if s.Most() == 1 && s.inUse.Swap(true) {
		return nil, errors.New("the service runs and is reset: there can be only one instance at a time")
	}

	i := &httpInstance{httpSource: s, nonce: rand.Text()}
	i.client = http.Client{Transport: s.Transport, CheckRedirect: i.checkRedirect}
	i.said.Max = mostSaid

	if err := i.begin(ctx); err != nil {
		closed := i.Close() // all is said
		return nil, errors.Join(fmt.Errorf("%w%s", err, i.hide(i.last())), closed)
	}
	return i, nil
}

// begin brings the instance to where every task begins.
func (i *httpInstance) begin(ctx context.Context) error {
	if err := i.settle(ctx); err != nil {
		return err
	}

	// A folder is filled before anybody looks into it.
	if len(i.ResetCommand) > 0 {
		if err := i.command(ctx, i.ResetCommand).Run(); err != nil {
			return fmt.Errorf("reset by %s: %w", strings.Join(i.ResetCommand, " "), err)
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
	o, err := i.fixed(i.Reset)
	if err != nil {
		return err
	}

	a, err := i.exchange(ctx, request{Operation: o})
	if err == nil && a.status >= http.StatusBadRequest {
		err = errors.New(i.answered(a))
	}

	if err != nil {
		return fmt.Errorf("reset the service: %w", err)
	}
	return nil
}

// fixed is the operation of a request without arguments, such as "POST /reset".
func (i *httpInstance) fixed(request string) (openapi.Operation, error) {
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

// ports are those of instances that this process has started: a port that is free belongs to no
// other that has not come to listen yet.
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

// settle gives the instance an address and a folder, as far as it needs them.
func (i *httpInstance) settle(ctx context.Context) (err error) {
	i.environment = i.Environment
	i.secrets = slices.Compact(slices.Sorted(maps.Values(i.Secrets)))

	if i.usesDir() {
		if err := i.makeDir(); err != nil {
			return err
		}

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

// usesDir reports whether an instance has a folder.
func (h *HTTP) usesDir() bool {
	texts := slices.AppendSeq(slices.Concat(h.Command, h.ResetCommand), maps.Values(h.Environment))
	return strings.Contains(strings.Join(texts, " "), dirWord)
}

// launch starts the command.
func (i *httpInstance) launch(ctx context.Context) error {
	// Whatever becomes of this process, no service is left, nor anything that it has started.
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

// How long a service that is not ready is left alone: first, and at most.
const (
	firstGlance = 10 * time.Millisecond
	lastGlance  = 500 * time.Millisecond
)

// glanceTime is how long one that begins may think about whether it is ready: what it was asked too
// early, it may never answer.
const glanceTime = 10 * time.Second

// await waits until the service is ready.
func (i *httpInstance) await(ctx context.Context) error {
	if i.Ready == "" && i.address == "" {
		return nil
	}

	ready, err := i.fixed("GET " + i.Ready)
	if err != nil {
		return err
	}

	ready.Secrets = nil

	for pause := firstGlance; ; pause = min(2*pause, lastGlance) {
		err := i.glance(ctx, ready)
		if err == nil {
			return nil
		}

		if ended := i.pause(ctx, pause); ended != nil {
			return fmt.Errorf("%w: %w", ended, err)
		}
	}
}

// glance looks whether the service is ready: whether it answers, or at least somebody listens.
func (i *httpInstance) glance(ctx context.Context, ready openapi.Operation) error {
	ctx, cancel := context.WithTimeout(ctx, glanceTime)
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

// pause waits, or returns why that makes no sense any more.
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
