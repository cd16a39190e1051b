package remote

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
)

// Source starts instances of tools.
type Source interface {
	// Start starts a fresh instance, in the state in which every task begins. An error is a
	// failure, and not the agent's mistake.
	Start(ctx context.Context) (Instance, error)
}

// Instance is a set of tools with a state of their own. One goroutine at a time uses it.
type Instance interface {
	// Call calls a tool. A tool that refuses, or cannot do what it is asked, is a result. An error
	// is a failure, and ends the instance.
	Call(ctx context.Context, tool string, args envs.Args) (envs.Result, error)
	Close() error
}

// Listener is an instance that is told each call on the way to its state, and the answer, instead
// of making the call again: what is made up is made up once.
type Listener interface {
	Instance

	Tell(tool string, args envs.Args, result envs.Result)
}

// Options say how a service is used.
type Options struct {
	// ReadsOnly reports whether a tool only reads.
	ReadsOnly func(tool string) bool

	// Shared says that all instances have one state, which nothing brings back. What was called
	// before is in it already, so no call of a log is made again.
	Shared bool

	Masks []Mask

	Most     int           // instances at the same time, at least 1
	Ahead    bool          // one more is started before it is needed
	Timeout  time.Duration // of one call; 0 sets no limit
	Patience time.Duration // for a source that cannot start an instance
}

// Mask is what a service cannot repeat, and what is compared and shown in its place.
type Mask struct {
	Pattern *regexp.Regexp
	With    string
}

// Service calls tools in the states that logs lead to. It is safe for concurrent use.
type Service struct {
	source Source
	o      Options
	inUse  chan struct{} // has room for as many as may be in use

	mu   sync.Mutex
	idle []*placed // the last one was used last
	open int       // idle or in use
	next *spare    // with Options.Ahead, once one was needed
}

// placed is an instance and the log of the state that it is in.
type placed struct {
	Instance

	at Log
}

// New returns the service of a source.
func New(source Source, o Options) *Service {
	return &Service{source: source, o: o, inUse: make(chan struct{}, o.Most)}
}

// Call calls a tool in the state that a log leads to, and returns the log of the state after it.
// The memory m, which may be nil, keeps answers.
func (s *Service) Call(
	ctx context.Context, m envs.Memory, at Log, tool string, args envs.Args,
) (Log, envs.Result, error) {
	next := at.with(tool, args)

	call := func() (envs.Result, error) { return s.call(ctx, next) }

	result, err := envs.Remembered(ctx, m, next.key, call)
	if err != nil || s.o.ReadsOnly(tool) {
		return at, result, err
	}

	next.result = result
	return Log{next}, result, nil
}

// Close ends all instances. None may be in use; a later call starts others.
func (s *Service) Close() error {
	s.mu.Lock()
	ahead := s.next
	s.next = nil
	s.mu.Unlock()
	return errors.Join(s.Retire(), ahead.end())
}

// Retire ends the instances that were used, so that the next call has a fresh one. None may be in
// use.
func (s *Service) Retire() error {
	s.mu.Lock()
	defer s.mu.Unlock()

	var all []error
	for _, p := range s.idle {
		all = append(all, p.Close())
	}

	s.open -= len(s.idle)
	s.idle = nil
	return errors.Join(all...)
}

// call makes a call in the state that it belongs to.
func (s *Service) call(ctx context.Context, next *entry) (envs.Result, error) {
	select {
	case s.inUse <- struct{}{}:
		defer func() { <-s.inUse }()
	case <-ctx.Done():
		return envs.Result{}, ctx.Err()
	}

	to := next.before
	if s.o.Shared {
		to = Log{}
	}

	p, err := s.take(ctx, to)
	if err != nil {
		return envs.Result{}, err
	}

	// An instance that answers differently than before is not in the state that the log is about.
	missing, _ := to.since(p.at)
	for _, again := range missing {
		if t, ok := p.Instance.(Listener); ok {
			t.Tell(again.tool, again.args, again.result)
			continue
		}

		now, err := s.ask(ctx, p, again)
		if err == nil && now != again.result {
			err = &Diverged{Tool: again.tool, Args: again.args, Was: again.result, Now: now}
		}

		if err != nil {
			return envs.Result{}, s.drop(p, err)
		}
	}

	result, err := s.ask(ctx, p, next)
	if err != nil {
		return envs.Result{}, s.drop(p, err)
	}

	// A call that only reads leaves the instance where it was.
	p.at = to
	if !s.o.Shared && !s.o.ReadsOnly(next.tool) {
		// Where others make the same call at the same time, one answer is kept, and only the
		// instance that gave it goes on.
		made := *next
		made.result = result
		p.at = Log{&made}

		if t, ok := p.Instance.(Listener); ok {
			t.Tell(next.tool, next.args, result)
		}
	}

	// Only an instance that has answered is used again: after a failure its state is not known.
	s.mu.Lock()
	s.idle = append(s.idle, p)
	s.mu.Unlock()
	return result, nil
}

