package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// legible is a transport over a pipe whose replies the SDK can read. It fails at a whole reply
// because of one content, such as one of a type that it does not know.
type legible struct{ mcp.Transport }

// Connect implements [mcp.Transport].
func (l legible) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := l.Transport.Connect(ctx)
	return legibleConnection{c}, err
}

type legibleConnection struct{ mcp.Connection }

// Read implements [mcp.Connection].
func (l legibleConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := l.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Response); ok {
		r.Result = legibly(r.Result)
	}
	return m, err
}

// legibly puts texts in the place of contents of a reply that the SDK cannot read.
func legibly(result json.RawMessage) json.RawMessage {
	var (
		members  map[string]json.RawMessage
		contents []json.RawMessage
		isSpoilt bool
	)

	// What is no reply of a tool is left to the SDK.
	if json.Unmarshal(result, &members) != nil ||
		json.Unmarshal(members["content"], &contents) != nil {
		return result
	}

	for i, c := range contents {
		alone := fmt.Appendf(nil, `{"content":[%s]}`, c)
		if json.Unmarshal(alone, &mcp.CallToolResult{}) == nil {
			continue
		}

		var named struct {
			Type string `json:"type"`
		}

		_ = json.Unmarshal(c, &named) // without a type, [] says at least that there was something
		contents[i], _ = json.Marshal(&mcp.TextContent{Text: "[" + named.Type + "]"})
		isSpoilt = true
	}

	if !isSpoilt {
		return result
	}

	members["content"], _ = json.Marshal(contents) // they are JSON
	result, _ = json.Marshal(members)
	return result
}

// unread is the error of a reply that cannot be read.
type unread struct {
	tool  string
	cause error
}

// Error says what is wrong with the reply.
func (u *unread) Error() string {
	return fmt.Sprintf("the reply of %s cannot be read: %v: leave the tool out", u.tool, u.cause)
}

// Unwrap returns what is wrong with the reply.
func (u *unread) Unwrap() error { return u.cause }

// GivenUp implements what [envs.GivenUp] asks for: other questions may not need the tool.
func (u *unread) GivenUp() string { return "a tool's reply cannot be read" }

// answers reports whether the server still answers, be it by a refusal.
func (c *conversation) answers(ctx context.Context) bool {
	err := c.Ping(ctx, nil)
	_, refused := errors.AsType[*jsonrpc.Error](err)
	return err == nil || refused && !c.isUnsent(err)
}
