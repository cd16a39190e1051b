package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs"
	"toolevo/envs/keeper"
	"toolevo/envs/pytext"
)

// MCP starts servers of the Model Context Protocol, each in a folder of its own, or speaks to one
// that runs.
type MCP struct {
	// Command starts a server that speaks over stdin and stdout, in a fresh folder. {dir} in it, and
	// in values of Environment, is that folder.
	Command []string `yaml:"command,omitempty,flow"`

	// Reset is a command that fills the folder before.
	Reset []string `yaml:"reset,omitempty,flow"`

	// Shown is a path that stands for the folder, in calls and in answers: every instance has
	// another one.
	Shown string `yaml:"shown,omitempty"`

	// Environment has variables of the server's, beside PATH and HOME; those of Secrets are this
	// process's own, by name.
	Environment map[string]string `yaml:"environment,omitempty"`
	Secrets     []string          `yaml:"secrets,omitempty,flow"`

	// URL is a server that runs, over streamable HTTP, in place of a command. Its state is
	// nobody's: its tools only read.
	URL string `yaml:"url,omitempty"`
}

// Validate returns what makes no sense.
func (m *MCP) Validate() error {
	switch {
	case (len(m.Command) == 0) == (m.URL == ""):
		return errors.New("mcp wants a command or a url")
	case m.URL != "" && len(m.Reset) > 0:
		return errors.New("mcp: a server that runs has no folder that a command could reset")
	case m.Shown != "" && !filepath.IsAbs(m.Shown):
		return fmt.Errorf("mcp: shown is %s, want an absolute path", m.Shown)
	}

	return nil
}

// Start implements [Source].
func (m *MCP) Start(ctx context.Context) (Instance, error) {
	session, err := m.connect(ctx)
	if err != nil {
		return nil, err
	}

	return session, nil
}

// Tools returns the tools of a server, in its order.
func (m *MCP) Tools(ctx context.Context) (tools []*mcp.Tool, err error) {
	session, err := m.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()

	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list tools: %w", err)
		}

		tools = append(tools, tool)
	}

	return tools, nil
}

// conversation is a session with a server. It implements [Instance].
type conversation struct {
	*mcp.ClientSession
	programs

	shown string
}

func (m *MCP) connect(ctx context.Context) (*conversation, error) {
	c := &conversation{shown: m.Shown}
	c.environment, c.secrets, c.said.Max = m.Environment, m.Secrets, mostSaid

	transport, err := m.transport(ctx, c)
	if err == nil {
		client := mcp.NewClient(&mcp.Implementation{Name: "toolevo", Version: "1"}, nil)
		c.ClientSession, err = client.Connect(ctx, transport, nil)
	}

	if err != nil {
		err = fmt.Errorf("start the MCP server %s: %w%s", cmp.Or(m.URL, strings.Join(m.Command, " ")), err, c.last())
		return nil, errors.Join(err, c.remove())
	}

	return c, nil
}

// transport leads to a server, in a fresh folder where it is started.
func (m *MCP) transport(ctx context.Context, c *conversation) (mcp.Transport, error) {
	if m.URL != "" {
		return &mcp.StreamableClientTransport{Endpoint: m.URL, DisableStandaloneSSE: true}, nil
	}

	if err := c.makeDir(); err != nil {
		return nil, err
	}

	c.words = strings.NewReplacer(dirWord, c.dir)

	if len(m.Reset) > 0 {
		reset := c.command(ctx, m.Reset)
		reset.Dir = c.dir

		if err := reset.Run(); err != nil {
			return nil, fmt.Errorf("reset by %s: %w", strings.Join(m.Reset, " "), err)
		}
	}

	// Whatever becomes of this process, no server is left.
	server := c.command(context.WithoutCancel(ctx), keeper.Command(keeper.OwnBinary, grace, m.Command))
	server.Dir = c.dir

	return &mcp.CommandTransport{Command: server, TerminateDuration: grace}, nil
}

// Call implements [Instance]. What the server refuses by the protocol is a mistake in the call;
// that a server is gone is an error.
func (c *conversation) Call(ctx context.Context, tool string, args envs.Args) (envs.Result, error) {
	if args == nil {
		args = envs.Args{}
	}

	text := pytext.JSON(args)
	if c.shown != "" {
		text = strings.ReplaceAll(text, c.shown, c.dir)
	}

	reply, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(text)})

	var refused *jsonrpc.Error
	if errors.As(err, &refused) && ctx.Err() == nil {
		return envs.Result{Observation: c.hidden(refused.Message), Outcome: envs.InvocationError}, nil
	}

	if err != nil {
		return envs.Result{}, fmt.Errorf("%w%s", err, c.last())
	}

	result := envs.Result{Observation: c.hidden(textOf(reply)), Outcome: envs.OK}
	if reply.IsError {
		result.Outcome = envs.ToolError
	}

	return result, nil
}

func (c *conversation) hidden(text string) string {
	if c.shown == "" || c.dir == "" {
		return text
	}

	return strings.ReplaceAll(text, c.dir, c.shown)
}

// textOf is the text of a reply. Of what is no text it says what it is.
func textOf(reply *mcp.CallToolResult) string {
	var parts []string

	for _, content := range reply.Content {
		switch content := content.(type) {
		case *mcp.TextContent:
			parts = append(parts, content.Text)
		case *mcp.ImageContent:
			parts = append(parts, fmt.Sprintf("[%s, %d bytes]", content.MIMEType, len(content.Data)))
		case *mcp.AudioContent:
			parts = append(parts, fmt.Sprintf("[%s, %d bytes]", content.MIMEType, len(content.Data)))
		case *mcp.ResourceLink:
			parts = append(parts, content.URI)
		case *mcp.EmbeddedResource:
			parts = append(parts, content.Resource.Text)
		}
	}

	if len(parts) == 0 && reply.StructuredContent != nil {
		text, _ := json.Marshal(reply.StructuredContent) // it was JSON
		return string(text)
	}

	return strings.Join(parts, "\n")
}

// Close implements [Instance].
func (c *conversation) Close() error { return errors.Join(c.ClientSession.Close(), c.remove()) }
