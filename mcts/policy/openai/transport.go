package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// transport is the way from go-openai to the server. The client leaves out every field that is zero (temperature 0,
// logprobs 0), has none for vLLM's extensions, refuses some names of models, and decodes log-probabilities as float32
// without nulls and replies without stop_reason. So the head of the body, which the client writes with an empty model
// and prompt, and the fields it lacks are written here, and the reply is kept for our own decoding; the client gets an
// empty object in its place, so that a long reply is decoded once.
type transport struct {
	base          http.RoundTripper
	authorization string
	maxReply      int64
}

// exchange is one request and its reply, carried to the transport in the request's context.
type exchange struct {
	clientHead []byte // how the client's body begins
	head       []byte // what stands there instead
	tail       []byte // more fields, ",\"name\":value…", before the closing brace

	sent   bool // the request left for the server
	status int  // 0 until the whole reply was read
	header http.Header
	body   []byte
}

type exchangeKey struct{}

func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// errReplyTooLong says that a reply went past the bound.
var errReplyTooLong = errors.New("the reply is longer than the bound")

// RoundTrip sends the request with its exchange's fields, and reads the whole reply into it.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, errors.New("a request without an exchange")
	}
	out := req.Clone(req.Context()) // a RoundTripper must leave its request alone
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		req.Body.Close()
		if err == nil {
			body, err = x.splice(body)
		}
		if err != nil {
			return nil, err
		}
		out.Body = io.NopCloser(bytes.NewReader(body))
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		out.ContentLength = int64(len(body))
	}
	if t.authorization != "" {
		out.Header.Set("Authorization", t.authorization)
	}

	x.sent = true
	resp, err := t.base.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, t.maxReply+1))
	if err != nil {
		return nil, fmt.Errorf("reading the reply: %w", err)
	}
	if int64(len(body)) > t.maxReply {
		return nil, fmt.Errorf("%w of %d bytes", errReplyTooLong, t.maxReply)
	}
	x.status, x.header, x.body = resp.StatusCode, resp.Header, body
	resp.Body = io.NopCloser(bytes.NewReader([]byte("{}")))
	return resp, nil
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
