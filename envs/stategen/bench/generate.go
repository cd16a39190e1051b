package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/instruct"
	"toolevo/envs/stategen/stateeval"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

const (
	// part is how many tasks are generated before they are committed.
	part = 500

	// mostRepeated is the number of programs in a row, repeated or without a task, after which a
	// domain is assumed to have no others.
	mostRepeated = 200
)

// Generated is what `tasks generate --json` prints.
type Generated struct {
	Path    string            `json:"path"`    // the file in the data folder
	Split   string            `json:"split"`   // train, dev, test or examples
	Domains []GeneratedDomain `json:"domains"` // in the order of their generation
}

// GeneratedDomain says how the tasks of a domain were generated.
type GeneratedDomain struct {
	Domain   string         `json:"domain"`   // e.g. "session"
	Tasks    int            `json:"tasks"`    // that the split has now
	Added    int            `json:"added"`    // by this command
	Repeated int            `json:"repeated"` // programs that the data folder had already, in whichever split
	Failed   map[string]int `json:"failed"`   // failed attempts at a program, by reason
	Rejected map[string]int `json:"rejected"` // programs that make no task, by reason
}

// generating is what is to be generated.
type generating struct {
	domains []stategen.Domain
	split   string
	tasks   int    // of each domain, that the split has to have
	apis    string // the set that the tasks are for, in words
	options stategen.Options
}

// ownAPIs is what options call the domains' own set of APIs.
const ownAPIs = "own"

func apiSets() []string { return []string{ownAPIs, stategen.Paper} }

func generateCommand() suite.Command {
	g := generating{split: "train", tasks: 100, apis: ownAPIs, options: stategen.Options{
		Calls: stategen.DefaultCalls, Seed: 1, Workers: runtime.GOMAXPROCS(0),
	}}
	// An option wants a plain string.
	selector := string(stategen.Argmax)

	var (
		data   string
		chosen []string
	)
	return suite.Command{
		Use: "tasks generate", Help: helpTexts, Document: Generated{}, Progress: true,
		// Prompts show solved examples of each domain that has tasks.
		Demonstrates: true,
		Options: []suite.Option{
			suite.DataOption(&data), suite.SplitOption(&g.split), suite.SeedOption(&g.options.Seed),
			{Name: "domain", Value: &chosen, Names: domains.Names,
				Usage: "`NAMES` of domains, separated by commas (default: all)"},
			{Name: "n", Value: &g.tasks, Least: 1,
				Usage: "`N` tasks of each domain that the split is to have"},
			{Name: "calls", Value: &g.options.Calls, Least: 2,
				Usage: "`N` calls on each path of a program"},
			{Name: "selector", Value: &selector, Names: names.Texts(stategen.Selectors),
				Usage: "`NAME` of how transitions are chosen: argmax, k2 or uniform"},
			{Name: "apis", Value: &g.apis, Names: apiSets,
				Usage: "`NAME` of the set of APIs that the tasks are for: own, or paper, " +
					"which is StateEval's"},
		},
		Run: func(ctx context.Context, c *suite.Call) error {
			g.options.Selector = stategen.Selector(selector)

			var err error
			if g.domains, err = domains.Parse(chosen); err != nil {
				return err
			}

			c.Say("tasks generate: split %s, seed %d, data %s", g.split, g.options.Seed, data)

			made, err := g.run(ctx, data, c.Progress)
			return c.Result(made, func(w io.Writer) {
				for _, d := range made.Domains {
					fmt.Fprintf(w, "%-8s %d tasks, %d of them new\n", d.Domain, d.Tasks, d.Added)
				}

				// A hint for people: with --json this function is not called.
				fmt.Fprintf(w, "in %s\n", made.Path)
				c.Say("Next: toolevo %s", console.Shell("play", "--data", data,
					"--set", "suite=stategen", "--split", g.split))
			}, err)
		},
	}
}

// run generates the tasks of all domains. If it is interrupted, it keeps whole tasks.
func (g *generating) run(ctx context.Context, data string, progress *console.Steps) (
	made Generated, err error,
) {
	f, err := taskfile.Edit(data, suite.Splits())
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	made = Generated{Path: taskfile.Path(data, g.split), Split: g.split}

	for _, d := range g.domains {
		one, err := g.domain(ctx, f, d, progress.Step(d.Name()+" tasks"))

		if err != nil {
			// The tasks yielded so far are whole, and the book counts no others.
			if ctx.Err() != nil {
				err = errors.Join(err, f.Commit())
			}
			return made, err
		}

		made.Domains = append(made.Domains, one)
	}
	return made, nil
}

