package openai

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"toolevo/envs"
	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// mostTexts is how many texts one request holds: what servers take by default.
const mostTexts = 32

// Embedder is an embedding model on one server, at its endpoint /embeddings. It is safe for
// concurrent use.
type Embedder struct {
	backend *Backend
	asker   *server.Asker
}

// NewEmbedder returns the embedder. It sends nothing. The way to the server is that of a [Backend].
func NewEmbedder(e server.Endpoint, retry server.Retry) (*Embedder, error) {
	b, err := New(Options{Endpoint: e})
	if err != nil {
		return nil, err
	}
	return &Embedder{b, server.NewAsker(b.Address(), retry, nil)}, nil
}

// Model returns the model's name.
func (e *Embedder) Model() string { return e.backend.opts.Model }

// Address names the server, without credentials.
func (e *Embedder) Address() string { return e.backend.Address() }

// Close ends the connections that are idle.
func (e *Embedder) Close() { e.backend.Close() }

// Embed returns the vectors of the texts, in their order and all of one length, as the server gives
// them. A text that is longer than the model takes is cut at its end, as many servers do it
// themselves, and a batch that is too large is divided. Transient faults are tried again; the error
// wraps a [*server.Fault] or a [*server.GoneError], or is the context's. If the server fails at
// single texts, these have no vector; the others do, and the error, for which envs.GivenUp holds,
// is that of the first.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	all := make([][]float32, 0, len(texts))

	var lost error

	for batch := range slices.Chunk(texts, mostTexts) {
		list, err := e.fit(ctx, batch, false)
		if lost = cmp.Or(lost, err); list == nil {
			return nil, err
		}

		all = append(all, list...)
	}

	size := 0

	for _, v := range all {
		if size == 0 {
			size = len(v)
		}

		if v != nil && len(v) != size {
			return nil, e.backend.link.Fault(server.Refused, 0,
				fmt.Sprintf("vectors of %d and of %d numbers", size, len(v)), nil)
		}
	}

	return all, lost
}

// known is what any embedding server takes.
var known = []string{"Hello"}

// fit embeds a batch, dividing it if it is too much for the server, or fails. doubted says that the
// batch is part of one that failed.
func (e *Embedder) fit(ctx context.Context, texts []string, doubted bool) ([][]float32, error) {
	var list [][]float32
	var tooMuch *server.Fault

	err := e.asker.Ask(ctx, server.Query{
		Key:     strings.Join(texts, "\x00"),
		Doubted: doubted && len(texts) > 1,
		Send: func(ctx context.Context) (err error) {
			list, tooMuch, err = e.request(ctx, texts)
			return err
		},
		Known: func(ctx context.Context) error {
			_, _, err := e.request(ctx, known)
			return err
		},
	})
	_, failed := envs.GivenUp(err)

	switch half := len(texts) / 2; {
	// A text that fails by itself is lost, and keeps its place.
	case failed && half == 0:
		return [][]float32{nil}, err
	case failed || err == nil && tooMuch != nil && half > 0:
		first, err := e.fit(ctx, texts[:half], failed)
		// No list at all means that the server or the context is at fault, not a text.
		if first == nil {
			return nil, err
		}

		second, other := e.fit(ctx, texts[half:], failed)
		if second == nil {
			return nil, other
		}
		return append(first, second...), cmp.Or(err, other)
	case err != nil || tooMuch == nil:
		return list, err
	}

	// It is too long by itself: the vector of its beginning is better than none.
	shorter := shortened(texts[0])
	if shorter == "" {
		return nil, tooMuch
	}

	return e.fit(ctx, []string{shorter}, false)
}

// shortened returns a text without its last quarter, or "" if nothing sensible would be left.
func shortened(text string) string {
	n := len(text) / 4 * 3
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return strings.TrimSpace(text[:n])
}

// request sends one request. That it is too much for the server is not an error.
func (e *Embedder) request(ctx context.Context, texts []string) (list [][]float32, tooMuch *server.Fault, err error) {
	b := e.backend
	err = b.do(ctx, wire.Call{
		URL:   b.base.JoinPath("embeddings"),
		Body:  embeddingRequest{Model: e.Model(), Input: texts, Encoding: "float"},
		Limit: vectorLimit * int64(len(texts)+1),
		Read: func(body io.Reader) (err error) {
			var tokens int

			if list, tokens, err = decodeVectors(body, len(texts)); err == nil {
				b.opts.Account.Add(tokens, 0, 0)
			}
			return b.replyFault(err)
		},
	})

	if fault := server.FaultOf(err); fault != nil && isTooMuch(fault) {
		return nil, fault, nil
	}
	return list, nil, err
}

// vectorLimit bounds the bytes of one vector in a reply: some thousand numbers are usual.
const vectorLimit = 1 << 20

// tooMuchWords are how servers say, in small letters, that they take fewer texts at a time, or
// shorter ones: that of llama.cpp, whose status is 500, and those of text-embeddings-inference and
// others like it.
var tooMuchWords = []string{"too large to process", "batch size", "must have less than"}

// isTooMuch reports whether a server would take fewer texts, or shorter ones.
func isTooMuch(f *server.Fault) bool {
	if f.Kind == server.TooLong || f.Status == http.StatusRequestEntityTooLarge {
		return true
	}

	text := strings.ToLower(f.Message)
	return f.Status >= 400 && slices.ContainsFunc(tooMuchWords,
		func(words string) bool { return strings.Contains(text, words) })
}

// embeddingRequest is a request. go-openai's type would also send a user.
type embeddingRequest struct {
	Model    string   `json:"model"`
	Input    []string `json:"input"`
	Encoding string   `json:"encoding_format"`
}

// vector is one vector of a reply.
type vector struct {
	Index     wire.Count     `json:"index"`
	Embedding jsontext.Value `json:"embedding"`
}

// decodeVectors reads a reply to n texts, and how many tokens they have, 0 if the server does not
// say.
func decodeVectors(body io.Reader, n int) (list [][]float32, tokens int, err error) {
	vectors := wire.List[vector]{Most: n}
	var complaint jsontext.Value // some gateways send one with a 200
	var usage struct {
		PromptTokens wire.Count `json:"prompt_tokens"`
	}

	err = wire.NewDocument(body).Object(map[string]any{"data": &vectors, "error": &complaint, "usage": &usage})
	if err != nil {
		return nil, 0, fmt.Errorf("the reply is not the JSON of vectors: %w", err)
	}

	if err := wire.CheckError(complaint); err != nil {
		return nil, 0, err
	}

	// A missing vector is an error, unlike a missing sample: it cannot be asked for by a seed.
	if len(vectors.All) != n {
		return nil, 0, fmt.Errorf("%d vectors for %d texts", len(vectors.All), n)
	}

	indices := make([]wire.Count, n)
	for i, v := range vectors.All {
		indices[i] = v.Index
	}

	places, err := wire.Places(indices, n)
	if err != nil {
		return nil, 0, err
	}

	// A null in a vector would be decoded as a zero.
	list = make([][]float32, n)
	for i, v := range vectors.All {
		if bytes.Contains(v.Embedding, []byte("null")) {
			return nil, 0, fmt.Errorf("vector %d has numbers that are null", i)
		}

		numbers := &list[places[i]]
		if err := json.Unmarshal(v.Embedding, numbers); err != nil || len(*numbers) == 0 {
			return nil, 0, errors.Join(fmt.Errorf("vector %d is not a list of numbers", i), err)
		}
	}

	return list, max(usage.PromptTokens.N, 0), nil
}
