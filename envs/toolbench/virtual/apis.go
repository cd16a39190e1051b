package virtual

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/singleflight"

	"toolevo/envs"
	"toolevo/envs/toolbench"
)

// APIs answer calls from a cache, by a real backend, or by a simulator, in this order. They are
// safe for concurrent use.
type APIs struct {
	cache     *Cache              // nil keeps nothing
	backend   *Backend            // nil asks nobody
	simulator toolbench.Simulator // a *Model, the script, or nobody
	counts    *counts
	flight    singleflight.Group
}

// Options are what APIs are made of. The zero Options are the script, and no cache.
type Options struct {
	Cache   *Cache   // where answers are kept; nil for nowhere
	Backend *Backend // real APIs that are asked first; nil for none
	Model   *Model   // stands in for them; nil for the script

	// Unsimulated lets no script stand in for them: a call that is neither kept nor answered by the
	// backend fails with [ErrUnrecorded]. So agents meet nothing but what was recorded.
	Unsimulated bool
}

// New returns APIs.
func New(o Options) *APIs {
	a := &APIs{cache: o.Cache, backend: o.Backend, simulator: toolbench.Scripted{}, counts: &counts{}}

	if o.Unsimulated {
		a.simulator = nobody{}
	}

	if o.Model != nil {
		m := *o.Model
		m.counts = a.counts

		if o.Cache != nil && m.mode == FewShot {
			m.examples = o.Cache.Examples
		}

		a.simulator = &m
	}
	return a
}

// nobody is the simulator of APIs that have only recorded answers.
type nobody struct{}

// Simulate implements [toolbench.Simulator].
func (nobody) Simulate(context.Context, *toolbench.Document, envs.Args) (toolbench.Answer, error) {
	return toolbench.Answer{}, ErrUnrecorded
}

// ErrUnrecorded means that no answer to a call was recorded, and nothing stands in for its API.
// Nobody knows what the API would have answered, so it says nothing about who made the call.
var ErrUnrecorded error = unrecorded{}

type unrecorded struct{}

// Error implements error.
func (u unrecorded) Error() string { return u.GivenUp() }

// GivenUp says that no further try can help; see [envs.GivenUp].
func (unrecorded) GivenUp() string { return "no answer to a call was recorded" }

// Before returns the same APIs, which ask a real backend first.
func (a *APIs) Before(b *Backend) *APIs {
	return &APIs{cache: a.cache, backend: b, simulator: a.simulator, counts: a.counts}
}

// Tally returns what was counted so far.
func (a *APIs) Tally() Tally { return a.counts.soFar() }

// Under returns the APIs behind a version as a simulator.
func (a *APIs) Under(version string) toolbench.Simulator { return versionAPIs{a, version} }

type versionAPIs struct {
	apis    *APIs
	version string
}

// Simulate implements [toolbench.Simulator].
func (u versionAPIs) Simulate(ctx context.Context, d *toolbench.Document, args envs.Args) (toolbench.Answer, error) {
	answer, _, err := u.apis.Answer(ctx, u.version, d, args)
	return answer, err
}

// Answer answers a call, whose arguments fit the document, under a version, and says where the
// answer came from. Of equal calls at the same time, one is made, and all get its answer. An error
// is a failure on this side.
func (a *APIs) Answer(ctx context.Context, version string, d *toolbench.Document, args envs.Args) (toolbench.Answer,
	Provenance, error) {
	call := NewCall(version, d.Key, args)

	for {
		e, ok, err := a.kept(ctx, call)
		if ok || err != nil {
			return e.Answer, Replayed, a.counted(err)
		}

		made, err, shared := a.flight.Do(call.Key(), func() (any, error) { return a.make(ctx, call, d) })
		if err != nil && shared && ctx.Err() == nil && errors.Is(err, context.Canceled) {
			continue // the caller that made it for us was cancelled
		}

		if err != nil {
			return toolbench.Answer{}, "", a.counted(err)
		}

		entry := made.(Entry)
		return entry.Answer, entry.Provenance, nil
	}
}

// counted counts a failure.
func (a *APIs) counted(err error) error {
	if err != nil {
		a.counts.add(&a.counts.Failed)
	}
	return err
}

// kept looks into the cache.
func (a *APIs) kept(ctx context.Context, call Call) (Entry, bool, error) {
	if a.cache == nil {
		return Entry{}, false, nil
	}

	e, ok, err := a.cache.Get(ctx, call)
	if ok {
		a.counts.add(&a.counts.Replayed)
	}
	return e, ok, err
}

// make gets an answer to a call, and keeps it if it is worth that.
func (a *APIs) make(ctx context.Context, call Call, d *toolbench.Document) (Entry, error) {
	if e, ok, err := a.kept(ctx, call); ok || err != nil { // another call may just have made it
		e.Provenance = Replayed
		return e, err
	}

	e, err := a.ask(ctx, call, d)
	if err != nil {
		return e, fmt.Errorf("answer a call of %s: %w", d.Key, err)
	}

	if a.cache == nil {
		return e, nil
	}

	// Another time an API may have a better answer than a failure.
	if _, worthy := Check(e.Answer); worthy {
		shown, _ := d.Shown(call.Args)
		e.Document, e.Made = documentHash(shown), now()
		err = a.cache.Put(ctx, e)
	} else {
		a.counts.add(&a.counts.Unkept)
	}

	if err != nil {
		return e, err
	}

	// Another process may have kept an answer while this one was made; all give the kept one.
	if first, ok, err := a.cache.Get(ctx, call); ok || err != nil {
		return first, err
	}

	return e, nil
}

// ask asks the backend, or else the simulator.
func (a *APIs) ask(ctx context.Context, call Call, d *toolbench.Document) (Entry, error) {
	e := Entry{Call: call, Provenance: Real}

	if a.backend != nil {
		answer, ok := a.backend.Ask(ctx, call)
		if ok {
			a.counts.add(&a.counts.Real)

			e.Answer = answer
			return e, nil
		}

		// Whatever the backend's trouble is, the simulator stands in.
		a.counts.add(&a.counts.RealRefused)
	}

	answer, err := a.simulator.Simulate(ctx, d, call.Args)
	if err != nil {
		return e, err
	}

	e.Answer, e.Provenance = answer, Scripted

	// Only a model's answers depend on what it is told.
	m, isModel := a.simulator.(*Model)
	if !isModel {
		a.counts.add(&a.counts.Scripted)
		return e, nil
	}

	a.counts.add(&a.counts.Simulated)

	e.Provenance, e.Prompt = Simulated, m.promptHash()
	return e, nil
}
