package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
	"toolevo/envs/remote"
	"toolevo/envs/remote/explore"
	"toolevo/envs/suite"
)

// MadeTasks is what `tasks make --json` prints.
type MadeTasks struct {
	Growth

	Tools     []UsedTool `json:"tools"`     // in the order of p_c
	Differing int        `json:"differing"` // programs left out because a fresh instance answered differently
}

// UsedTool is a tool that tasks were made with.
type UsedTool struct {
	Tool  string `json:"tool"`           // its name in p_c
	Tasks int    `json:"tasks"`          // of those made that need it
	Said  string `json:"said,omitempty"` // its last refusal, if no task needs it
}

func makeTasksCommand() suite.Command {
	var (
		data string
		seed uint64
		m    making
	)

	split := "train"
	m.count, m.calls = 100, 4
	return suite.Command{
		Use: "tasks make", Help: helpTexts, Progress: true, Document: MadeTasks{}, Demonstrates: true,
		Options: []suite.Option{
			suite.DataOption(&data), suite.SplitOption(&split), suite.SeedOption(&seed),
			{Name: "count", Value: &m.count, Least: 1, Usage: "how many tasks to add"},
			{Name: "calls", Value: &m.calls, Least: 1, Usage: "the most calls that a task needs"},
		},
		Run: func(ctx context.Context, c *suite.Call) error {
			c.NoExamples = split != suite.Examples

			made, err := m.run(ctx, data, split, seed, c.Progress.Step("make tasks"))
			return c.Result(made, func(w io.Writer) {
				made.print(w)
				c.Say("Next: toolevo tasks check --data %s", data)
			}, err)
		},
	}
}

func (m *MadeTasks) print(w io.Writer) {
	for _, t := range m.Tools {
		fmt.Fprintf(w, "%-32s %5d tasks", t.Tool, t.Tasks)

		if t.Said != "" {
			fmt.Fprintf(w, "; refused: %s", display.Line(t.Said, 30))
		}

		fmt.Fprintln(w)
	}

	if m.Differing > 0 {
		fmt.Fprintf(w, "%d programs left out, which a fresh instance answered otherwise\n",
			m.Differing)
	}

	fmt.Fprintf(w, "%d tasks added to %s, which has %d\n", m.Added, m.Path, m.Total)
}

// making makes tasks by using the tools of a toolset.
type making struct {
	count, calls int

	toolset *Toolset
	service *remote.Service
	known   map[string]bool // the questions and IDs of tasks that exist
	made    []*Task
}

// mostInVain is how many programs in a row may lead to no task before making ends.
const mostInVain = 200

// run adds tasks to a split, including those that were made when ctx ended or a call failed.
func (m *making) run(
	ctx context.Context, data, split string, seed uint64, set func(done, total int),
) (made MadeTasks, err error) {
	tools, err := m.open(data)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, m.service.Close()) }()

	explorer, err := explore.New(ctx, tools, seed)
	if err != nil {
		return made, err
	}

	for inVain := 0; err == nil && len(m.made) < m.count && inVain < mostInVain; inVain++ {
		before := len(m.made)
		set(before, m.count)

		var p *explore.Program
		if p, err = explorer.Program(ctx, m.calls); err == nil && p != nil {
			err = m.add(ctx, explorer, p, &made.Differing)
		}

		if len(m.made) > before {
			inVain = 0
		}
	}

	// Neither an interruption nor a service that fails loses the tasks made before it.
	if err != nil && ctx.Err() == nil && len(m.made) == 0 {
		return made, err
	}

	// An interrupted run without tasks says nothing about the tools.
	if len(m.made) == 0 && err == nil {
		err = console.Bad("no program of calls leads to a question: `toolevo tools check` says " +
			"what tools answer")
	}

	made.Path = tasksPath(data, split)
	if failed := m.write(data, split, &made.Growth); failed != nil {
		return made, failed
	}

	// A tool that no task uses is listed with its last refusal: the only hint at the reason.
	for _, a := range tools.APIs {
		used := UsedTool{Tool: a.Tool, Tasks: m.tasksUsing(a.Tool)}
		if used.Tasks == 0 {
			used.Said = explorer.Obstacle[a.Tool]
		}

		made.Tools = append(made.Tools, used)
	}

	// The same command again would make as many more.
	if err != nil && made.Added > 0 {
		err = fmt.Errorf("%d tasks were added to %s; ‹count› %d makes the rest: %w", made.Added,
			made.Path, m.count-made.Added, err)
		if ctx.Err() != nil {
			err = console.Interrupted("%w", err)
		}
	}
	return made, err
}

