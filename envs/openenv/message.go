package openenv

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/envs/wire"
)

// Code is a kind of error that clients get.
type Code string

// The codes of OpenEnv that occur here; the package comment says when.
const (
	InvalidJSON     Code = "INVALID_JSON"
	UnknownType     Code = "UNKNOWN_TYPE"
	ValidationError Code = "VALIDATION_ERROR"
	ExecutionError  Code = "EXECUTION_ERROR"
	CapacityReached Code = "CAPACITY_REACHED"
	SessionError    Code = "SESSION_ERROR"
)

// Error is what a client gets in place of an answer.
type Error struct {
	Code    Code    `json:"code"`
	Message string  `json:"message"`
	Errors  []Fault `json:"errors,omitempty"` // of a ValidationError

	Active int `json:"active_sessions,omitempty"` // of CapacityReached
	Most   int `json:"max_sessions,omitempty"`
}

// Fault is something wrong with a message.
type Fault struct {
	Location []string `json:"loc"`
	Message  string   `json:"msg"`
	Type     string   `json:"type"` // missing, extra_forbidden or value_error
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }

// failed returns an error of code ExecutionError.
func failed(format string, args ...any) *Error {
	return &Error{Code: ExecutionError, Message: fmt.Sprintf(format, args...)}
}

// The types of messages.
const (
	resetMessage = "reset"
	stepMessage  = "step"
	stateMessage = "state"
	mcpMessage   = "mcp"
	closeMessage = "close"
)

// message is a frame that could be read.
type message struct {
	kind string
	data envs.Args
}

// parseMessage reads a frame.
func parseMessage(frame []byte) (m message, err error) {
	object, err := parseObject(frame)
	if err != nil {
		return m, err
	}

	if m.kind, _ = object.Text("type"); !slices.Contains(
		[]string{resetMessage, stepMessage, stateMessage, mcpMessage, closeMessage}, m.kind) {
		return m, &Error{Code: UnknownType, Message: fmt.Sprintf("unknown message type %.100q", m.kind)}
	}

	f := fields{object: object, known: []string{"type"}}

	switch m.kind {
	case resetMessage:
		m.data = f.mapping("data")
	case stepMessage, mcpMessage:
		f.require("data")
		m.data = f.mapping("data")
	}

	return m, f.fault()
}

// parseObject reads a JSON object.
func parseObject(text []byte) (envs.Args, error) {
	object, err := wire.Object(string(text))
	if err != nil {
		return nil, &Error{Code: InvalidJSON, Message: err.Error()}
	}
	return object, nil
}

// choice is what a reset asks for; nil and "" leave it open.
type choice struct {
	seed                            *uint64
	episode, task, dataset, version string
}

// mostEpisodeID is how many characters OpenEnv allows for the name of an episode.
const mostEpisodeID = 255

// parseReset reads the data of a reset.
func parseReset(data envs.Args) (c choice, err error) {
	f := fields{object: data, at: []string{"data"}}
	c.seed = f.natural("seed")
	c.episode, c.task, c.dataset, c.version = f.text("episode_id"), f.text("task_id"), f.text("dataset"), f.text("api")

	if utf8.RuneCountInString(c.episode) > mostEpisodeID {
		f.wrong("episode_id", "value_error", fmt.Sprintf("want at most %d characters", mostEpisodeID))
	}
	return c, f.fault()
}

// act is an action that a step asks for: a text, or the list of tools.
type act struct {
	text  envs.Action
	lists bool
}

// parseAction reads the data of a step. Without a type it is a call, as in OpenEnv.
func parseAction(data envs.Args, codec action.Codec) (a act, err error) {
	f := fields{object: data, at: []string{"data"}, known: []string{"metadata"}}

	switch kind := f.text("type"); kind {
	case "list_tools":
		a.lists = true
	case "text":
		f.require("text")
		a.text = envs.Action(f.text("text"))
	case "call_tool", "":
		a.text = f.call("tool_name", codec)
	default:
		f.wrong("type", "value_error", fmt.Sprintf("want call_tool, text or list_tools, not %.100q", kind))
		return a, f.invalid()
	}
	return a, f.fault()
}

