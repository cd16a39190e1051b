package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolevo/finetune/checkpoint"
	"toolevo/finetune/child"
	"toolevo/mcts"
	"toolevo/mcts/policy/server"
)

// Checkpoint is what is served.
type Checkpoint = server.Checkpoint

// Served is a checkpoint that can be asked.
type Served struct {
	Policy  string // e.g. "openai:mine"
	Address string // of its server, as --server takes it

	child *child.Child // nil for a server that was already running
	end   func()       // releases its context
}

// Stop ends the server if it was started for the checkpoint.
func (s *Served) Stop() error {
	if s.child == nil {
		return nil
	}

	defer s.end()
	return s.child.Stop()
}

// While runs a function that asks the server. If a server that was started for the checkpoint ends
// before the function does, the function's context is cancelled, and the error says how the server
// ended.
func (s *Served) While(ctx context.Context, ask func(context.Context) error) error {
	if s.child == nil {
		return ask(ctx)
	}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	// Waiting for the watcher before the cause is read keeps a server that ended just now from
	// being missed.
	watched := make(chan struct{})
	asked := make(chan struct{})

	go func() {
		defer close(watched)

		select {
		case <-asked:
		case <-s.child.Done():
			cancel(errEnded)
		}
	}()

	err := ask(ctx)

	close(asked)
	<-watched

	// A server that ends after the last answer did no harm, so its end alone is no error.
	if err != nil && errors.Is(context.Cause(ctx), errEnded) {
		words := errors.New(s.child.LastWords())
		return fmt.Errorf("%w: %w", errEnded, errors.Join(s.child.Wait(), words))
	}
	return err
}

// errEnded means that a server ended while it was asked.
var errEnded = errors.New("the server ended")

// Serve serves a checkpoint and returns when it can be asked. A server that it starts prints to the
// file log. address is that of a server that is already running, as in OLLAMA_HOST or
// OPENAI_BASE_URL.
func (s Server) Serve(ctx context.Context, c Checkpoint, address, log string) (*Served, error) {
	// Damaged weights are found here, before a server spends minutes on loading them. What is no
	// folder is a name that the server knows.
	if info, err := os.Stat(c.Folder); err == nil && info.IsDir() {
		if err := checkpoint.Check(c.Folder); err != nil {
			return nil, err
		}
	}

	served := &Served{Policy: s.Kind + ":" + c.Name, Address: address}

	if len(s.Command) > 0 {
		port, err := freePort()
		if err != nil {
			return nil, err
		}

		served.Address = fmt.Sprintf(s.kind().Hosting.Address, port)

		// On an interrupt the calls that the server is answering may end first: whoever asks it
		// stops it afterwards.
		var life context.Context

		life, served.end = mcts.InFlight(ctx)
		if served.child, err = child.Start(life, s.command(c, port, log)); err != nil {
			served.end()
			return nil, err
		}
	}

	if err := s.ready(ctx, c, served); err != nil {
		return nil, errors.Join(fmt.Errorf("serve %s: %w", c.Folder, err), served.Stop())
	}
	return served, nil
}

// CommandLine returns the command that serves a checkpoint on a port; nil for a server that is
// already running.
func (s Server) CommandLine(c Checkpoint, port string) []string { return s.command(c, port, "").Args }

// command returns the server's command with all places filled in.
func (s Server) command(c Checkpoint, port, log string) child.Command {
	fill := strings.NewReplacer("{model}", c.Folder, "{name}", c.Name, "{port}", port)
	command := child.Command{Log: log}

	words := s.Command
	if c.NativeCalls {
		words = slices.Concat(words, s.Calls)
	}

	for _, word := range words {
		command.Args = append(command.Args, fill.Replace(word))
	}

	for key, value := range s.Environment {
		command.Env = append(command.Env, key+"="+fill.Replace(value))
	}

	slices.Sort(command.Env)
	return command
}

// freePort returns a port of this machine on which nobody listens.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), l.Close()
}

// ready waits until the server answers, and has it list the checkpoint.
func (s Server) ready(ctx context.Context, c Checkpoint, served *Served) error {
	// A window of any size will do: the client only lists models.
	key := os.Getenv(s.kind().KeyVariable)
	endpoint := server.Endpoint{URL: served.Address, APIKey: key, Model: c.Name}
	client, err := s.kind().Open(endpoint, server.Manner{Window: 1})
	if err != nil {
		return err
	}
	defer client.Close()

	if _, err := served.await(ctx, s, client); err != nil {
		return err
	}

	// A server that was started for the checkpoint has it already; a running one is given it now.
	hosting := s.kind().Hosting
	switch {
	case hosting.Publish != nil:
		err = hosting.Publish(ctx, c, endpoint)
	case s.Adapters:
		err = hosting.Adapt(ctx, c, endpoint)
	}

	if err != nil {
		return err
	}

	// Only the server's own list proves that policies will reach this checkpoint and no other.
	models, err := served.await(ctx, s, client)
	if err != nil {
		return err
	}

	if !models.Listed {
		return fmt.Errorf("%s lists no model %s, but %s", served.Address, c.Name,
			strings.Join(models.Names, ", "))
	}
	return nil
}

// askEvery is the time between two requests to a server that is starting.
const askEvery = 500 * time.Millisecond

// await asks a server for its models until it answers, or its time has passed.
func (s *Served) await(ctx context.Context, by Server, client server.Client) (
	server.Listing, error) {
	limit := by.waitLimit()
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %v", limit))
	defer cancel()

	// The end of a server that was already running cannot be seen: a nil channel is never ready.
	var ended <-chan struct{}

	if s.child != nil {
		ended = s.child.Done()
	}

	for {
		// Any other error is waited out: a server that is loading refuses connections, or answers
		// with faults.
		models, err := client.List(ctx)
		switch {
		case err == nil:
			return models, nil
		case server.Answered(err, http.StatusUnauthorized, http.StatusForbidden):
			return server.Listing{}, fmt.Errorf("%w: the key is taken from %s, or from the URL "+
				"(http://USER:PASSWORD@HOST)", err, by.kind().KeyVariable)
		}

		select {
		case <-ctx.Done():
			// Why a server of this program is not ready is in its log alone.
			err = errors.Join(context.Cause(ctx), err)
			if s.child != nil {
				err = fmt.Errorf("%w; %s", err, s.child.LastWords())
			}
			return server.Listing{}, err
		case <-ended:
			return server.Listing{}, errors.Join(errEnded, s.child.Wait())
		case <-time.After(askEvery):
		}
	}
}
