package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"toolevo/mcts/policy/internal/wire"
)

// splicer is the way from go-openai to the server. The client leaves out every field that is zero (temperature 0,
// logprobs 0), has none for vLLM's extensions, refuses some names of models, and decodes log-probabilities as float32
// without nulls and replies without stop_reason. So the head of the body, which the client writes with an empty model
// and prompt, and the fields it lacks are written here, and the answer is kept for our own decoding; the client gets an
// empty object in its place, so that a long reply is decoded once.
type splicer struct{ link *wire.Link }

// exchange is one request and its answer, carried to the splicer in the request's context.
type exchange struct {
	clientHead []byte // how the client's body begins
	head       []byte // what stands there instead
	tail       []byte // more fields, ",\"name\":value…", before the closing brace

	sent   bool         // the request was handed to the link
	answer *wire.Answer // nil until the whole of it was read
}

type exchangeKey struct{}

func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// Do sends the client's request with its exchange's fields, and keeps the answer there.
func (s splicer) Do(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, errors.New("a request without an exchange")
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if body, err = x.splice(body); err != nil {
		return nil, err
	}
	out, err := http.NewRequestWithContext(req.Context(), req.Method, req.URL.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out.Header = req.Header

	x.sent = true
	if x.answer, err = s.link.Send(out); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: x.answer.Header, Body: io.NopCloser(bytes.NewReader([]byte("{}"))), Request: req,
	}, nil
}

// splice returns the client's body with the exchange's head and tail.
func (x *exchange) splice(body []byte) ([]byte, error) {
	body = bytes.TrimSpace(body)
	rest, ok := bytes.CutPrefix(body, x.clientHead)
	if !ok || !bytes.HasSuffix(rest, []byte("}")) {
		return nil, fmt.Errorf("the client's body does not begin with %s", x.clientHead)
	}
	rest = rest[:len(rest)-1]
	out := make([]byte, 0, len(x.head)+len(rest)+len(x.tail)+1)
	out = append(out, x.head...)
	out = append(out, rest...)
	out = append(out, x.tail...)
	return append(out, '}'), nil
}
