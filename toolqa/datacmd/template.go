package datacmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/suite"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/synth"
	"toolevo/toolqa/questions"
)

func templateCheckCommand() suite.Command {
	var data string

	seed := uint64(1)
	return suite.Command{
		Use: "data template check FILE", Help: helpTexts, Document: TemplateExamples{},
		Options: []suite.Option{suite.DataOption(&data), suite.SeedOption(&seed)},
		Run: func(ctx context.Context, c *suite.Call) error {
			text, err := disk.ReadText(c.Args[0])
			if err != nil {
				return err
			}

			// A mistake in the file is a bad result, not a failure of the command.
			file, err := questions.ParseTemplates(c.Args[0], text)
			if err != nil {
				return console.Bad("%w", err)
			}

			// So is one that shows only when questions are drawn and answered from a corpus.
			examples, err := showExamples(ctx, data, file, seed)
			if err != nil {
				return console.Bad("%w", err)
			}
			return c.Result(TemplateExamples{examples}, func(w io.Writer) {
				for _, e := range examples {
					fmt.Fprintf(w, "%s\n  question: %s\n  answer:   %s\n", e.Template, e.Question, e.Answer)

					if e.Official != "" {
						fmt.Fprintf(w, "  by the published rule: %s\n", e.Official)
					}
				}
			}, nil)
		},
	}
}

// showExamples draws a question of each template from the corpus of the data folder, or from a
// small one.
func showExamples(ctx context.Context, dir string, file *questions.TemplateFile,
	seed uint64) (_ []questions.Example, err error) {
	opened, err := corpus.Open(ctx, dir, file.Dataset())
	if errors.Is(err, fs.ErrNotExist) {
		var folder string
		if folder, err = os.MkdirTemp("", "toolevo-template-"); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()

		opened, err = buildSmall(ctx, folder, file.Dataset())
	}

	if err != nil {
		return nil, err
	}
	defer opened.Close()

	rows, err := questions.Load(ctx, opened)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	return file.Examples(rand.New(rand.NewPCG(seed, 0)), rows)
}

// buildSmall makes a corpus with invented values below a folder.
func buildSmall(ctx context.Context, folder string, ds toolqa.Dataset) (*corpus.Corpus, error) {
	options := synth.Options{Seed: 1, Scale: synth.Demo, Tool: "toolevo data template check"}
	if _, err := synth.Build(ctx, folder, ds, options); err != nil {
		return nil, err
	}
	return corpus.Open(ctx, folder, ds)
}

// TemplateExamples is what `data template check --json` prints.
type TemplateExamples struct {
	Examples []questions.Example `json:"examples"` // one of each template
}
