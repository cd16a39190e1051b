//go:build !linux

package wasi

import (
	"context"
	"errors"
	"time"
)

var errSystem = errors.New("the engine wasi needs Linux")

func processorTime(int) (time.Duration, error) { return 0, errSystem }

// memory is wazero's own here: there is no image of it.
type memory struct{ limit uint64 }

func withMemory(ctx context.Context, _ *memory) context.Context { return ctx }
func (*memory) keep()                                           {}
func (*memory) grown() bool                                     { return true }
func (*memory) restore() error                                  { return errSystem }