// take returns the idle instance that has the fewest calls left to make for a log, or a fresh one.
func (s *Service) take(ctx context.Context, to Log) (*placed, error) {
	s.mu.Lock()

	// Of equals, the one used last is taken: the others age, and the oldest makes room below.
	best, least := -1, 0

	for i, p := range s.idle {
		if calls, ok := to.since(p.at); ok && (best < 0 || len(calls) <= least) {
			best, least = i, len(calls)
		}
	}

	if best >= 0 {
		p := s.idle[best]
		s.idle = slices.Delete(s.idle, best, best+1)
		s.mu.Unlock()
		return p, nil
	}

	// Idle instances are in the order of their last use, so the first has been unused the longest.
	var oldest *placed

	if s.open == s.o.Most {
		oldest, s.idle = s.idle[0], s.idle[1:]
	} else {
		s.open++
	}

	s.mu.Unlock()

	// Ending and starting programs takes long, and other callers must not wait for it.
	if oldest != nil {
		_ = oldest.Close() // its error matters to nobody: it is not used again
	}

	started, err := s.fresh(ctx)
	if err != nil {
		return nil, s.drop(nil, err)
	}
	return &placed{Instance: started}, nil
}

// fresh returns an unused instance, and begins to start the next one.
func (s *Service) fresh(ctx context.Context) (started Instance, err error) {
	s.mu.Lock()
	ahead := s.next
	s.next = nil
	s.mu.Unlock()

	if ahead != nil {
		started, err = ahead.take(ctx)
	}

	// What could not be started ahead may start now.
	if ahead == nil || err != nil && ctx.Err() == nil {
		started, err = s.start(ctx)
	}

	if err == nil && s.o.Ahead {
		s.mu.Lock()
		if s.next == nil {
			s.next = prepare(s.source, s.o.Patience)
		}
		s.mu.Unlock()
	}

	return started, err
}

// firstPause is how long to wait before a source that cannot start an instance is asked again. Each
// further wait is twice as long.
const firstPause = 100 * time.Millisecond

func (s *Service) start(ctx context.Context) (Instance, error) {
	ctx, cancel := context.WithTimeout(ctx, s.o.Patience)
	defer cancel()

	for pause := firstPause; ; pause *= 2 {
		started, err := s.source.Start(ctx)
		if err == nil {
			return started, nil
		}

		// What somebody has to mend is not waited for.
		if envs.IsFinal(err) {
			return nil, envs.Fail(envs.StageTool, "start the tools", err)
		}

		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, envs.Fail(envs.StageTool, "start the tools", err)
		}
	}
}

// drop gives up an instance after an error. p is nil if it did not start.
func (s *Service) drop(p *placed, err error) error {
	s.mu.Lock()
	s.open--
	s.mu.Unlock()

	if p != nil {
		_ = p.Close() // the first error says more
	}
	return err
}

// ask makes a call on an instance.
func (s *Service) ask(ctx context.Context, p *placed, e *entry) (envs.Result, error) {
	if s.o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.o.Timeout)
		defer cancel()
	}

	result, err := p.Call(ctx, e.tool, e.args)
	if err != nil {
		return result, envs.Fail(envs.StageTool, "call "+e.tool, err)
	}

	for _, m := range s.o.Masks {
		result.Observation = m.Pattern.ReplaceAllString(result.Observation, m.With)
	}
	return result, nil
}

// Diverged is the error of a call that was answered differently when it was made again.
type Diverged struct {
	Tool     string
	Args     envs.Args
	Was, Now envs.Result
}

const mostShown = 200 // columns of an answer in an error

// Error says what was called, and both answers.
func (d *Diverged) Error() string {
	return fmt.Sprintf("%s%s was answered %s, and the same call after the same calls now %s: mask "+
		"what changes by itself, or leave the tool out", d.Tool, pytext.JSON(d.Args),
		display.Line(d.Was.Observation, mostShown), display.Line(d.Now.Observation, mostShown))
}

// GivenUp implements what [envs.GivenUp] asks for: other questions may not meet such a call.
func (d *Diverged) GivenUp() string { return "a tool answers the same calls otherwise" }
