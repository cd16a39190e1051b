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
	reply := rpcReply{Version: "2.0", ID: json.RawMessage("null")}
	wrong := func(code int, text string) rpcReply {
		reply.Error = &rpcError{code, text}
		return reply
	}

	f := fields{object: request, at: []string{}}
	f.require("jsonrpc")
	f.require("method")
	version, method, params := f.text("jsonrpc"), f.text("method"), f.mapping("params")

	switch id := f.get("id").(type) {
	case string, envs.Number:
		if text := pytext.AppendJSON(nil, id); json.Valid(text) { // NaN is a number to Python
			reply.ID = text
		}
	}

	if err := f.fault(); err != nil || version != "2.0" {
		return wrong(invalidRequest, "invalid request: want jsonrpc 2.0, a method, and params and an id, if at all")
	}

	switch method {
	case "tools/list":
		reply.Result = toolsResult{c.shown().tools}
		return reply
	case "tools/call":
	default:
		return wrong(unknownMethod, "method not found: want tools/list or tools/call")
	}

	text, err := parseCall(params, s.o.Codec)
	if err != nil {
		return wrong(invalidParams, "invalid params: "+err.Error())
	}

	o, err := c.act(ctx, text)
	if err != nil {
		return wrong(serverError, err.Error())
	}

	said := o.Observation.(called)
	reply.Result = callResult{[]content{{"text", said.Result}}, said.Error != nil, o}

	return reply
}