// open reads the tools, and the questions that the splits have already.
func (m *making) open(data string) (tools explore.Tools[remote.Log], err error) {
	all, err := Remote{}.Versions(data)
	if err != nil {
		return tools, err
	}

	v, err := all.Version(base)
	if err != nil {
		return tools, err
	}

	if m.toolset, err = readToolset(data); err != nil {
		return tools, err
	}

	for _, a := range v.APIs {
		// Nobody wants a service changed for good just to have a question about it.
		isSafe := m.toolset.startsInstances() || slices.Contains(m.toolset.Reads, a.Tool)
		if !envs.IsSystem(a.Tool) && isSafe {
			tools.APIs = append(tools.APIs, a)
		}
	}

	existing, err := allTasks(data)
	if err != nil {
		return tools, err
	}

	// No split gets a question of another: a model would be tested on what it was trained on. Calls
	// that need no earlier answer have values that are known to exist.
	m.known = knownOf(existing)

	for _, split := range suite.Splits() {
		for _, t := range existing[split] {
			for _, s := range t.Solution {
				if args, err := s.args(); err == nil && lastReference(string(s.Args)) == 0 {
					tools.Known = append(tools.Known, envs.Call{Tool: s.Tool, Args: args})
				}
			}
		}
	}

	tools.Reads = func(tool string) bool { return slices.Contains(m.toolset.Reads, tool) }
	tools.Call = m.call
	m.service, err = m.toolset.service(m.toolset.source)
	return tools, err
}

// knownOf returns the questions and the IDs of tasks: people rephrase questions that were made.
func knownOf(all map[string][]*Task) map[string]bool {
	known := map[string]bool{}

	for _, tasks := range all {
		for _, t := range tasks {
			known[t.Question], known[t.ID] = true, true
		}
	}

	return known
}

// write adds the tasks that were made to a split. Making takes long, so the splits are read again:
// what others have added or corrected since stays, and is not asked twice.
func (m *making) write(data, split string, g *Growth) error {
	existing, err := allTasks(data)
	if err != nil {
		return err
	}

	known := knownOf(existing)
	m.made = slices.DeleteFunc(m.made, func(t *Task) bool {
		return known[t.Question] || known[t.ID]
	})
	return g.write(split, existing, m.made)
}

// call calls a tool in the state that a log leads to.
func (m *making) call(ctx context.Context, at remote.Log, tool string, args envs.Args) (
	remote.Log, explore.Answer, error,
) {
	name, wireArgs := m.toolset.wire(tool, args)

	next, result, err := m.service.Call(ctx, nil, at, name, wireArgs)
	answer := explore.Answer{
		Said:    result.Observation,
		Value:   strings.TrimSpace(result.Observation),
		Refused: result.Outcome != envs.OK,
	}

	if value, ok := valueIn(result.Observation); ok {
		answer.Value = value
	}

	// A call at which the tools fail alone is one that no task has.
	if reason, alone := envs.GivenUp(err); alone {
		return at, explore.Answer{Said: reason, Refused: true}, nil
	}
	return next, answer, err
}

// add makes a task of a new program if a fresh instance answers it as the one did on which it was
// drawn.
func (m *making) add(
	ctx context.Context, e *explore.Explorer[remote.Log], p *explore.Program, differing *int,
) error {
	question := p.Question()

	id := "made-" + envs.SHA256(question)[:12]
	if m.known[question] || m.known[id] {
		return nil
	}

	// An answer that only one instance gives, such as the time, must not become a task's.
	if err := m.service.Retire(); err != nil {
		return err
	}

	answers, err := e.Replay(ctx, p)
	if err != nil {
		return err
	}

	// Replaying stops at a refused call, so fewer answers than steps are a difference, too.
	same := len(answers) == len(p.Steps)
	if same {
		now, ok := p.Asked.In(answers[len(answers)-1].Value)
		same = ok && now == p.Answer
	}

	if !same {
		*differing++
		return nil
	}

	t, err := taskOf(p, answers)
	if err != nil {
		return err
	}

	t.ID, t.Question = id, question
	m.known[question] = true
	m.made = append(m.made, t)
	return nil
}

// tasksUsing counts the tasks that call a tool.
func (m *making) tasksUsing(tool string) (n int) {
	for _, t := range m.made {
		if slices.ContainsFunc(t.Solution, func(s Step) bool { return s.Tool == tool }) {
			n++
		}
	}

	return n
}

// taskOf makes a task of a program. The tools are asked for what the calls have changed as well, so
// a guessed answer is not enough.
func taskOf(p *explore.Program, answers []explore.Answer) (*Task, error) {
	t := &Task{
		Dataset: "made", Difficulty: "reads", Answer: pytext.Str(p.Answer), Match: matchStrict,
		Final: referenceTo(len(p.Steps), p.Asked),
	}

	// An answer may write a number in another way: 1e3 and 1,000 are 1000.
	if _, isNumber := p.Answer.(envs.Number); isNumber {
		t.Match = matchNumber
	}

	for _, s := range p.Steps {
		args := envs.Map(s.Args, func(part any) (any, bool) {
			ref, ok := part.(explore.Ref)
			if ok {
				part = referenceTo(ref.Step, ref.Pointer)
			}
			return part, ok
		})

		t.Solution = append(t.Solution, step(s.API.Tool, args))
	}

	if !p.Writes {
		return t, nil
	}

	t.Difficulty = "writes"

	args, err := p.Resolved(answers)
	// Members cannot lead into a list: then only the answer is checked.
	if left := p.Left(); err == nil && left != nil {
		last := p.Steps[len(p.Steps)-1].API.Tool
		t.After = []Query{{Step: step(last, args), Has: json.RawMessage(pytext.JSON(left))}}
	}

	return t, err
}

// step returns a call as the file of a task has it.
func step(tool string, args any) Step {
	if a, _ := args.(envs.Args); len(a) == 0 {
		return Step{Tool: tool}
	}
	return Step{Tool: tool, Args: json.RawMessage(pytext.JSON(args))}
}
