package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/sandbox/walls"
	"toolevo/finetune"
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

// evaluationsFlags adds the flags of a command that makes several evaluations, which are told most of them.
func (a *app) evaluationsFlags(cmd *cobra.Command) (asJSON *bool) {
	a.DataFlag(cmd)
	a.servingFlags(cmd)
	cmd.Flags().Int("workers", 0, "`N` episodes at most at the same time (0: four per processor, or enough to keep "+
		"the model's servers busy)")
	console.ProgressFlag(cmd)

	return console.JSONFlag(cmd)
}

// evaluateIn makes an evaluation in a folder, or goes on with the one there.
func (a *app) evaluateIn(ctx context.Context, dir string, flags []string) error {
	args := append([]string{"eval", "--out", dir}, flags...)
	if toolevo.IsRun(dir) {
		args = append(args, "--resume")
	}

	var printed finetune.Report

	return a.inner(ctx, a.Err, &printed, args...)
}