// parseCall reads the parameters of MCP's tools/call.
func parseCall(params envs.Args, codec action.Codec) (envs.Action, error) {
	f := fields{object: params, at: []string{"params"}, known: []string{"_meta"}}
	text := f.call("name", codec)
	return text, f.fault()
}

// call returns the text of the call in an object.
func (f *fields) call(name string, codec action.Codec) envs.Action {
	f.require(name)

	text, ok := format(codec, f.text("thought"), envs.Call{Name: f.text(name), Args: f.mapping("arguments")})
	if !ok {
		f.wrong(name, "value_error", "cannot be the name of a tool")
	}
	return envs.Action(text)
}

// writtenText returns what a model wrote, from the data of a step that parseAction refused. Clients
// such as verifiers put a text that should be an object into the member that is required.
func writtenText(data envs.Args, codec action.Codec) envs.Action {
	kind, _ := data.Text("type")
	if kind != "" && !slices.Contains([]string{"call_tool", "text", "list_tools"}, kind) {
		return envs.Action(kind)
	}

	name, _ := data.Text("tool_name")
	if _, ok := format(codec, "", envs.Call{Name: name}); !ok {
		return envs.Action(name)
	}
	return envs.Action(pytext.AppendJSON(nil, data))
}

// format writes a call. ok is false if it would be read as another one; a thought that would be
// read as a call, or as its arguments, is left out.
func format(codec action.Codec, thought string, call envs.Call) (text string, ok bool) {
	for _, t := range []string{thought, ""} {
		text = codec.Format(t, call)

		read, err := codec.Parse(text)
		if call.Name == "" || err == nil && action.Canonical(read) == action.Canonical(call) {
			return text, true
		}
	}
	return text, false
}

// fields reads the members of an object, and notes what is wrong with them.
type fields struct {
	object envs.Args
	at     []string // where the object is in the message
	known  []string // members that may be there
	faults []Fault
}

func (f *fields) wrong(name, kind, text string) {
	f.faults = append(f.faults, Fault{append(slices.Clip(f.at), name), text, kind})
}

// get returns an optional member; null counts as missing.
func (f *fields) get(name string) any {
	f.known = append(f.known, name)
	v, _ := f.object.Get(name)
	return v
}

// require notes a member that is missing.
func (f *fields) require(name string) {
	if f.get(name) == nil {
		f.wrong(name, "missing", "is required")
	}
}

// text returns a text, or "".
func (f *fields) text(name string) string {
	v := f.get(name)

	s, ok := v.(string)
	if v != nil && !ok {
		f.wrong(name, "value_error", "want a string, not a "+pytext.TypeName(v))
	}
	return s
}

// mapping returns an object, or an empty one.
func (f *fields) mapping(name string) envs.Args {
	v := f.get(name)

	object, ok := v.(envs.Args)
	if v != nil && !ok {
		f.wrong(name, "value_error", "want an object, not a "+pytext.TypeName(v))
	}
	return object
}

// natural returns an integer from 0 on, or nil.
func (f *fields) natural(name string) *uint64 {
	v := f.get(name)
	if v == nil {
		return nil
	}

	number, _ := v.(envs.Number)

	n, err := strconv.ParseUint(string(number), 10, 63)
	if err != nil {
		f.wrong(name, "value_error", "want an integer from 0 to 2^63-1")
	}
	return &n
}

// fault returns an error with all that is wrong, including unknown members.
func (f *fields) fault() error {
	for _, a := range f.object {
		if !slices.Contains(f.known, a.Name) {
			f.wrong(a.Name, "extra_forbidden", "is not known here")
		}
	}

	if len(f.faults) == 0 {
		return nil
	}
	return f.invalid()
}

// mostFaults is how many faults a client gets: it may have sent thousands.
const mostFaults = 10

func (f *fields) invalid() error {
	first := f.faults[0]
	return &Error{
		Code:    ValidationError,
		Message: fmt.Sprintf("%.200s: %s", strings.Join(first.Location, "."), first.Message),
		Errors:  f.faults[:min(len(f.faults), mostFaults)],
	}
}

// encode returns a message to the client.
func encode(kind string, data any) []byte {
	text, err := json.Marshal(struct {
		Type string `json:"type"`
		Data any    `json:"data"`
	}{kind, data})
	if err != nil {
		panic(err) // all messages are texts, numbers, and JSON made here
	}

	return text
}
