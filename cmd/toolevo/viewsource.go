package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolevo/finetune/stored"
	"toolevo/mcts/policy/serving"
	"toolevo/trajectories"
)

// openSource opens a run for the viewer.
func openSource(ctx context.Context, dir string) (*stored.Source, error) {
	run, err := stored.Open(ctx, dir)
	if err != nil {
		return nil, err
	}

	b, err := newBench(run.Data(), run.Config, &serving.Servers{}, run.Versions)
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}

	return &stored.Source{Run: run, Shown: b.shown}, nil
}

// shown is what a model is sent after the turns of a trajectory.
func (b *bench) shown(row *trajectories.Row) (string, error) {
	kind, _, _ := strings.Cut(row.Policy, ":")

	sent, err := b.Sent(kind)
	if err != nil {
		return "", err
	}

	var text strings.Builder
	if kind == serving.Scripted {
		text.WriteString("(A scripted policy reads no prompt: this is what a model would be sent.)\n\n")
	}

	h := stored.History(row)
	if sent.Messages == nil {
		text.WriteString(sent.Render(h))
		return text.String(), nil
	}

	for _, m := range sent.Messages(h) {
		fmt.Fprintf(&text, "[%s]\n%s\n\n", m.Role, m.Content)
	}

	return text.String(), nil
}
