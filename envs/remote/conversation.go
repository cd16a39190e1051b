package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
)

// conversation is a session with a server. It implements [Instance].
type conversation struct {
	*mcp.ClientSession
	programs

	shown       string
	listed      []string // names of tools, including those that the SDK leaves out
	wantHeaders bool     // calls of some tool repeat arguments in headers
}

// client returns the client of the session. It offers a server nothing: there is nobody to ask.
func (c *conversation) client() *mcp.Client {
	client := mcp.NewClient(&mcp.Implementation{Name: "toolevo", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})

	client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, r)
			if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
				for _, t := range list.Tools {
					if t != nil {
						c.listed = append(c.listed, t.Name)
					}
				}
			}

			return result, err
		}
	})
	return client
}

// list returns the tools of the server, or those that it listed before for as long as that list
// holds (ttlMs).
func (c *conversation) list(ctx context.Context) (tools []*mcp.Tool, err error) {
	c.listed, c.wantHeaders = nil, false

	for t, err := range c.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list tools: %w", c.quiet(err))
		}

		tools = append(tools, t)
		schema, _ := json.Marshal(t.InputSchema) // it was JSON
		c.wantHeaders = c.wantHeaders || strings.Contains(string(schema), `"`+headerKey+`"`)
	}
	return tools, nil
}

// headerKey is the member of a parameter's schema that makes calls over HTTP repeat the value in a
// header. The SDK does so for tools that it has listed.
const headerKey = "x-mcp-header"

// Call implements [Instance]. A refusal by the protocol is a mistake in the call. A server that is
// gone, or asks for what nobody here can give, is an error.
func (c *conversation) Call(ctx context.Context, tool string, args envs.Args) (envs.Result, error) {
	// The protocol wants an object, also from a tool without parameters.
	if args == nil {
		args = envs.Args{}
	}

	text := pytext.JSON(args)
	if !json.Valid([]byte(text)) {
		return envs.Result{
			Observation: "The arguments cannot be sent: NaN and Infinity are no numbers of JSON.",
			Outcome:     envs.InvocationError,
		}, nil
	}

	// Agents know the folder by one path, since every instance has another folder.
	if c.shown != "" && c.dir != "" {
		text = strings.ReplaceAll(text, c.shown, c.dir)
	}

	reply, err := c.call(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(text)})

	var refused *jsonrpc.Error

	// Depending on the revision, a tool asks for input in a reply or by an error. Neither that nor
	// an error after ctx has ended is the agent's mistake.
	switch {
	case err == nil && reply.NeedsInput():
		asked, _ := json.Marshal(reply.InputRequests) // it was JSON
		return envs.Result{}, &Asks{tool, c.hide(string(asked))}
	case errors.As(err, &refused) && slices.Contains(missingInput, refused.Code):
		return envs.Result{}, &Asks{tool, c.hide(refused.Message + " " + string(refused.Data))}
	case errors.As(err, &refused) && ctx.Err() == nil && !c.isUnsent(err) &&
		!slices.Contains(clientFaults, refused.Code):
		message := c.hidden(refused.Message)
		return envs.Result{Observation: message, Outcome: envs.InvocationError}, nil
	case err != nil && refused == nil && c.answers(ctx):
		return envs.Result{}, &unread{tool, c.quiet(err)}
	case err != nil:
		return envs.Result{}, fmt.Errorf("%w%s", c.quiet(err), c.lastOutput())
	}

	text = textOf(reply)
	if len(text) > defaultMostBytes {
		return tooLarge(defaultMostBytes), nil
	}

	result := envs.Result{Observation: c.hidden(text), Outcome: envs.OK}
	if reply.IsError {
		result.Outcome = envs.ToolError
	}
	return result, nil
}

// Codes of refusals that are not about the call.
var (
	clientFaults = []int64{mcp.CodeHeaderMismatch, mcp.CodeUnsupportedProtocolVersion}
	missingInput = []int64{mcp.CodeMissingRequiredClientCapabilities, mcp.CodeURLElicitationRequired}
)

// codeRejected is how the SDK marks a request that did not get through: no connection, or a status
// such as 503, or 404 for a session that the server has lost.
const codeRejected = -32005

// isUnsent reports whether a call did not get through. In a session, a refusal of the call itself
// comes with the status 200; without one, a status may stand for what the server words beside it.
func (c *conversation) isUnsent(err error) bool {
	worded, _ := errors.AsType[*jsonrpc.Error](err)
	return errors.Is(err, &jsonrpc.Error{Code: codeRejected}) &&
		(c.ID() != "" || worded.Code == codeRejected)
}

// call makes a call with the headers that the current list wants. If the server misses some, it has
// done nothing and its list has changed: that is read again, once.
func (c *conversation) call(ctx context.Context, p *mcp.CallToolParams) (
	*mcp.CallToolResult, error,
) {
	for again := false; ; again = true {
		if c.wantHeaders || again {
			if _, err := c.list(ctx); err != nil {
				return nil, err
			}
		}

		reply, err := c.CallTool(ctx, p)

		var refused *jsonrpc.Error
		if again || !errors.As(err, &refused) || refused.Code != mcp.CodeHeaderMismatch {
			return reply, err
		}
	}
}

// Asks is the error of a tool that asks for what nobody here can give: its user's word, or a
// model's. For is the request in the server's words.
type Asks struct{ Tool, For string }

// Error says what the tool asks for.
func (a *Asks) Error() string {
	return fmt.Sprintf("%s asks its client for %s, and nobody is there to answer: leave the tool out", a.Tool,
		display.Line(a.For, mostShown))
}

// GivenUp implements what [envs.GivenUp] asks for: other questions may not need the tool.
func (a *Asks) GivenUp() string { return "a tool asks its client, and nobody is there to answer" }

// hidden takes the secrets and the folder out of a text.
func (c *conversation) hidden(text string) string {
	if c.shown != "" && c.dir != "" {
		text = strings.ReplaceAll(text, c.dir, c.shown)
	}
	return c.hide(text)
}

// textOf returns the text of a reply. Other contents are named by their type and size.
func textOf(reply *mcp.CallToolResult) string {
	var parts []string

	for _, content := range reply.Content {
		switch content := content.(type) {
		case *mcp.TextContent:
			parts = append(parts, content.Text)
		case *mcp.ImageContent:
			parts = append(parts, sized(content.MIMEType, content.Data))
		case *mcp.AudioContent:
			parts = append(parts, sized(content.MIMEType, content.Data))
		case *mcp.ResourceLink:
			parts = append(parts, content.URI)
		case *mcp.EmbeddedResource:
			switch r := content.Resource; {
			case r == nil:
				parts = append(parts, "[resource]")
			case r.Blob != nil:
				parts = append(parts, sized(cmp.Or(r.MIMEType, "resource"), r.Blob))
			default:
				parts = append(parts, r.Text)
			}
		}
	}

	if len(parts) == 0 && reply.StructuredContent != nil {
		text, _ := json.Marshal(reply.StructuredContent) // it was JSON
		return string(text)
	}
	return strings.Join(parts, "\n")
}

// sized names data by its type and size.
func sized(kind string, data []byte) string {
	return fmt.Sprintf("[%s, %d bytes]", kind, len(data))
}

// Close implements [Instance].
func (c *conversation) Close() error {
	err := c.ClientSession.Close()
	// On a busy machine a server may end just before it is killed.
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	return errors.Join(err, c.remove())
}
