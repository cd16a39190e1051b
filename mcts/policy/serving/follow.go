package serving

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"toolevo/mcts"
	"toolevo/mcts/policy/server"
)

// follower has a policy ask the servers that a source lists, as the list changes. A server that
// joins is looked at as those are that a run begins with, and one that is of no use to the run is
// left out, and looked at again the next time: it may be starting. One that answers is left alone
// for longer each time, because looking at it may cost a completion. While the list cannot be read,
// or names no server, the servers stay.
type follower struct {
	*Models
	source *source
	policy *server.Policy
	kind   *Kind
	model  string
	open   func(url string) (server.Backend, error)

	known map[string]*candidate // by what the source calls them
	// said has the last complaint about a server, or about the list (""), so that each is logged
	// once.
	said map[string]string
}

// longestRest bounds how long a server that is of no use is left alone.
const longestRest = 5 * time.Minute

// candidate is a server that is or was on the list.
type candidate struct {
	server.Backend
	err        error // why it is of no use; nil if it joined, or was not looked at yet
	wait, rest int   // for how many updates it is left alone, and how many of those are left
}

// start follows the list until stop is called; nobody follows none.
func (f *follower) start() (stop func()) {
	if f == nil {
		return func() {}
	}

	ctx, cancel := context.WithCancel(context.Background())
	var following sync.WaitGroup

	following.Go(func() {
		for mcts.Wait(ctx, f.source.every) == nil {
			f.update(ctx)
		}
	})
	return func() {
		cancel()
		following.Wait()
	}
}

// update reads the list once.
func (f *follower) update(ctx context.Context) {
	list, err := f.source.list(ctx)
	if ctx.Err() != nil {
		return
	}
	f.complain("", err)

	if err != nil {
		return
	}

	listed := map[string]bool{}
	for _, url := range list {
		if f.known[url] == nil {
			backend, err := f.open(url)
			if err != nil {
				f.complain(url, fmt.Errorf("%s: %w", withoutCredentials(url), err))
				continue
			}
			f.known[url] = &candidate{Backend: backend}
		}
		listed[f.known[url].Address()] = true
	}

	if len(listed) == 0 {
		return // it may be a page that says what went wrong, and not a list
	}

	// Joiners are looked at side by side, and before others leave: the last server cannot.
	present := f.policy.Addresses()
	var joining sync.WaitGroup
	errs := make([]error, len(list))

	for i, url := range list {
		c := f.known[url]
		if c == nil || slices.Contains(present, c.Address()) {
			continue
		}

		present = append(present, c.Address()) // two lines may name one server
		joining.Go(func() { errs[i] = f.tryJoin(ctx, c) })
	}
	joining.Wait()

	for i, err := range errs {
		if ctx.Err() == nil && f.known[list[i]] != nil {
			f.complain(list[i], err)
		}
	}

	for _, address := range f.policy.Addresses() {
		if listed[address] || ctx.Err() != nil {
			continue
		}
		err := f.policy.Leave(address)
		if f.complain(address, err); err == nil {
			f.Servers.Log.Info("server is off the list", "server", address)
		}
	}
}

// tryJoin has a server join unless it is to be left alone. The error is why it is of no use.
func (f *follower) tryJoin(ctx context.Context, c *candidate) error {
	if c.rest > 0 {
		c.rest--
		return c.err
	}

	c.err = f.join(ctx, c.Backend)
	c.wait = min(2*c.wait+1, int(longestRest/f.source.every))
	if c.err == nil || isAbsent(c.err) {
		c.wait = 0
	}

	c.rest = c.wait
	return c.err
}

// join looks at a server, and has the policy ask it.
func (f *follower) join(ctx context.Context, backend server.Backend) error {
	probing, end := context.WithTimeout(ctx, f.Servers.probeTime())
	err := f.probeServer(probing, backend.(server.Client), f.kind, f.model)
	end()

	if err != nil && !isBusy(err) {
		return f.unusable(backend, f.kind, err)
	}

	// A greeting takes as long as an answer. One that is slower is left to the requests of the run.
	joining, end := context.WithTimeout(mcts.AtOnce(ctx), f.Servers.probeTime())
	defer end()

	if err := f.policy.Join(joining, backend); err != nil {
		return f.unusable(backend, f.kind, err)
	}
	f.Servers.Log.Info("server has joined", "server", backend.Address())
	return nil
}

// complain logs what is wrong, once until it is something else.
func (f *follower) complain(about string, err error) {
	if err == nil {
		delete(f.said, about)
		return
	}

	if text := err.Error(); f.said[about] != text {
		f.said[about] = text
		f.Servers.Log.Warn("the list of servers was not followed in full", "because", text)
	}
}

// follower returns who has a policy follow the source that the addresses name, nil where these are
// the servers themselves.
func (m *Models) follower(p *server.Policy, kind *Kind, model string) (*follower, error) {
	from := sourceOf(m.addresses(kind))
	if from == nil {
		return nil, nil
	}

	sent, err := m.Sent()
	if err != nil {
		return nil, err
	}

	open, err := m.opener(kind, model, sent.addSpecial)
	return &follower{
		Models: m, source: from, policy: p, kind: kind, model: model, open: open,
		known: map[string]*candidate{}, said: map[string]string{},
	}, err
}

// opened is a policy on servers that was opened, and its follower.
type opened struct {
	*server.Policy
	stop func()
}

// Close ends both.
func (o opened) Close() error {
	o.stop()
	return o.Policy.Close()
}