// domain generates the tasks of a domain that the split lacks.
func (g *generating) domain(
	ctx context.Context, f *taskfile.Folder, d stategen.Domain, done func(done, total int),
) (GeneratedDomain, error) {
	made := GeneratedDomain{Domain: d.Name(), Failed: map[string]int{}, Rejected: map[string]int{}}
	inARow, idle := 0, 0

	// inVain counts a program that adds no task.
	inVain := func(why string) error {
		if inARow++; inARow < mostRepeated {
			return nil
		}
		return fmt.Errorf("the last %d programs of %s add no task, this one because %s: choose "+
			"more calls, or fewer tasks", inARow, d.Name(), why)
	}

	yield := func(t stategen.Task) (err error) {
		if t.Instruction, err = instruct.Instruct(&t, g.options.Seed); err != nil {
			return err
		}

		// Not every program makes a task with the paper's APIs: the loop below grows others.
		task := &t
		if g.apis == stategen.Paper {
			if task, err = stateeval.Adapt(task); err != nil {
				made.Rejected[err.Error()]++
				return inVain(err.Error())
			}
		}

		added, err := f.Add(g.split, task)
		if err != nil {
			return err
		}

		if added {
			made.Added++
			inARow = 0
			done(f.Count(g.split, d.Name()), g.tasks)
			return nil
		}

		made.Repeated++
		return inVain("it is in the data folder already")
	}

	// In parts, with a commit after each, so that a killed process loses one part at most.
	for {
		made.Tasks = f.Count(g.split, d.Name())
		if made.Tasks >= g.tasks {
			return made, nil
		}

		// Examples have a book of their own, so that they change no program of the other splits. It
		// begins empty each time: another seed keeps it from growing those that are there again, or
		// those in vain of a pass that added none.
		book, options := f.Book(d.Name()), g.options
		if g.split == suite.Examples {
			book = new(stategen.Book)
			options.Seed += examplesSeed + uint64(made.Tasks+idle)
		}

		n := min(part, g.tasks-made.Tasks)
		report, err := stategen.Generate(ctx, d, options, book, n, yield)
		merge(made.Failed, report.Failed)
		merge(made.Rejected, report.Rejected)

		if err == nil {
			err = f.Commit()
		}

		if err != nil {
			return made, err
		}

		if f.Count(g.split, d.Name()) == made.Tasks {
			idle++
		}
	}
}

const (
	// examplesOfDomain is how many tasks of a domain there are to choose demonstrations from, and
	// callsOfExample how many calls each path has: three of them have to fit a prompt.
	examplesOfDomain, callsOfExample = 10, 3
	// examplesSeed is added to the seed of examples: their book is empty, so with the same seed
	// their programs would be the first ones of the other splits.
	examplesSeed = 1_000_000
)

// MakeExamples implements [suite.ExampleMaker].
func (StateGen) MakeExamples(ctx context.Context, data string) error {
	// A domain without tasks needs no demonstrations.
	has := map[string]bool{}

	for _, split := range suite.Splits() {
		tasks, err := StateGen{}.List(data, split)
		if err != nil {
			return err
		}

		for _, t := range tasks {
			has[t.Labels[envs.LabelDataset]] = true
		}
	}

	// Parse would take no names for all domains.
	all, err := domains.Parse(slices.Sorted(maps.Keys(has)))
	if err != nil || len(has) == 0 {
		return err
	}

	apis, err := taskfile.APIs(data, suite.Splits())
	if err != nil {
		return err
	}

	g := generating{
		domains: all, split: suite.Examples, tasks: examplesOfDomain, apis: apis,
		options: stategen.Options{
			Calls: callsOfExample, Selector: stategen.Argmax, Seed: 1, Workers: runtime.GOMAXPROCS(0),
		},
	}
	_, err = g.run(ctx, data, &console.Steps{})
	return err
}

func merge(all, more map[string]int) {
	for name, n := range more {
		all[name] += n
	}
}
