package datacmd

import (
	"context"

	"toolevo/envs/console"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus/synth"
	"toolevo/toolqa/questions"
)

// fillScale is the share of the paper's numbers of questions that [Fill] makes.
const fillScale = 0.1

// Fill makes synthetic corpora of all datasets, and questions about them. software is the program
// with its version.
func Fill(ctx context.Context, dir, software string) error {
	o := synth.Options{Seed: 1, Scale: synth.Demo, Tool: software}
	if _, err := buildCorpora(ctx, dir, toolqa.Datasets(), o, &console.Steps{}); err != nil {
		return err
	}

	g := generation{seed: 1, scale: fillScale}
	g.data, g.difficulty = dir, all

	var generated []toolqa.Question

	for _, ds := range toolqa.Datasets() {
		made, _, err := g.dataset(ctx, ds)
		if err != nil {
			return err
		}

		generated = append(generated, made...)
	}
	return questions.Write(dir, generated)
}
