package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// errorInReply is the error that a reply holds although its status is good, as JSON.
type errorInReply string

func (e errorInReply) Error() string { return "the reply holds an error" }

// statusFault is the fault of an answer that is not a 2xx.
func (b *Backend) statusFault(a wire.Answer) *server.Fault {
	c := readComplaint(a.Body)
	return b.link.StatusFault(a, c.kind(a.Status), b.advise(a.Status, c))
}

// replyFault is the fault of a reply with a good status that holds an error, or the error that it is.
func (b *Backend) replyFault(err error) error {
	var inside errorInReply
	if !errors.As(err, &inside) {
		return err
	}
	c := readComplaint([]byte(`{"error":` + string(inside) + `}`))
	kind := server.Transient
	if c.status >= 400 {
		kind = c.kind(c.status)
	} else if c.tooLong() {
		kind = server.TooLong
	}
	return b.link.Fault(kind, http.StatusOK, "the reply holds an error: "+c.message, nil)
}

// advise is the server's message with what to do about it.
func (b *Backend) advise(status int, c complaint) string {
	text := cmp.Or(c.message, http.StatusText(status))
	switch {
	case status == http.StatusNotFound && !c.known:
		return text + " (is the base URL right? It ends in /v1 on most servers)"
	case status == http.StatusNotFound:
		return fmt.Sprintf("%s (asked for the model %q)", text, b.opts.Model)
	case b.opts.Extensions && (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity):
		if name := c.unknownExtension(); name != "" {
			return fmt.Sprintf("the server does not take %s, one of vLLM's own fields: switch the extensions off: %s",
				name, text)
		}
	}
	return text
}

// complaint is what a server says in an error.
type complaint struct {
	known   bool // in one of the envelopes of the protocol
	message string
	param   string
	code    string
	status  int // the code as a number, 0 when it is none
}

// readComplaint reads the envelopes in use: nested ({"error":{"message",…}}), with a text for an error, flat
// ({"object":"error","message",…}), and that of a web framework ({"detail":…}). Any other body is the message itself.
func readComplaint(body []byte) complaint {
	var outer struct {
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	raw := complaint{message: string(body)}
	if json.Unmarshal(body, &outer) != nil {
		return raw
	}
	inner := body
	if len(outer.Error) > 0 {
		if text := looseText(outer.Error); text != "" {
			return complaint{known: true, message: text}
		}
		inner = outer.Error
	}
	var fields struct {
		Message json.RawMessage `json:"message"`
		Param   json.RawMessage `json:"param"`
		Code    json.RawMessage `json:"code"`
		Type    json.RawMessage `json:"type"`
	}
	if json.Unmarshal(inner, &fields) != nil || len(fields.Message) == 0 {
		if len(outer.Detail) > 0 {
			raw.known, raw.message = true, looseText(outer.Detail)
			if raw.message == "" {
				raw.message = string(outer.Detail)
			}
			// A framework's own "Not Found" is about the path, not about a model.
			raw.known = raw.message != http.StatusText(http.StatusNotFound)
		}
		return raw
	}
	c := complaint{
		known:   true,
		message: looseText(fields.Message),
		param:   looseText(fields.Param),
		code:    looseText(fields.Code) + " " + looseText(fields.Type),
	}
	if status, err := strconv.Atoi(string(fields.Code)); err == nil && status >= 100 && status < 600 {
		c.status = status
	}
	return c
}

// looseText is a JSON text, or the texts of a list.
func looseText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return strings.Join(list, ", ")
	}
	return ""
}

// kind is the kind of a complaint under a status.
func (c complaint) kind(status int) server.Kind {
	switch status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		if c.tooLong() {
			return server.TooLong
		}
	}
	return server.KindOfStatus(status)
}

// tooLongWords are how servers say, in small letters, that prompt and completion do not fit the window: vLLM's several
// wordings, OpenAI's, llama.cpp's and Ollama's.
var tooLongWords = []string{
	"maximum context length", "context_length_exceeded", "exceeds the context", "exceed_context_size",
	"exceeds the available context", "context window", "maximum model length", "max_model_len",
	"input is too long", "prompt is too long", "input tokens",
}

// tooLong reports whether the complaint is about the length of prompt and completion.
func (c complaint) tooLong() bool {
	if c.param == "input_tokens" || c.param == "input_text" {
		return true
	}
	text := strings.ToLower(c.message + " " + c.code)
	if strings.Contains(text, "cannot be greater than max_model_len") {
		return false // max_tokens alone: no prompt at all would fit, and every node would be a dead end
	}
	for _, words := range tooLongWords {
		if strings.Contains(text, words) {
			return true
		}
	}
	return strings.Contains(text, "max_tokens") && strings.Contains(text, "too large")
}

// unknownWords are how servers that check say, in small letters, that a field is not theirs.
var unknownWords = []string{
	"unknown", "unrecognized", "unrecognised", "unsupported", "unexpected", "not supported", "not permitted",
	"not allowed", "additional propert", "extra_forbidden", "extra fields", "extra inputs",
}

// unknownExtension is the extension that the server does not know, "" when the complaint is about something else.
func (c complaint) unknownExtension() string {
	text := strings.ToLower(c.message + " " + c.param + " " + c.code)
	unknown := false
	for _, words := range unknownWords {
		unknown = unknown || strings.Contains(text, words)
	}
	for _, name := range extensionNames {
		if unknown && strings.Contains(text, name) {
			return name
		}
	}
	return ""
}
