package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"toolevo/envs/console"
	"toolevo/envs/sandbox/walls"
)

// inner runs a command of this program within another one, which has the say in the end: what it is to say at Ctrl-C is
// its own. The words of the command go to a screen; the JSON document that it prints is decoded into result. However
// many commands are run, an engine is attacked once.
func (a *app) inner(ctx context.Context, screen *console.Screen, result any, args ...string) error {
	if a.attack == nil {
		a.attack = walls.Once()
	}

	var out bytes.Buffer

	own := &app{
		Program:     console.Program{In: a.In, Out: &out, Err: screen, Environ: a.Environ},
		quietPeriod: a.quietPeriod,
		backoff:     a.backoff,
		open:        a.open,
		attack:      a.attack,
	}
	root := own.root()
	root.SetArgs(append(args, "--json"))

	err := root.ExecuteContext(ctx)
	if err == nil {
		err = json.Unmarshal(out.Bytes(), result)
	}

	if console.ExitCode(err) == console.ExitInterrupted || ctx.Err() != nil && err != nil {
		return console.Interrupted("%s", a.ending.last())
	}

	if err != nil {
		return fmt.Errorf("toolevo %s: %w", console.Shell(args...), err)
	}

	return nil
}
