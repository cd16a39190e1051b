package main

import (
	"context"
	"fmt"
	"os"
	"sync"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
)

// sharedEngines are the engines that commands of this process use together, by their options.
// Starting one costs more than all programs that most tests run in it.
var sharedEngines struct {
	sync.Mutex
	opened map[string]*sharedEngine
}

// sharedEngine is an engine that outlives the commands that use it.
type sharedEngine struct{ sandbox.Engine }

func (*sharedEngine) Close() error { return nil }

// surroundings are what decides, beside its options, which engine is opened.
func surroundings() string { return os.Getenv("PATH") + "\n" + os.TempDir() }

var usualSurroundings string // of this process, once its tests begin

// openShared opens an engine, or returns one that was opened by the same options. A test that
// changes the surroundings, or brings an interpreter of its own, gets an engine of its own.
func openShared(ctx context.Context, o engines.Options) (sandbox.Engine, error) {
	if o.Executable != "" || surroundings() != usualSurroundings {
		return engines.Open(ctx, o)
	}

	sharedEngines.Lock()
	defer sharedEngines.Unlock()

	key := fmt.Sprintf("%+v", o)
	if e := sharedEngines.opened[key]; e != nil {
		return e, nil
	}

	opened, err := engines.Open(context.WithoutCancel(ctx), o)
	if err != nil {
		return nil, err
	}

	e := &sharedEngine{opened}
	if sharedEngines.opened == nil {
		sharedEngines.opened = map[string]*sharedEngine{}
	}

	sharedEngines.opened[key] = e
	return e, nil
}

// closeShared ends them, after all tests.
func closeShared() {
	for _, e := range sharedEngines.opened {
		if err := e.Engine.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "close an engine of the tests:", err)
		}
	}
}
