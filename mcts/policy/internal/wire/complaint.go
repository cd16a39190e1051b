package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Complaint is what a server says in an error.
type Complaint struct {
	Known   bool // it came in one of the envelopes of the protocols
	Message string
	Param   string
	Code    string      // and the type
	Status  int         // the code if it is an HTTP status, else 0
	Header  http.Header // of the server behind a gateway, if the gateway repeats them
}

// Error implements error: some servers complain although the status is good.
func (c Complaint) Error() string { return "the reply holds an error: " + c.Message }

// CheckError returns the [Complaint] in a reply's own member "error", or nil if that is empty.
func CheckError(member []byte) error {
	if text := string(member); text == "" || text == "null" || text == `""` {
		return nil
	}
	return ReadComplaint(fmt.Appendf(nil, `{"error":%s}`, member))
}

// ReadComplaint reads the envelopes in use: nested ({"error":{"message",…}}), with a text for an
// error, flat ({"object":"error","message",…}), and that of a web framework ({"detail":…}). Any
// other body is the message itself.
func ReadComplaint(body []byte) Complaint {
	var outer struct {
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return Complaint{Message: string(body)}
	}

	inner := body

	// A text is the whole message. Otherwise the fields are one level further in.
	if len(outer.Error) > 0 {
		if text := looseText(outer.Error); text != "" {
			return Complaint{Known: true, Message: text}
		}

		inner = outer.Error
	}

	var fields struct {
		Message json.RawMessage `json:"message"`
		Param   json.RawMessage `json:"param"`
		Code    json.RawMessage `json:"code"`
		Type    json.RawMessage `json:"type"`
		Meta    json.RawMessage `json:"metadata"`
	}
	switch {
	case json.Unmarshal(inner, &fields) == nil && len(fields.Message) > 0:
		c := Complaint{
			Known:   true,
			Message: looseText(fields.Message),
			Param:   looseText(fields.Param),
			Code:    looseText(fields.Code) + " " + looseText(fields.Type),
			Header:  headersIn(fields.Meta),
		}

		// A gateway that answers 200 reports here the status that it got itself. Other codes are
		// words.
		status, err := strconv.Atoi(strings.Trim(string(fields.Code), `"`))
		if err == nil && status >= 100 && status < 600 {
			c.Status = status
		}
		return c
	case len(outer.Detail) > 0:
		message := looseText(outer.Detail)
		if message == "" {
			message = string(outer.Detail)
		}
		// A framework's own "Not Found" is about the path, not about a model.
		return Complaint{Known: message != http.StatusText(http.StatusNotFound), Message: message}
	}

	return Complaint{Message: string(body)}
}

// headersIn returns the headers that OpenRouter repeats beside its error.
func headersIn(metadata json.RawMessage) http.Header {
	var fields struct {
		Headers map[string]any `json:"headers"`
	}
	if json.Unmarshal(metadata, &fields) != nil {
		return nil
	}

	h := http.Header{}

	for name, value := range fields.Headers {
		if number, ok := value.(float64); ok {
			value = strconv.FormatFloat(number, 'f', -1, 64)
		}

		h.Set(name, fmt.Sprint(value))
	}
	return h
}

// looseText returns a JSON text, or the joined texts of a list.
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

// tooLongWords are how servers say, in small letters, that prompt and completion do not fit the
// window: vLLM's several wordings, OpenAI's, llama.cpp's and Ollama's, TensorRT-LLM's, those of
// text-generation-inference, SGLang's and Together's, LM Studio's, xAI's two, and Gemini's.
var tooLongWords = []string{
	"maximum context length", "context_length_exceeded", "exceeds the context", "exceed_context_size",
	"exceeds the available context", "context window", "maximum model length", "max_model_len",
	"input is too long", "prompt is too long", "input tokens", "should not exceed max_seq_len",
	"should not exceed max_num_tokens", "`inputs` tokens + `max_new_tokens`",
	"`inputs` must have less than", "is longer than the model's context length",
	"tokens) exceeds the maximum allowed length", "greater than the context length",
	"maximum prompt length", "input_too_large", "input token count",
}

// TooLong reports whether the complaint is about the length of prompt and completion.
func (c Complaint) TooLong() bool {
	text := strings.ToLower(c.Message + " " + c.Code)
	switch {
	case c.Param == "input_tokens", c.Param == "input_text":
		return true
	case strings.Contains(text, "cannot be greater than max_model_len"):
		return false // max_tokens alone: no prompt would fit, and every node would be a dead end
	case strings.Contains(text, "max_tokens") && strings.Contains(text, "too large"):
		return true
	}

	return mentions(text, tooLongWords)
}

// unreadWords are how llama.cpp and Ollama say, in small letters, that their parser cannot read a
// call of the model.
var unreadWords = []string{
	"model produced output that does not match", "failed to parse input at pos", "error parsing tool call",
	"xml syntax error on line",
}

// Unread reports whether a complaint with the status of a broken server is about what the model
// wrote.
func Unread(status int, message string) bool {
	return status == http.StatusInternalServerError &&
		mentions(strings.ToLower(message), unreadWords)
}

func mentions(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}
