package remote

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs/keeper"
)

// MCP starts servers of the Model Context Protocol, each in a folder of its own, or speaks to a
// running one.
type MCP struct {
	// Command starts a server that speaks over stdin and stdout, in a fresh folder. {dir} in it,
	// and in values of Environment, is that folder.
	Command []string `yaml:"command,omitempty,flow"`

	// Reset is a command that fills the folder before the server starts.
	Reset []string `yaml:"reset,omitempty,flow"`

	// Shown is a path that stands for the folder in calls and answers, because every instance has
	// another folder.
	Shown string `yaml:"shown,omitempty"`

	// Environment has the server's variables, besides PATH and HOME. Secrets names variables of
	// this process that the server gets, too.
	Environment map[string]string `yaml:"environment,omitempty"`
	Secrets     []string          `yaml:"secrets,omitempty,flow"`

	// URL is a server that runs, over streamable HTTP, in place of a command. Anybody may change
	// its state, so its tools only read.
	URL string `yaml:"url,omitempty"`

	shakesHands atomic.Bool // it was found to know only revisions with a handshake
}

// Validate returns what makes no sense.
func (m *MCP) Validate() error {
	at, err := url.Parse(m.URL)

	switch {
	case err != nil || at.User != nil:
		return errors.New("mcp wants a url without a user and a password, which errors would show")
	case (len(m.Command) == 0) == (m.URL == ""):
		return errors.New("mcp wants a command or a url")
	case m.URL != "" && len(m.Reset) > 0:
		return errors.New("mcp: a server that runs has no folder that a command could reset")
	case m.URL != "" && m.Shown != "":
		return errors.New("mcp: a server that runs has no folder that shown could stand for")
	case m.Shown != "" && !filepath.IsAbs(m.Shown):
		return fmt.Errorf("mcp: shown is %s, want an absolute path", m.Shown)
	}

	return nil
}

// Start implements [Source].
func (m *MCP) Start(ctx context.Context) (Instance, error) {
	c, err := m.connect(ctx)
	if err != nil {
		return nil, err
	}

	if m.URL != "" && c.InitializeResult().ProtocolVersion >= sessionless {
		_, err = c.list(ctx) // which says what calls have in headers
	}

	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Tools returns the tools of a server in its order, and those that no client may use.
func (m *MCP) Tools(ctx context.Context) (tools []*mcp.Tool, left []Left, err error) {
	c, err := m.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()

	if tools, err = c.list(ctx); err != nil {
		return nil, nil, err
	}

	for _, name := range c.listed {
		isThat := func(t *mcp.Tool) bool { return t.Name == name }
		if !slices.ContainsFunc(tools, isThat) {
			left = append(left, Left{name, "its " + headerKey + " is not as the protocol says"})
		}
	}

	return tools, left, nil
}

// connect begins a session in the newest revision that both know. It first asks the server which
// ones it knows. A server older than [sessionless] may end then, or say nothing: it is started
// again, with a handshake.
func (m *MCP) connect(ctx context.Context) (*conversation, error) {
	if !m.shakesHands.Load() {
		c, err := m.converse(ctx, "")
		if err == nil || ctx.Err() != nil {
			return c, err
		}
	}

	c, err := m.converse(ctx, handshake)
	if err == nil {
		m.shakesHands.Store(true)
	}
	return c, err
}

// Revisions of the protocol.
const (
	handshake   = "2025-11-25" // the last one whose sessions begin with a handshake
	sessionless = "2026-07-28" // the first one without sessions
)

// patienceWithProbe is how long a server may take to say which revisions it knows.
var patienceWithProbe = 30 * time.Second

// converse begins a session in a revision, "" for the newest one that the server knows.
func (m *MCP) converse(ctx context.Context, revision string) (*conversation, error) {
	c := &conversation{shown: m.Shown}
	c.environment, c.secrets, c.said.Max = m.Environment, m.Secrets, mostSaid

	transport, err := m.transport(ctx, c)
	if err == nil {
		if revision == "" {
			limit := patienceWithProbe
			if end, ok := ctx.Deadline(); ok {
				limit = min(limit, time.Until(end)/2) // the rest is for a handshake
			}

			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, limit)
			defer cancel()
		}

		c.ClientSession, err = c.client().Connect(ctx, transport,
			&mcp.ClientSessionOptions{ProtocolVersion: revision})
	}

	if err != nil {
		err = fmt.Errorf("start the MCP server %s: %w%s", m.describe(), c.quiet(err),
			c.lastOutput())
		return nil, errors.Join(err, c.remove())
	}
	return c, nil
}

// describe names the server for people, and what is spoken to a running one.
func (m *MCP) describe() string {
	if m.URL != "" {
		return m.URL + " (over streamable HTTP; HTTP+SSE of 2024-11-05 is not spoken)"
	}
	return strings.Join(m.Command, " ")
}

// transport returns the way to a server, which is started in a fresh folder if there is a command.
func (m *MCP) transport(ctx context.Context, c *conversation) (mcp.Transport, error) {
	if m.URL != "" {
		return &mcp.StreamableClientTransport{Endpoint: m.URL, DisableStandaloneSSE: true}, nil
	}

	if err := c.checkSecrets(); err != nil {
		return nil, err
	}

	if err := c.makeDir(); err != nil {
		return nil, err
	}

	c.words = strings.NewReplacer(dirWord, c.dir)

	if len(m.Reset) > 0 {
		if err := c.runReset(ctx, m.Reset, c.dir); err != nil {
			return nil, err
		}
	}

	// Whatever happens to this process, no server is left running.
	server := c.command(context.WithoutCancel(ctx),
		keeper.Command(keeper.OwnBinary, grace, m.Command))
	server.Dir = c.dir
	return legible{&mcp.CommandTransport{Command: server, TerminateDuration: grace}}, nil
}
