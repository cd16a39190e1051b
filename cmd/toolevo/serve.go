package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/sandbox/engines"
	"toolevo/envs/suite"
	toolbench "toolevo/envs/toolbench/bench"
	toolserver "toolevo/envs/toolbench/serve"
	"toolevo/envs/toolbench/virtual"
	"toolevo/mcts/policy/serving"
)

// The variables that hold keys.
const (
	ownKeyVariable     = "TOOLBENCH_KEY"      // what clients of our server send
	backendKeyVariable = "TOOLBENCH_REAL_KEY" // what the real backend is sent
)

// stdioWords is the help of a flag that servers share.
const stdioWords = "be an MCP server over stdin and stdout, and listen nowhere"

// serveToolsOptions are the flags of serve tools, beside those that are settings.
type serveToolsOptions struct {
	*door
	data, task, backend string
	stdio               bool
	calls               int
	asJSON              *bool
	servers             *serving.Servers
}

func (a *app) serveCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "serve", Short: "Serve functions to clients of others"}
	cmd.AddCommand(a.serveToolsCommand(), a.serveEnvCommand(), a.serveSessionsCommand(), a.serveVoiceCommand())

	return console.Group(cmd)
}

func (a *app) serveToolsCommand() *cobra.Command {
	cmd := newCommand("tools")
	o := &serveToolsOptions{door: doorFlags(cmd, "127.0.0.1:8081", ownKeyVariable)}
	s := a.addSettings(cmd, map[string]string{"suite": "toolbench", "split": "test", "api": "[p_c]"},
		"split", "api", "feedback", "simulator", "mode", "cache")
	data := a.DataFlag(cmd)
	o.servers = a.servingFlags(cmd)
	o.asJSON = console.JSONFlag(cmd)

	flags := cmd.Flags()
	flags.StringVar(&o.task, "question", "", "only the functions that the question of an `ID` offers (default: all)")
	flags.StringVar(&o.backend, "real", "", "`URL` of a server of the real APIs, which is asked first; its key is "+
		"that in "+backendKeyVariable)
	flags.IntVar(&o.calls, "max-calls", toolserver.DefaultMaxCalls, "`N` calls run at the same time, the others wait")
	flags.BoolVar(&o.stdio, "stdio", false, stdioWords)

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := s.resolve(cmd.Flags())
		if err != nil {
			return err
		}

		o.data = *data

		return a.serveTools(cmd.Context(), c, o)
	}

	return cmd
}

// serveTools serves the versions of a configuration until the process is told to end.
func (a *app) serveTools(ctx context.Context, c *configs.Resolved, o *serveToolsOptions) (err error) {
	options, err := a.toolServerOptions(o)
	if err != nil {
		return err
	}

	host := a.host(console.ProgressNone)

	b, err := toolevo.OpenBench(ctx, o.data, c, host.OpenEngine)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()

	b.Servers = o.servers
	a.warnExposed(b.Servers)

	deployed, err := a.deployFunctions(ctx, b, o)
	if err != nil {
		return err
	}

	for i, version := range c.API {
		options.Versions[version] = deployed[i]
	}

	options.Default = c.API[0]

	server, err := toolserver.New(options)
	if err != nil {
		return err
	}

	if o.stdio {
		return console.GaveUp(server.Stdio(ctx, io.NopCloser(a.In), unclosed{a.raw}))
	}

	address, err := a.serveHTTP(ctx, server, o.listen, func(address string) {
		a.introduceTools(address, c, o)
	})
	if err != nil {
		return err
	}

	served := servedTools{
		Address: address, Versions: c.API, Functions: len(deployed[0].Functions()), Requests: server.Counts(),
		Answers: deployed[0].Tally(), // all versions are of one suite
	}

	return a.Show(*o.asJSON, served, func() { fmt.Fprint(a.Out, served.text()) })
}

