package datacmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/regular"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/synth"
	"toolevo/toolqa/questions"
)

func newTemplate(p *console.Program) *cobra.Command {
	cmd := console.Command("template", helpTexts)
	cmd.AddCommand(newTemplateCheck(p))

	return console.Group(cmd)
}

func newTemplateCheck(p *console.Program) *cobra.Command {
	cmd := console.Command("check FILE", helpTexts)
	dir, asJSON := p.DataFlag(cmd), console.JSONFlag(cmd)
	seed := cmd.Flags().Uint64("seed", 1, "`N` is the seed: the same seed and corpus give the same questions")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		text, err := regular.ReadText(args[0])
		if err != nil {
			return err
		}

		file, err := questions.ParseTemplates(args[0], text)
		if err != nil {
			return console.Bad("%w", err)
		}

		examples, err := showExamples(cmd.Context(), *dir, file, *seed)
		if err != nil {
			return console.Bad("%w", err)
		}

		return p.Show(*asJSON, TemplateExamples{examples}, func() {
			for _, e := range examples {
				fmt.Fprintf(p.Out, "%s\n  question: %s\n  answer:   %s\n", e.Template, e.Question, e.Answer)

				if e.Official != "" {
					fmt.Fprintf(p.Out, "  by the published rule: %s\n", e.Official)
				}
			}
		})
	}

	return cmd
}

// showExamples draws a question of each template from the corpus of the data folder, or from a small one.
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
