package virtual

import "context"

// Writer is a language model that answers a text with a text. It is safe for concurrent use.
type Writer interface {
	// Write returns what the model answers to instructions (the system text) and a request (the user's). Other seeds
	// may give other texts. The error is ours (the server's), never the model's.
	Write(ctx context.Context, instructions, request string, seed uint64) (string, error)
}
