package server

import (
	"context"
	"errors"
	"fmt"
)

// checkModel returns the fault of a reply that names another model than the one asked for. A name
// that was good once is not looked up again.
func (s *server) checkModel(ctx context.Context, r Reply) *Fault {
	if _, known := s.names.Load(r.Model); known || r.Model == "" {
		return nil
	}

	err := CheckModel(ctx, s.backend, r)

	fault := FaultOf(err)

	switch {
	case err == nil:
		s.names.Store(r.Model, nil)
	case fault == nil:
		fault = &Fault{Kind: Transient, Address: s.backend.Address(), Err: err}
	}

	return fault
}

// IsOtherModel reports whether a reply was of another model than the one asked for.
func IsOtherModel(err error) bool { return errors.Is(err, errOtherModel) }

// CheckModel returns nil if a reply is of the model that was asked for, as far as it says and the
// backend knows names, and a [*Fault] or the context's error if it is not, or that cannot be found
// out.
func CheckModel(ctx context.Context, b Backend, r Reply) error {
	namer, ok := b.(Namer)
	if !ok || r.Model == "" {
		return nil
	}

	same, err := namer.Serves(ctx, r.Model)
	if err != nil || same {
		return err
	}
	return &Fault{
		Kind: Transient, Address: b.Address(), Status: 200, Err: errOtherModel,
		Message: fmt.Sprintf(
			"the reply is of %q, not of the model asked for; "+
				"if that is the same one, add it to the setting server.names",
			r.Model),
	}
}
