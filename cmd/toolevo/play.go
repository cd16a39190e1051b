package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/console"
)

func (a *app) playCommand() *cobra.Command {
	cmd := newCommand("play")
	s := a.addSettings(cmd, nil, "dataset", "difficulty", "split", "perturb", "api", "policy", "compat", "feedback",
		"hint", "no-update-tool")
	job := toolevo.PlayJob{Host: a.host(console.ProgressNone)}
	data := cmdline.DataFlag(&a.Program, cmd)
	cmd.Flags().StringVar(&job.Question, "question", "", "`ID` of the question (default: the first of the split)")
	transcript := cmd.Flags().Bool("transcript", false, "let the policy play and print the episode")
	printed := cmd.Flags().Bool("print-prompt", false, "print what a model is sent, and play nothing")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if job.Settings, err = s.given(cmd.Flags()); err != nil {
			return err
		}

		// A read from the terminal cannot be cancelled: its goroutine ends with what it reads next.
		ctx, cancel := context.WithCancel(cmd.Context())
		defer cancel()

		job.Data = *data
		if *printed {
			text, err := toolevo.ShownPrompt(ctx, job)
			fmt.Fprint(a.Out, text)
			return err
		}

		// Without a player the policy plays.
		if !*transcript {
			job.Player = &typist{app: a}
		}

		h, err := toolevo.Play(ctx, job)
		if err == nil && *transcript {
			printTranscript(a.Out, h)
		}
		return err
	}
	return cmd
}

// typist plays what the user types. It implements [toolevo.Player].
type typist struct {
	app     *app
	codec   action.Codec
	actions <-chan typedAction // nil before the first
}

// Begin shows what a model is shown, which version is deployed, and how to act.
func (t *typist) Begin(b toolevo.Briefing) {
	t.codec = b.Codec
	t.app.Say("%s\n", b.System)
	t.app.Say("This is what a model is told, of %s. Deployed is %s.", b.Prompt, b.Deployed)

	if t.codec == (action.Python{}) {
		t.app.Say("The program ends with the fence that closes it; Ctrl-D stops.\n")
	} else {
		t.app.Say("End each action with an empty line; Ctrl-D stops.\n")
	}

	fmt.Fprintf(t.app.Out, "Question: %s\n\n", b.Question)
}

// Act returns the next action that is typed.
func (t *typist) Act(ctx context.Context) (string, error) {
	if t.actions == nil {
		t.actions = typed(ctx, t.app.In, t.codec)
	}

	select {
	case typed := <-t.actions:
		switch {
		case typed.err != nil:
			return "", fmt.Errorf("read an action: %w", typed.err)
		case typed.text == "":
			t.app.Say("No action is complete yet: go on, or press Enter again to send it as it is.")
			return t.Act(ctx)
		}

		return typed.text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Saw prints the result of an action.
func (t *typist) Saw(turn envs.Turn) {
	fmt.Fprintf(t.app.Out, "Observation: %s\n\n", turn.Observation)
	t.app.Say("(%s)", turn.Outcome)
}

// printTranscript prints an episode for people.
func printTranscript(w io.Writer, h envs.History) {
	fmt.Fprintf(w, "Question: %s\n", h.Task().Question)

	for _, t := range h.Turns() {
		fmt.Fprintf(w, "\n%s\n\nObservation: %s\n", strings.TrimSpace(string(t.Action)), t.Observation)
	}
}

// typedAction is what was typed, or the error that ended the input. The zero value means that an
// empty line followed an unfinished action.
type typedAction struct {
	text string
	err  error
}

// typed returns the actions that are typed until ctx ends. Nobody waits for the goroutine that
// reads, for a read from a terminal cannot be cancelled.
func typed(ctx context.Context, from io.Reader, codec action.Codec) <-chan typedAction {
	actions := make(chan typedAction)

	go func() {
		in := bufio.NewReader(from)
		send := func(a typedAction) bool {
			select {
			case actions <- a:
				return a.err == nil
			case <-ctx.Done():
				return false
			}
		}

		for {
			text, err := readAction(in, codec, func() { send(typedAction{}) })
			if text != "" && !send(typedAction{text: text}) || err != nil && !send(typedAction{err: err}) {
				return
			}
		}
	}()

	return actions
}

// readAction reads lines up to an empty one after a whole action, to the second of two empty lines,
// or to the end of the input. It calls unfinished at an empty line after anything less. io.EOF,
// even beside a text, means that the input has ended.
func readAction(in *bufio.Reader, codec action.Codec, unfinished func()) (string, error) {
	var b strings.Builder

	// An action may have empty lines in its thought. It is whole with its last part: the input in
	// ReAct, a closed JSON object in calls, a closed fence in programs.
	whole := func(text string) bool { return strings.Contains(text, action.InputMarker) }

	switch codec {
	case action.FunctionCall{}, action.Tools{}, action.Tools{FinishText: true}:
		whole = func(text string) bool { return strings.Contains(text, "}") }
	case action.Python{}:
		whole = func(text string) bool { _, err := codec.Parse(text); return err == nil }
	}

	// Programs have empty lines of their own, even two in a row: only their fence ends them.
	program := codec == action.Codec(action.Python{})

	for empty := 0; ; {
		line, err := in.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			empty = 0
			b.WriteString(line)
		} else if b.Len() > 0 {
			empty++
		}

		switch {
		case err != nil, empty > 1 && !program, empty == 1 && whole(b.String()):
			return b.String(), err
		case empty == 1 && !program:
			unfinished()
		}
	}
}
