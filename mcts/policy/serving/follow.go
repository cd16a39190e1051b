package serving

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"toolevo/mcts"
	"toolevo/mcts/policy/server"
)

// follower has a policy ask the servers that a source lists, as the list changes. A server that
// joins is looked at as those are that a run begins with, and one that is of no use to the run is
// left out, and looked at again the next time: it may be starting. While the list cannot be read,
// or is empty, the servers stay.
type follower struct {
	*Models
	source *source
	policy *server.Policy
	kind   *Kind
	model  string
	open   func(url string) (server.Backend, error)

	known map[string]server.Backend // by what the source calls them
	// said has the last complaint about a server, or about the list (""), so that each is logged
	// once.
	said map[string]string
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
			f.known[url] = backend
		}
		listed[f.known[url].Address()] = true
	}

	// Joiners are looked at side by side, and before others leave: the last server cannot.
	present := f.policy.Addresses()
	var joining sync.WaitGroup
	errs := make([]error, len(list))

	for i, url := range list {
		backend := f.known[url]
		if backend == nil || slices.Contains(present, backend.Address()) {
			continue
		}

		present = append(present, backend.Address()) // two lines may name one server
		joining.Go(func() { errs[i] = f.join(ctx, backend) })
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

// join looks at a server, and has the policy ask it.
func (f *follower) join(ctx context.Context, backend server.Backend) error {
	probing, end := context.WithTimeout(ctx, f.Servers.probeTime())
	err := f.probeServer(probing, backend.(server.Client), f.kind, f.model)
	end()

	if err != nil && !isBusy(err) {
		return unusable(backend, f.kind, err)
	}

	// A greeting takes as long as an answer. One that is slower is left to the requests of the run.
	joining, end := context.WithTimeout(mcts.AtOnce(ctx), f.Servers.probeTime())
	defer end()

	if err := f.policy.Join(joining, backend); err != nil {
		return unusable(backend, f.kind, err)
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
		known: map[string]server.Backend{}, said: map[string]string{},
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
