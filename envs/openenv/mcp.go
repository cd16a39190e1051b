package openenv

import (
	"context"
	"encoding/json"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// The codes of JSON-RPC.
const (
	parseError     = -32700
	invalidRequest = -32600
	unknownMethod  = -32601
	invalidParams  = -32602
	serverError    = -32000
)

// rpcReply is an answer of JSON-RPC: a result or an error.
type rpcReply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// toolsResult and callResult are the results of MCP.
type toolsResult struct {
	Tools json.RawMessage `json:"tools"`
}

type callResult struct {
	Content    []content `json:"content"`
	IsError    bool      `json:"isError"`
	Structured observed  `json:"structuredContent"`
}

type content struct {
	Type string `json:"type"` // text
	Text string `json:"text"`
}

// rpc answers a request of JSON-RPC in a session.
func (s *Server) rpc(ctx context.Context, c *session, request envs.Args) rpcReply {
	f := fields{object: request, at: []string{}}
	f.require("method")
	version, method, params := f.text("jsonrpc"), f.text("method"), f.mapping("params")
	reply := rpcReply{Version: "2.0", ID: json.RawMessage("null")}

	switch id := f.get("id").(type) {
	case string, envs.Number:
		if text := pytext.AppendJSON(nil, id); json.Valid(text) { // NaN is a number to Python
			reply.ID = text
		}
	}

	switch err := f.fault(); {
	case err != nil || version != "2.0":
		reply.Error = &rpcError{invalidRequest, "invalid request: want jsonrpc 2.0, a method, params and an id"}
	case method == "tools/list":
		reply.Result = toolsResult{c.shown().tools}
	case method == "tools/call":
		reply.Result, reply.Error = c.callTool(ctx, params)
	default:
		reply.Error = &rpcError{unknownMethod, "method not found: want tools/list or tools/call"}
	}

	return reply
}

// callTool takes a turn as MCP's tools/call. The result is nil if there is an error.
func (c *session) callTool(ctx context.Context, params envs.Args) (any, *rpcError) {
	text, wrong := parseCall(params, c.s.o.Codec)
	act := c.act

	switch {
	case wrong != nil && (c.episode == nil || c.over()):
		return nil, &rpcError{invalidParams, "invalid params: " + wrong.Error()}
	case wrong != nil:
		// Agents pass on what their model wrote: an error that costs no turn would come again and
		// again.
		text = writtenText(params, c.s.o.Codec)
		act = func(ctx context.Context, text envs.Action) (observed, error) { return c.actMisformed(ctx, text, wrong) }
	}

	o, err := act(ctx, text)
	if err != nil {
		return nil, &rpcError{serverError, err.Error()}
	}

	said := o.Observation.(called)
	return callResult{[]content{{"text", said.Result}}, said.Error != nil, o}, nil
}
