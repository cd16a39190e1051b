package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"toolevo/mcts/policy/server"
)

// longestMessage bounds a fault's message, in characters.
const longestMessage = 400

// longestWait bounds what a Retry-After may ask for.
const longestWait = 24 * time.Hour

// errInReply says that a reply with a good status is an error all the same.
var errInReply = errors.New("the reply holds an error")

// fault is a fault without secrets.
func (b *Backend) fault(kind server.Kind, status int, message string, cause error) *server.Fault {
	return &server.Fault{
		Kind:    kind,
		Address: b.Address(),
		Status:  status,
		Message: shorten(b.secrets.hide(message)),
		Err:     b.secrets.hideError(cause),
	}
}

// statusFault is the fault of an answer that is not a 2xx.
func (b *Backend) statusFault(x *exchange) *server.Fault {
	c := readComplaint(x.body)
	f := b.fault(c.kind(x.status), x.status, b.advise(x, c), nil)
	f.RetryAfter = retryAfter(x.header)
	return f
}

// replyFault is the fault of an answer with a good status that is no completion.
func (b *Backend) replyFault(x *exchange, err error) *server.Fault {
	if !errors.Is(err, errInReply) {
		return b.fault(server.Transient, x.status, "", err)
	}
	c := readComplaint(x.body)
	kind := server.Transient
	if c.status >= 400 {
		kind = c.kind(c.status)
	} else if c.tooLong() {
		kind = server.TooLong
	}
	return b.fault(kind, x.status, c.message, nil)
}

// advise is the server's message with what to do about it.
func (b *Backend) advise(x *exchange, c complaint) string {
	text := c.message
	if text == "" {
		text = http.StatusText(x.status)
	}
	switch {
	case x.status >= 300 && x.status < 400:
		return fmt.Sprintf("the server redirects to %q, which is not followed: make that the base URL",
			x.header.Get("Location"))
	case x.status == http.StatusUnauthorized || x.status == http.StatusForbidden:
		if !b.keyed {
			return text + " (the server wants a key that it accepts)"
		}
		return text
	case x.status == http.StatusNotFound && !c.known:
		return text + " (is the base URL right? It ends in /v1 on most servers)"
	case x.status == http.StatusNotFound:
		return fmt.Sprintf("%s (asked for the model %q)", text, b.opts.Model)
	case b.opts.Extensions && (x.status == http.StatusBadRequest || x.status == http.StatusUnprocessableEntity):
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

// retryAfter is how long the server asks to wait: milliseconds, seconds, or until a date by the server's own clock.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return wait(ms / 1000)
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return wait(seconds)
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return wait(until.Sub(now).Seconds())
}

func wait(seconds float64) time.Duration {
	if math.IsNaN(seconds) || seconds <= 0 {
		return 0
	}
	return time.Duration(min(seconds, longestWait.Seconds()) * float64(time.Second))
}

// shorten is a message on one line, without control characters, cut to its bound.
func shorten(text string) string {
	// Only the beginning is looked at: an error page can be megabytes.
	if len(text) > 16*longestMessage {
		text = text[:16*longestMessage]
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > longestMessage {
		return string(runes[:longestMessage]) + "…"
	}
	return text
}
