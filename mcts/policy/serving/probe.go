package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/mcts"
	"toolevo/mcts/policy/server"
)

// Probe looks at every server of the configuration before a run starts: one that does not answer,
// refuses the key, does not have the model, or is named twice would only be found after the run
// directory was made.
func (m *Models) Probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, m.Servers.probeTime())
	defer cancel()

	for _, name := range m.withoutBaselines() {
		kind, model := splitName(name)
		if kind == Scripted {
			continue
		}

		o, err := m.Options(kind, model)
		if err == nil {
			// Mistakes in the settings need no server to be found, so they come first.
			err = o.Check()
		}

		if err != nil {
			return err
		}

		k := server.FindKind(kind)

		answering, err := m.probeServers(ctx, o.Backends, k, model)
		if err != nil {
			return console.GaveUp(err)
		}

		// A version is asked for only where it matters.
		if k.ScoredSince != "" {
			m.Servers.scored = scored(ctx, k, answering)
		}
	}
	return nil
}

// Greet asks every server for a completion, once the run is ready except for its folder: one that
// takes no request, answers for another model or never says that a completion ended is of no use to
// it. samples is how many the run asks for in one request, at most.
func (m *Models) Greet(ctx context.Context, samples int) error {
	ctx, cancel := context.WithTimeout(mcts.AtOnce(ctx), m.Servers.probeTime())
	defer cancel()

	for _, name := range m.withoutBaselines() {
		p, err := m.Policy(name)
		if err != nil {
			return err
		}

		if served, ok := p.(*server.Policy); ok {
			if err := served.Greet(ctx, samples); err != nil {
				return console.GaveUp(err)
			}
		}
	}

	return nil
}

// probeServers probes all servers of a policy and returns those that answer. One that does not is
// left to the run, which notices when it is back, as long as there is another. One whose answer no
// run can use is an error.
func (m *Models) probeServers(
	ctx context.Context, backends []server.Backend, kind *Kind, model string,
) ([]server.Client, error) {
	clients, errs := make([]server.Client, len(backends)), make([]error, len(backends))

	var probes sync.WaitGroup
	for i, backend := range backends {
		clients[i] = backend.(server.Client) // its kind opened it
		probes.Go(func() { errs[i] = m.probeServer(ctx, clients[i], kind, model) })
	}

	probes.Wait()

	var answering []server.Client
	var absent error

	// A wrong key or model is a mistake to set right, even if other servers would do.
	for i, err := range errs {
		switch {
		case err == nil, isBusy(err):
			answering = append(answering, clients[i])
		case !isAbsent(err):
			return nil, m.unusable(backends[i], kind, err)
		case absent == nil:
			absent = m.unusable(backends[i], kind, err)
		}
	}

	if len(answering) == 0 {
		return nil, absent
	}

	// Only now: without any server left the error says it all.
	for i, err := range errs {
		if err != nil && !isBusy(err) {
			m.Servers.Log.Warn("server does not answer, using the others", "server", backends[i].Address(), "because",
				err)
		}
	}

	return answering, nil
}

// isBusy reports whether a server answers, and wants to be asked less.
func isBusy(err error) bool {
	return server.Answered(err, http.StatusTooManyRequests) &&
		server.FaultOf(err).Kind == server.Transient
}

// isAbsent reports whether an error means that no server answers, or that it is not ready.
func isAbsent(err error) bool {
	if fault := server.FaultOf(err); fault != nil {
		return fault.Kind == server.Transient && (fault.Status == 0 || fault.Status >= 400)
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// probeServer probes one server. A list of models is believed, unless servers of the kind may have
// others.
func (m *Models) probeServer(ctx context.Context, client server.Client, kind *Kind, model string) error {
	all, err := client.List(ctx)

	noList := server.Answered(err, http.StatusNotFound)

	switch {
	case kind.Unlisted && (noList || err == nil && !all.Listed && all.MayServe):
		return m.probeUnlisted(ctx, client)
	case err != nil || all.Listed:
		return err
	}

	otherwise := ""
	if kind.Unlisted {
		otherwise = ". If it takes that name all the same, set server.names to the name of its replies"
	}
	return fmt.Errorf("%s does not serve %q; it serves %s%s", client.Address(), model,
		cmp.Or(display.Line(strings.Join(all.Names, ", "), 400), "none"), otherwise)
}

// probeUnlisted asks a server that does not list its models, or not this one by this name, for one
// token: it may have the model all the same, or be something else. One that takes its time has at
// least accepted the request.
func (m *Models) probeUnlisted(ctx context.Context, backend server.Backend) error {
	c := server.Greeting(m.Config.Server.Form == configs.FormChat,
		server.Sampling{TopP: 1, RepetitionPenalty: 1, MaxTokens: 1})

	_, err := backend.Complete(ctx, c)

	fault := server.FaultOf(err)
	if errors.Is(err, context.DeadlineExceeded) ||
		fault != nil && fault.Kind == server.BadRequest { // its greeting finds out what it takes
		return nil
	}

	return err
}

// unusable says what to do about a server that gave an error.
func (m *Models) unusable(backend server.Backend, kind *Kind, err error) error {
	switch fault := server.FaultOf(err); {
	case errors.Is(err, context.DeadlineExceeded):
		return console.Option("server", "%s does not answer within %v: start the server, or name "+
			"another", backend.Address(), m.Servers.probeTime())
	case fault == nil, fault.Proxy != "":
		return err
	case fault.Status == http.StatusUnauthorized, fault.Status == http.StatusForbidden:
		return fmt.Errorf("%w: the key is taken from %s, from the URL (http://USER:PASSWORD@HOST), or from a "+
			"header of server.headers", err, kind.KeyVariable)
	case fault.Kind == server.OutOfQuota:
		return fmt.Errorf("%w: no wait helps, only another account, key or server", err)
	case errors.Is(err, http.ErrSchemeMismatch):
		return console.Option("server", "%w: it speaks http: name it with http:// in place of https://", err)
	case fault.Status == 0:
		return console.Option("server", "%w: start the server, or name another", err)
	case errors.Is(err, server.ErrNoEnd):
		return fmt.Errorf("%w: set server.ends to the server's own word for an end, or to [\"\"] if it has none", err)
	case fault.Status < 300:
		return console.Option("server", "%s answers, but not as a model server does (%s): give the "+
			"server's base URL, such as %s", backend.Address(),
			cmp.Or(fault.Message, fmt.Sprint(fault.Err)), kind.AddressExample)
	case fault.Kind == server.Transient:
		return console.Option("server", "%w: wait until the server is up, or name another", err)
	}

	return console.Option("server", "%w: name the server that has it", err)
}

// scored reports whether all the servers are of a version that gives log-probabilities. A reply
// without them is then a fault, and no reason to search with another prior.
func scored(ctx context.Context, kind *Kind, clients []server.Client) bool {
	return !slices.ContainsFunc(clients, func(c server.Client) bool {
		version, err := c.Version(ctx)
		return err != nil || !kind.Scored(version)
	})
}
