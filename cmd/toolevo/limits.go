package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/mcts/account"
)

// limits are the flags that end a command early, and the command to run when it ends.
type limits struct {
	account.Stops
	then string
}

// limitFlags adds the limits to a command that asks models.
func (a *app) limitFlags(cmd *cobra.Command) *limits {
	l := &limits{}
	addFlags(cmd, "limit", into{
		"stop-after":       &l.After,
		"stop-at":          &l.At,
		"max-total-tokens": &l.Tokens,
		"max-cost":         &l.Cost,
		"then":             &l.then,
	})

	if a.limited == nil {
		a.limited = map[*cobra.Command]*limits{}
	}

	a.limited[cmd] = l
	return l
}

// trajectoriesFlag adds the limit of a command that collects.
func (l *limits) trajectoriesFlag(cmd *cobra.Command) {
	addFlags(cmd, "limit", into{"max-trajectories": &l.Trajectories})
}

// limit makes the commands with limits keep them, and run --then when they end.
func (a *app) limit() {
	for cmd, l := range a.limited {
		run := cmd.RunE

		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if err := l.Check(); err != nil {
				return console.AsUsage(err)
			}

			// The limit ends the command's context; --then runs under the one before.
			before := cmd.Context()

			ctx, end, err := a.account.Begin(before, l.Stops, func(limit error) {
				a.Say("%s: no new model calls; those that are being answered finish.", cmdline.Flags(limit.Error()))
				a.ending.stopped(limit)
			})
			if err != nil {
				return console.AsUsage(err)
			}

			// In this order: end interrupts the context, which would look like a Ctrl-C.
			cmd.SetContext(ctx)
			err = a.interrupted(ctx, run(cmd, args))
			end()

			if console.KindOf(err) == console.Interruption {
				a.Say("It took %s", a.account.Total())
			}

			// After a failure, too: whoever waits for the end must hear of that.
			if l.then != "" {
				a.runThen(context.WithoutCancel(before), l.then, cmd, err)
			}
			return err
		}
	}
}

// arguments returns the limits for a resumed run: all but the one that was reached.
func (l *limits) arguments(reached string) (args []string) {
	for _, f := range []struct{ name, value, none string }{
		{"stop-after", l.After.String(), "0s"},
		{"stop-at", l.At, ""},
		{"max-total-tokens", fmt.Sprint(l.Tokens), "0"},
		{"max-cost", strconv.FormatFloat(l.Cost, 'g', -1, 64), "0"},
		{"max-trajectories", fmt.Sprint(l.Trajectories), "0"},
		{"then", l.then, ""},
	} {
		if f.value != f.none && f.name != reached {
			args = append(args, "--"+f.name, f.value)
		}
	}

	return args
}

// summary is what the command of --then reads on stdin.
type summary struct {
	Command string        `json:"command"`          // such as "toolevo collect"
	End     string        `json:"end"`              // finished, interrupted or failed
	Exit    int           `json:"exit"`             // the code with which the program is about to end
	Error   string        `json:"error,omitempty"`  // why, and how to go on; missing where it finished
	Spent   account.Total `json:"spent"`            // by all models that were asked
	Result  any           `json:"result,omitempty"` // what the command prints with --json
}

// thenDelay is how long a command of --then that has ended is waited for while what it has left
// running holds its outputs.
const thenDelay = time.Second

// runThen runs the command of --then. If it fails, that is said and changes nothing else.
func (a *app) runThen(ctx context.Context, command string, cmd *cobra.Command, err error) {
	s := summary{
		Command: cmd.CommandPath(), End: "finished", Exit: cmdline.ExitCode(err), Spent: a.account.Total(),
		Result: a.result,
	}

	if err != nil {
		s.End, s.Error = "failed", cmdline.Message(err)
		if console.KindOf(err) == console.Interruption {
			s.End = "interrupted"
		}
	}

	text, jsonErr := json.Marshal(s)
	if jsonErr != nil {
		a.Say("--then: %v", jsonErr)
		return
	}

	then := exec.CommandContext(ctx, "sh", "-c", command)
	then.Stdin, then.Stdout, then.Stderr = strings.NewReader(string(text)+"\n"), a.Err, a.Err
	then.WaitDelay = thenDelay

	if err := then.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		a.Say("--then %s: %v", command, err)
	}
}
