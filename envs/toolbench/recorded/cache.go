package recorded

import (
	"context"
	"errors"
	"fmt"
	"os"

	"toolevo/envs/toolbench/virtual"
)

// ReadCache reads the calls of a virtual server's cache that real APIs answered. made is how many
// others it has, which a model or a script answered.
func ReadCache(ctx context.Context, path string) (calls []Call, made int, err error) {
	if _, err := os.Stat(path); err != nil { // opening would make it
		return nil, 0, fmt.Errorf("read the cache: %w", err)
	}

	c, err := virtual.OpenCache(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()

	for e, err := range c.All(ctx) {
		switch {
		case err != nil:
			return nil, 0, err
		case e.Provenance == virtual.Real || e.Provenance == virtual.Replayed:
			calls = append(calls, Call{Key: e.API, Input: e.Args, Answer: e.Answer})
		default:
			made++
		}
	}

	return calls, made, nil
}
