package programs

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
)

//go:embed sketch.txt
var sketchText string

var sketchPrompt = kept.NewPrompt("programs", sketchText)

const (
	// batch is how many programs are asked for at a time.
	batch = 5

	// mostEmpty is how many answers in a row may lack a program before a model is given up.
	mostEmpty = 5

	request = "Write the programs."
)

// fenced finds programs in an answer.
var fenced = regexp.MustCompile("(?s)```[^\n`]*\n(.*?)```")

var errNoProgram = errors.New("it has no program in a fenced block")

// sketches has a model write n programs by itself, asking again until it has them: StateGen's
// LLM-only baseline, which shows what a model covers if it is asked for variety but not guided
// (RQ1). The programs are texts, measured as they are, as in the paper: whether they run, and make
// as many calls as they should, is not checked.
//
// Equal arguments ask the same, so that answers can be kept; see package kept. An error is the
// writer's, or says that it writes no programs.
func sketches(ctx context.Context, a Author, s *code.Surface, n int, seed uint64) ([]string, error) {
	text, err := a.instructions(ctx, s)
	if err != nil {
		return nil, err
	}

	var programs []string

	for len(programs) < n {
		asking := kept.Asking{Instructions: text, Request: request, Seed: seed, Tries: mostEmpty}

		found, none, err := kept.Ask(ctx, a.Writer, asking, func(reply string) ([][]string, error) {
			// Every request has a seed of its own: asked the same with the same seed, a model would
			// write the same programs again.
			seed++

			found := fenced.FindAllStringSubmatch(reply, -1)
			if len(found) == 0 {
				return nil, errNoProgram
			}
			return found, nil
		})

		// A model that writes no programs is an error, not a short curve: it would look like poor
		// coverage.
		if err = cmp.Or(err, none); err != nil {
			return nil, fmt.Errorf("programs: ask for programs of %s: %w", s.Domain.Name(), err)
		}

		for _, f := range found {
			programs = append(programs, f[1])
		}
	}
	return programs[:n], nil
}

// instructions returns the instructions for a domain.
func (a Author) instructions(ctx context.Context, s *code.Surface) (string, error) {
	example, err := example(ctx, s)
	if err != nil {
		return "", fmt.Errorf("programs: %w", err)
	}

	var calls strings.Builder
	for _, d := range s.Documents() {
		fmt.Fprintf(&calls, "%s\n    %s\n", d.Call, d.About)
	}
	return pytext.Format(a.Prompts.Text(sketchPrompt), "{calls}", calls.String(),
		"{length}", fmt.Sprint(stategen.DefaultCalls), "{example}", example,
		"{programs}", fmt.Sprint(batch)), nil
}

// example returns a generated program, always the same.
func example(ctx context.Context, s *code.Surface) (text string, err error) {
	o := stategen.Options{Calls: stategen.DefaultCalls, Selector: stategen.Uniform, Seed: 1}

	_, err = stategen.Generate(ctx, s.Domain, o, new(stategen.Book), 1, func(t stategen.Task) error {
		for _, v := range t.Program.Init {
			if v.Role == stategen.Loaded {
				text += fmt.Sprintf("# %s is loaded: %s\n", v.Name, v.Type)
			} else {
				text += fmt.Sprintf("%s = %s\n", v.Name, pytext.Repr(v.Value.Any))
			}
		}

		program, err := s.Render(&t.Program)
		text += "\n" + program
		return err
	})
	return text, err
}
