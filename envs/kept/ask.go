package kept

import (
	"context"
	"fmt"

	"toolevo/envs"
)

// Asking says how a model is asked for something that can be read.
type Asking struct {
	Instructions, Request string
	Seed                  uint64 // of the first try; each further one has the next
	Tries                 int    // at least 1

	// Expendable means that a request which a server fails at alone ([envs.GivenUp]) is lost, too,
	// so that work of many requests goes on without it.
	Expendable bool

	// Again writes the request of a further try, which says what was wrong with the last reply. If
	// it is nil, that is added to Request.
	Again func(wrong error) string
}

// Ask asks a model until read accepts its reply, and returns what was read. The model is told the
// error of read, so that has to be about the reply. If no reply is accepted, lost is what was wrong
// with the last one: that is the model's failure, and has to be counted. err is a failure to ask,
// or the context's.
func Ask[T any](ctx context.Context, w Writer, a Asking, read func(reply string) (T, error)) (
	value T, lost, err error) {
	var none T

	request := a.Request

	for try := range a.Tries {
		if err := ctx.Err(); err != nil {
			return none, nil, err
		}

		seed := (a.Seed + uint64(try)) &^ (1 << 63) // servers take 63 bits

		reply, err := w.Write(ctx, a.Instructions, request, seed)
		if _, alone := envs.GivenUp(err); alone && a.Expendable {
			return none, err, nil
		}

		if err != nil {
			return none, nil, err
		}

		if value, lost = read(reply); lost == nil {
			return value, nil, nil
		}

		request = a.again(lost)
	}
	return none, lost, nil
}

// again returns the request of a further try. Without a word about its mistake, a greedy model
// would repeat itself.
func (a *Asking) again(wrong error) string {
	if a.Again != nil {
		return a.Again(wrong)
	}
	return fmt.Sprintf("%s\n\nYour last reply to this cannot be used: %v. "+
		"Keep exactly to the form that you were told to answer in.", a.Request, wrong)
}

// Lost is the error of a model none of whose replies could be read. It is about one request, so
// that [envs.GivenUp] holds for it.
type Lost struct {
	Err    error
	Reason string // in a few words
}

// Error says what is wrong.
func (l *Lost) Error() string { return l.Err.Error() }

// Unwrap returns what is wrong.
func (l *Lost) Unwrap() error { return l.Err }

// GivenUp implements what [envs.GivenUp] asks for: the model may answer other requests.
func (l *Lost) GivenUp() string { return l.Reason }
