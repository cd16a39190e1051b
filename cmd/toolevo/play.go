package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/console"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune"
	"toolevo/mcts"
)

func (a *app) playCommand() *cobra.Command {
	cmd := newCommand("play")
	s := a.addSettings(cmd, nil, "dataset", "difficulty", "split", "perturb", "api", "policy", "compat", "feedback",
		"no-update-tool")
	data := cmdline.DataFlag(&a.Program, cmd)
	id := cmd.Flags().String("question", "", "`ID` of the question (default: the first of the split)")
	transcript := cmd.Flags().Bool("transcript", false, "let the policy play and print the episode")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := s.resolve(cmd.Flags())
		if err != nil {
			return err
		}

		b, err := a.playground(cmd.Context(), c, *data)
		if err != nil {
			return err
		}
		defer b.Close()

		q, err := questionIn(b, *id)
		if err != nil {
			return err
		}

		if *transcript {
			return a.transcript(cmd.Context(), b, q)
		}

		return a.play(cmd.Context(), b, q)
	}

	return cmd
}

// playground opens what one episode of the configuration needs.
func (a *app) playground(ctx context.Context, c *configs.Resolved, data string) (*toolevo.Bench, error) {
	if len(c.API) != 1 || len(c.Policy) != 1 {
		return nil, console.Usage("play takes one --api and one --policy, not %s and %s", strings.Join(c.API, ","),
			strings.Join(c.Policy, ","))
	}

	host := a.host(console.ProgressNone)

	b, err := toolevo.OpenBench(ctx, data, c, host.OpenEngine)
	if err != nil {
		return nil, err
	}

	b.Servers = a.serving()

	if err := host.FitModules(b); err != nil {
		return nil, errors.Join(err, b.Close())
	}

	for _, line := range engines.Warnings([]sandbox.Stamp{b.Stamp}) {
		a.Say("%s", line)
	}

	return b, nil
}

// question returns the question of an ID, or the first one.
func questionIn(b *toolevo.Bench, id string) (envs.Task, error) {
	ids := make([]string, len(b.Tasks))
	for i, t := range b.Tasks {
		if ids[i] = t.ID; id == "" || t.ID == id {
			return t, nil
		}
	}

	return envs.Task{}, toolevo.NoQuestion(fmt.Sprintf("the %s split", b.Config.Split), id, ids)
}

func (a *app) play(ctx context.Context, b *toolevo.Bench, t envs.Task) error {
	env, err := b.Environment(b.Deployed.All(), nil)
	if err != nil {
		return err
	}

	state, err := env.Reset(ctx, t)
	if err != nil {
		return console.GaveUp(err)
	}

	if err := a.brief(b, t); err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	actions := typed(ctx, a.In, b.Config.Environment.ActionCodec())

	for state.Status() == envs.Running {
		var typed typedAction

		select {
		case typed = <-actions:
		case <-ctx.Done():
			return ctx.Err()
		}

		if errors.Is(typed.err, io.EOF) {
			return nil
		}

		if typed.err != nil {
			return fmt.Errorf("read an action: %w", typed.err)
		}

		next, err := env.Step(ctx, state, envs.Action(typed.text))
		if err != nil {
			return console.GaveUp(err)
		}

		state = next.State
		fmt.Fprintf(a.Out, "Observation: %s\n\n", next.Turn.Observation)
		a.Say("(%s)", next.Turn.Outcome)
	}

	return nil
}

// brief says what a model is told, what is deployed, and how to act.
func (a *app) brief(b *toolevo.Bench, t envs.Task) error {
	prompt, err := b.Prompt()
	if err != nil {
		return err
	}

	a.Say("%s\n", prompt.System(t))
	a.Say("This is what a model is told, of %s. Deployed is %s.", b.Config.Prompt,
		b.Deployed.All().Of(b.Config.Seed, t.ID))
	a.Say("End each action with an empty line; Ctrl-D stops.\n")
	fmt.Fprintf(a.Out, "Question: %s\n\n", t.Question)

	return nil
}

// transcript lets the configured policy play a question and prints the episode.
func (a *app) transcript(ctx context.Context, b *toolevo.Bench, t envs.Task) error {
	env, err := b.Environment(b.Deployed.All(), nil)
	if err != nil {
		return err
	}

	policy, err := b.PolicyIn(b.Config.Policy[0], env)
	if err != nil {
		return err
	}

	e, err := finetune.Play(ctx, env, policy, t, mcts.NodeID{Question: t.ID},
		finetune.Limits{MaxTurns: b.Config.Eval.MaxTurns})
	if err != nil {
		return console.GaveUp(err)
	}

	printTranscript(a.Out, e.History)

	return nil
}

// printTranscript prints an episode as people read it.
func printTranscript(w io.Writer, h envs.History) {
	fmt.Fprintf(w, "Question: %s\n", h.Task().Question)

	for _, t := range h.Turns() {
		fmt.Fprintf(w, "\n%s\n\nObservation: %s\n", strings.TrimSpace(string(t.Action)), t.Observation)
	}
}

// typedAction is what was typed, or why there is no more.
type typedAction struct {
	text string
	err  error
}

// typed returns the actions that are typed until ctx ends. Nobody waits for the goroutine that reads: a read from a
// terminal cannot be called off.
func typed(ctx context.Context, from io.Reader, codec action.Codec) <-chan typedAction {
	actions := make(chan typedAction)

	go func() {
		in := bufio.NewReader(from)
		for {
			text, err := readAction(in, codec)
			select {
			case actions <- typedAction{text, err}:
			case <-ctx.Done():
				return
			}

			if err != nil {
				return
			}
		}
	}()

	return actions
}

// readAction reads lines up to an empty one that follows text, or to the end of the input. io.EOF means there is no
// further action.
func readAction(in *bufio.Reader, codec action.Codec) (string, error) {
	var b strings.Builder

	whole := func(text string) bool { return strings.Contains(text, action.InputMarker) } // nothing follows that part

	switch codec {
	case action.FunctionCall{}:
		whole = func(text string) bool { return strings.Contains(text, "}") }
	case action.Python{}:
		whole = func(text string) bool { _, err := codec.Parse(text); return err == nil }
	}

	for {
		line, err := in.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			b.WriteString(line)
		}

		ended := strings.TrimSpace(line) == "" && whole(b.String())
		switch {
		case errors.Is(err, io.EOF) && b.Len() > 0, err == nil && ended:
			return b.String(), nil
		case err != nil:
			return "", err
		}
	}
}
