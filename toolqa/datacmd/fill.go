package datacmd

import (
	"context"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/synth"
	"toolevo/toolqa/questions"
)

// fillScale is the share of the paper's numbers of questions that [Fill] makes.
const fillScale = 0.1

// Fill makes synthetic corpora of all datasets, and questions about them. software is the program with its version.
func Fill(ctx context.Context, dir, software string, step func(what string) func(done, total int)) error {
	var all []toolqa.Question

	for _, ds := range toolqa.Datasets() {
		if _, err := synth.Build(ctx, dir, ds, synth.Options{
			Seed: 1, Scale: synth.Demo, Tool: software, Progress: step("build " + string(ds)),
		}); err != nil {
			return err
		}

		if err := indexPassages(ctx, dir, ds, step); err != nil {
			return err
		}

		made, _, err := generateQuestions(ctx, dir, ds, toolqa.Difficulties(), 1, fillScale, false)
		if err != nil {
			return err
		}

		all = append(all, made...)
	}

	return questions.Write(dir, all)
}
