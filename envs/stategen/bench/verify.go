package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"toolevo/envs/console"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

// Verified is what `tasks verify --json` prints.
type Verified struct {
	Splits   []VerifiedSplit `json:"splits"`   // those that the data folder has
	Problems []string        `json:"problems"` // at most 20 of them
	Count    int             `json:"count"`    // of the problems
}

// VerifiedSplit is a split that was verified.
type VerifiedSplit struct {
	Split   string                   `json:"split"`   // train, dev, test or examples
	Tasks   map[string]int           `json:"tasks"`   // by domain
	Cases   int                      `json:"cases"`   // that were replayed
	Mutants map[string]MutantsCaught `json:"mutants"` // of the sample, by kind
}

// MutantsCaught counts mutants of a kind.
type MutantsCaught struct {
	Mutants int `json:"mutants"` // programs with a mistake
	Caught  int `json:"caught"`  // that fail the case
	Alike   int `json:"alike"`   // that lead to the same result and effects: no mistake
}

// fatal lists the kinds of mutants that differ from any program. Others may change nothing, such as
// a text that nothing reads.
var fatal = []string{stategen.NoResult, stategen.EmptyResult}

// mistakes describes the kinds of mutants.
var mistakes = map[string]string{
	stategen.NoResult:    "RESULT is null",
	stategen.EmptyResult: "RESULT is an empty object",
	stategen.Dropped:     "a call made for its effect is left out",
	stategen.Swapped:     "the branches change places",
	stategen.WrongText:   "a text is another one",
	stategen.WrongField:  "an edit changes another member",
	stategen.UnknownTool: "a tool does not exist",
}

// mostProblems is how many problems are listed.
const mostProblems = 20

func verifyCommand() suite.Command {
	v := verifying{mutants: 100, done: &Verified{Splits: []VerifiedSplit{}, Problems: []string{}}}
	var data string
	return suite.Command{
		Use: "tasks verify", Help: helpTexts, Progress: true, Document: Verified{},
		Options: []suite.Option{
			suite.DataOption(&data),
			{Name: "mutants", Value: &v.mutants,
				Usage: "`N` tasks of each split and domain whose mutants are run, too"},
		},
		Run: func(ctx context.Context, c *suite.Call) error {
			if err := v.run(ctx, data, c.Progress); err != nil {
				return err
			}

			if len(v.done.Splits) == 0 {
				return console.Usage("no tasks in %s: run `toolevo tasks generate`", data)
			}

			var err error
			if v.done.Count > 0 {
				err = console.Bad("%d problems: generate the tasks again, in another data folder", v.done.Count)
			}
			return c.Result(v.done, v.done.print, err)
		},
	}
}

func (v *Verified) print(w io.Writer) {
	for _, s := range v.Splits {
		for _, domain := range slices.Sorted(maps.Keys(s.Tasks)) {
			fmt.Fprintf(w, "%s: %d tasks of %s\n", s.Split, s.Tasks[domain], domain)
		}

		fmt.Fprintf(w, "%s: %d cases replayed\n", s.Split, s.Cases)

		if len(s.Mutants) > 0 {
			fmt.Fprintf(w, "%s: programs with a mistake, and how many the cases catch:\n", s.Split)
		}

		for _, kind := range slices.Sorted(maps.Keys(s.Mutants)) {
			m := s.Mutants[kind]
			fmt.Fprintf(w, "    %d of %d: %s\n", m.Caught, m.Mutants-m.Alike, mistakes[kind])
		}
	}

	for _, problem := range v.Problems {
		fmt.Fprintln(w, problem)
	}

	fmt.Fprintf(w, "%d problems\n", v.Count)
}

// verifying replays tasks.
type verifying struct {
	mutants int // tasks of each split and domain whose mutants are run
	done    *Verified
}

// run verifies all splits of a data folder.
func (v *verifying) run(ctx context.Context, data string, progress *console.Steps) error {
	for _, split := range suite.Splits() {
		s := VerifiedSplit{
			Split: split, Tasks: map[string]int{}, Mutants: map[string]MutantsCaught{},
		}
		replayed := 0

		var set func(done, total int)

		f, err := taskfile.Open(data, split, func(t *stategen.Task) error {
			// Only here is it known that the data folder has the split, so that it is a step.
			if replayed == 0 {
				set = progress.Step("tasks of " + split)
			}

			// How many tasks there are is known only at the end of the file.
			replayed++
			set(replayed, 0)
			return errors.Join(ctx.Err(), v.task(t, &s))
		})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}

		if err != nil {
			return err
		}

		if err := f.Close(); err != nil {
			return err
		}

		v.done.Splits = append(v.done.Splits, s)
	}
	return nil
}

func (v *verifying) problem(t *stategen.Task, path, format string, args ...any) {
	if v.done.Count++; v.done.Count <= mostProblems {
		problem := fmt.Sprintf("%s/%s: %s", t.ID, path, fmt.Sprintf(format, args...))
		v.done.Problems = append(v.done.Problems, problem)
	}
}

// task replays the cases of a task and compares them with the record, and runs mutants. What is
// wrong with the task is a problem, not an error.
func (v *verifying) task(t *stategen.Task, s *VerifiedSplit) error {
	d, err := domains.Of(&t.Program)
	if err != nil {
		return err
	}

	// Mutants are compared with the replays: a record may be only a digest.
	oracles := map[string]stategen.Oracle{}

	for _, c := range t.Cases {
		s.Cases++

		got, err := t.Replay(d, c)
		if err != nil {
			v.problem(t, c.Path, "%v", err)
		}

		if got.Path != "" { // it finished
			oracles[c.Path] = got
		}
	}

	// Programs that others wrote may test little, so a mutant that passes is no problem there.
	s.Tasks[d.Name()]++
	if s.Tasks[d.Name()] > v.mutants || t.Program.Python != "" {
		return nil
	}

	for _, m := range stategen.Mutants(*t) {
		if want, ok := oracles[m.Case.Path]; ok {
			v.mutant(t, d, m, want, s)
		}
	}

	return nil
}

// mutant runs a mutant, which has to fail its case.
func (v *verifying) mutant(
	t *stategen.Task, d stategen.Domain, m stategen.Mutant, want stategen.Oracle, s *VerifiedSplit,
) {
	count := s.Mutants[m.Kind]
	count.Mutants++

	got, err := stategen.Replay(d, &m.Program, m.Case, nil)

	switch {
	case err != nil || !stategen.Passes(d, got, want):
		count.Caught++
	case slices.Contains(fatal, m.Kind):
		v.problem(t, m.Case.Path, "a mutant passes: %s", m.Kind)
	default:
		count.Alike++
	}

	s.Mutants[m.Kind] = count
}