// toolServerOptions returns what the flags say about the server, without the versions that it serves.
func (a *app) toolServerOptions(o *serveToolsOptions) (toolserver.Options, error) {
	options := toolserver.Options{MaxCalls: o.calls, Software: toolevo.Software(),
		Versions: map[string]toolserver.Version{}}
	if o.calls < 1 {
		return options, console.Usage("--max-calls %d: want at least 1", o.calls)
	}

	var err error
	options.Key, err = o.key(a)

	return options, err
}

// deployFunctions deploys the versions of the configuration, after it made sure that a model can be asked.
func (a *app) deployFunctions(ctx context.Context, b *toolevo.Bench, o *serveToolsOptions) ([]*toolbench.Deployed,
	error) {
	if p, ok := b.Suite.(suite.Preparer); ok {
		if err := p.Prepare(ctx); err != nil {
			return nil, err
		}
	}

	var backend *virtual.Backend

	if o.backend != "" {
		var err error
		if backend, err = virtual.NewBackend(o.backend, a.Lookup(backendKeyVariable)); err != nil {
			return nil, console.Usage("--real: %w", err)
		}
	}

	var all []*toolbench.Deployed

	for _, version := range b.Config.API {
		d, err := toolbench.Deploy(b.Suite, version, o.task, backend)
		if err != nil {
			return nil, err
		}

		all = append(all, d)
	}

	return all, nil
}

// The times that clients have. A call may take as long as the model does.
const (
	readTime  = time.Minute
	idleTime  = 2 * time.Minute
	graceTime = 10 * time.Second // for calls that are being answered when the server ends
)

// drainer is a handler with connections of its own, which end when ctx does at the latest.
type drainer interface{ Drain(ctx context.Context) }

// acceptor is a listener that says when it can take no connection: net/http tries again, and keeps
// that to itself.
type acceptor struct {
	net.Listener
	say  func(format string, args ...any)
	said time.Time
}

// quietTime is how long an acceptor does not repeat that.
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

	l.say("No connection can be taken: %v%s. Those that are open go on, new ones wait.", err, advice)

	return conn, err
}

// serveHTTP serves until ctx ends; calls that are being answered then get their answers. It introduces the server once
// it listens.
func (a *app) serveHTTP(ctx context.Context, h http.Handler, listen string,
	introduce func(address string)) (string, error) {
	bare, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return "", console.GaveUp(fmt.Errorf("%w: name another with --listen", err))
	}

	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()

	s := &http.Server{
		Handler: h, ReadHeaderTimeout: readTime, ReadTimeout: readTime, IdleTimeout: idleTime,
		BaseContext: func(net.Listener) context.Context { return calls },
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			return engines.WithSession(ctx)
		},
	}
	address := "http://" + bare.Addr().String()
	introduce(address)

	ended := make(chan error, 1)
	go func() { ended <- s.Serve(&acceptor{Listener: bare, say: a.Say}) }()

	select {
	case err := <-ended:
		return address, console.GaveUp(err)
	case <-ctx.Done():
	}

	if !shutDown(calls, s, h) {
		cancel()
		_ = s.Close()
	}
	<-ended

	return address, nil
}

// shutDown lets calls be answered, for some time, and reports whether all have been.
func shutDown(calls context.Context, s *http.Server, h http.Handler) bool {
	grace, end := context.WithTimeout(calls, graceTime)
	defer end()

	if d, ok := h.(drainer); ok {
		d.Drain(grace)
	}

	return s.Shutdown(grace) == nil
}

// introduceTools says where the server is and what to try with it.
func (a *app) introduceTools(address string, c *configs.Resolved, o *serveToolsOptions) {
	a.Say("ToolBench's functions under %s at %s/virtual, and over MCP at %s/mcp", c.API[0], address, address)

	for _, version := range c.API[1:] {
		a.Say("Under %s: the same, with \"version\": %q, and %s/mcp/%s", version, version, address, version)
	}

	o.sayKey(a)
	a.Say("Ctrl-C ends it and tells how it was used.")
}

// unclosed is an output that outlives its connection.
type unclosed struct{ io.Writer }

// Close implements [io.Closer].
func (unclosed) Close() error { return nil }
