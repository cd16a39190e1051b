package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// mostTexts is how many texts one request holds: what servers take that nobody configured.
const mostTexts = 32

// Embedder is an embedding model on one server, at its endpoint /embeddings. It is safe for concurrent use.
type Embedder struct {
	backend *Backend
	retry   server.Retry
}

// NewEmbedder returns the embedder. It sends nothing. Of the options BaseURL, APIKey, Model, Timeout, DialTimeout,
// MaxReply and Transport count; the others are about completions. The way to the server is that of a [Backend].
func NewEmbedder(opts Options, retry server.Retry) (*Embedder, error) {
	b, err := New(Options{
		BaseURL: opts.BaseURL, APIKey: opts.APIKey, Model: opts.Model,
		Timeout: opts.Timeout, DialTimeout: opts.DialTimeout, MaxReply: opts.MaxReply, Transport: opts.Transport,
	})
	if err != nil {
		return nil, err
	}
	return &Embedder{b, retry}, nil
}

// Model returns the model's name.
func (e *Embedder) Model() string { return e.backend.opts.Model }

// Address names the server, without credentials.
func (e *Embedder) Address() string { return e.backend.Address() }

// Close ends the connections that are idle.
func (e *Embedder) Close() { e.backend.Close() }

// Embed returns the vectors of the texts, in their order and all of one length, as the server gives them. A text that is
// longer than the model takes is cut at its end, as many servers do it themselves, and a batch that is too large is
// divided. Transient faults are tried again; the error wraps a [*server.Fault] or a [*server.GoneError], or is the
// context's.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	all := make([][]float32, 0, len(texts))
	for batch := range slices.Chunk(texts, mostTexts) {
		list, err := e.fit(ctx, batch)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	for _, v := range all {
		if len(v) != len(all[0]) {
			return nil, e.backend.link.Fault(server.Refused, 0, fmt.Sprintf("vectors of %d and of %d numbers", len(all[0]), len(v)), nil)
		}
	}
	return all, nil
}

// fit embeds a batch, and what the server takes of it where it is too much.
func (e *Embedder) fit(ctx context.Context, texts []string) ([][]float32, error) {
	var list [][]float32
	var tooMuch *server.Fault
	err := e.retry.Do(ctx, seedOf(texts), func() error {
		var err error
		list, tooMuch, err = e.request(ctx, texts)
		return err
	})
	switch half := len(texts) / 2; {
	case err != nil || tooMuch == nil:
		return list, err
	case half > 0:
		first, err := e.fit(ctx, texts[:half])
		if err != nil {
			return nil, err
		}
		second, err := e.fit(ctx, texts[half:])
		return append(first, second...), err
	default:
		shorter := shortened(texts[0])
		if shorter == "" {
			return nil, tooMuch
		}
		return e.fit(ctx, []string{shorter})
	}
}

// seedOf is a seed of a batch's own.
func seedOf(texts []string) uint64 {
	h := fnv.New64a()
	for _, text := range texts {
		h.Write([]byte(text))
	}
	return h.Sum64()
}

// shortened is a text without its last quarter, "" when nothing sensible would be left.
func shortened(text string) string {
	n := len(text) / 4 * 3
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return strings.TrimSpace(text[:n])
}

// request sends one request. That it is too much for the server is no error.
func (e *Embedder) request(ctx context.Context, texts []string) (list [][]float32, tooMuch *server.Fault, err error) {
	b := e.backend
	body, err := encode(embeddingJSON{Model: e.Model(), Input: texts, Encoding: "float"})
	if err != nil {
		return nil, nil, b.link.NotSent(err)
	}
	a, err := b.do(ctx, func(ctx context.Context) (*wire.Answer, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.base.JoinPath("embeddings").String(), bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/json")
		return b.link.Send(req)
	})
	if err == nil {
		if list, err = decodeVectors(a.Body, len(texts)); err != nil {
			err = b.replyFault(a, err)
		}
	}
	var fault *server.Fault
	if errors.As(err, &fault) && isTooMuch(fault) {
		return nil, fault, nil
	}
	return list, nil, err
}

// tooMuchWords are how servers say, in small letters, that they take fewer texts at a time, or shorter ones: that of
// llama.cpp, whose status is 500, and those of text-embeddings-inference and others like it.
var tooMuchWords = []string{"too large to process", "batch size", "must have less than"}

// isTooMuch reports whether a server would take fewer texts, or shorter ones.
func isTooMuch(f *server.Fault) bool {
	if f.Kind == server.TooLong || f.Status == http.StatusRequestEntityTooLarge {
		return true
	}
	text := strings.ToLower(f.Message)
	return f.Status >= 400 && slices.ContainsFunc(tooMuchWords, func(words string) bool { return strings.Contains(text, words) })
}

// embeddingJSON is a request. go-openai's has a user in it, and its client reads replies without a bound.
type embeddingJSON struct {
	Model    string   `json:"model"`
	Input    []string `json:"input"`
	Encoding string   `json:"encoding_format"`
}

// vectorsJSON is a reply. The numbers are read apart, for a null among them would pass for a zero.
type vectorsJSON struct {
	Error json.RawMessage `json:"error"` // some gateways send an error with a 200
	Data  []struct {
		Index     *int            `json:"index"`
		Embedding json.RawMessage `json:"embedding"`
	} `json:"data"`
}

// decodeVectors reads the body of a reply to n texts.
func decodeVectors(body []byte, n int) ([][]float32, error) {
	var r vectorsJSON
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("not the JSON of a reply: %w", err)
	}
	if len(r.Error) > 0 && string(r.Error) != "null" {
		return nil, errInReply
	}
	if len(r.Data) != n {
		return nil, fmt.Errorf("%d vectors for %d texts", len(r.Data), n)
	}
	list := make([][]float32, n)
	for i, d := range r.Data {
		if d.Index == nil || *d.Index < 0 || *d.Index >= n || list[*d.Index] != nil {
			return nil, fmt.Errorf("vector %d of %d has no index of its own", i, n)
		}
		var v []float32
		if bytes.Contains(d.Embedding, []byte("null")) {
			return nil, fmt.Errorf("vector %d has numbers that are null", *d.Index)
		}
		if err := json.Unmarshal(d.Embedding, &v); err != nil || len(v) == 0 {
			return nil, errors.Join(fmt.Errorf("vector %d is no list of numbers", *d.Index), err)
		}
		list[*d.Index] = v
	}
	return list, nil
}
