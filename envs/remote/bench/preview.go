package bench

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/remote"
	"toolevo/envs/suite"
)

// Planned is what a check would run and send, and does not.
type Planned struct {
	Beginning []string      `json:"beginning"` // what brings an instance to where a task begins
	Calls     []PlannedCall `json:"calls"`     // in their order, those of a task on one instance
	Commands  []string      `json:"commands"`  // of tasks, which are run after their calls
}

// PlannedCall is a call as it would be sent.
type PlannedCall struct {
	Task  string `json:"task,omitempty"`  // whose solution makes it
	After bool   `json:"after,omitempty"` // it asks what the solution has changed
	Tool  string `json:"tool"`            // its name in p_c

	remote.Sent

	Wrong string `json:"wrong,omitempty"` // why it cannot be sent
}

// dryRunOption is the option of commands that would call tools. Its usage is the same on all
// commands.
func dryRunOption(on *bool) suite.Option {
	return suite.Option{
		Name: "dry-run", Value: on, Usage: "print the settings and where each comes from (collect: " +
			"an estimate too; checks of tools: every call), then exit",
	}
}

// plan returns what each instance would begin with, without any calls yet.
func (t *Toolset) plan(ctx context.Context) (*Planned, remote.Previewer, error) {
	source, ok := t.source.(remote.Previewer)
	if !ok {
		return nil, nil, console.Usage("‹dry-run›: it is not known in advance what is sent to these tools")
	}

	p := &Planned{Beginning: source.Beginning(), Calls: []PlannedCall{}, Commands: []string{}}
	return p, source, ctx.Err()
}

// planCalls returns what calls of tools would send.
func (t *Toolset) planCalls(ctx context.Context, calls []envs.Call) (*Planned, error) {
	p, source, err := t.plan(ctx)
	if err != nil {
		return nil, err
	}

	for _, c := range calls {
		p.Calls = append(p.Calls, t.planned(ctx, source, c.Tool, c.Args))
	}
	return p, nil
}

// planTasks returns what a check of all tasks of a data folder would send.
func planTasks(ctx context.Context, data string) (*Planned, error) {
	toolset, err := readToolset(data)
	if err != nil {
		return nil, err
	}

	// Not every source can say beforehand what it would send.
	p, source, err := toolset.plan(ctx)
	if err != nil {
		return nil, err
	}

	all, err := allTasks(data)
	if err != nil {
		return nil, err
	}

	for _, split := range suite.Splits() {
		for _, t := range all[split] {
			// A check plays solutions only.
			if t.plan() == nil {
				continue
			}

			// The grader asks these after the solution, in the state that it left.
			steps := slices.Clone(t.Solution)
			for _, q := range t.After {
				steps = append(steps, q.Step)
			}

			for i, s := range steps {
				args, err := s.args()
				if err != nil {
					return nil, err
				}

				call := toolset.planned(ctx, source, s.Tool, args)
				call.Task, call.After = t.ID, i >= len(t.Solution)
				p.Calls = append(p.Calls, call)
			}

			if len(t.Command) > 0 {
				p.Commands = append(p.Commands, t.ID+": "+strings.Join(t.Command, " "))
			}
		}
	}

	return p, nil
}

// planned returns a call as it would be sent. References to earlier answers are shown as the task
// has them.
func (t *Toolset) planned(
	ctx context.Context, source remote.Previewer, tool string, args envs.Args,
) PlannedCall {
	var references []string // pairs: as a request has them, and as the task has them

	// A request escapes braces, so marks are sent in the place of references. One that is a whole
	// value loses the quotes of its mark, as it may be of any type.
	marked, _ := envs.Map(args, func(part any) (any, bool) {
		text, ok := part.(string)
		if !ok {
			return part, false
		}
		return reference.ReplaceAllStringFunc(text, func(ref string) string {
			mark := fmt.Sprintf("reference-%d-", len(references))
			references = append(references, `"`+mark+`"`, ref, mark, ref)
			return mark
		}), true
	}).(envs.Args)

	name, wireArgs := t.wire(tool, marked)
	call := PlannedCall{Tool: tool}

	// A call that cannot be sent is listed with the reason, and does not hide the others.
	sent, err := source.Preview(ctx, name, wireArgs)
	if err != nil {
		call.Wrong = err.Error()
	}

	back := strings.NewReplacer(references...)
	sent.To, sent.Body = back.Replace(sent.To), back.Replace(sent.Body)

	for i := range sent.Headers {
		sent.Headers[i] = back.Replace(sent.Headers[i])
	}

	call.Sent = sent
	return call
}

// print writes a line for what an instance begins with, for each task, for each call, and for each
// header and body that a call sends.
func (p *Planned) print(w io.Writer) {
	fmt.Fprintln(w, "each instance begins by:")

	for _, line := range p.Beginning {
		fmt.Fprintf(w, "    %s\n", display.Line(line, 0))
	}

	task := ""

	for _, c := range p.Calls {
		// Calls of one task are made on one instance, and the next task begins on another.
		if c.Task != task {
			task = c.Task
			fmt.Fprintf(w, "%s, from the beginning:\n", display.Line(task, 0))
		}

		fmt.Fprintf(w, "    %s%s\n", c.words(), display.Line(c.To, 0))

		// Every request asks for JSON in return, so that header tells nothing.
		for _, line := range slices.Concat(c.Headers, []string{c.Body}) {
			if line != "" && !strings.HasPrefix(line, "Accept: ") {
				fmt.Fprintf(w, "        %s\n", display.Line(line, 0))
			}
		}
	}

	for _, line := range p.Commands {
		fmt.Fprintf(w, "afterwards run for %s\n", display.Line(line, 0))
	}

	fmt.Fprintf(w, "%d calls, none of which was made; a check makes each twice or more, on fresh "+
		"instances\n", len(p.Calls))
}

// words says what a call is for, and what is wrong with it.
func (c *PlannedCall) words() string {
	words := c.Tool + ": "
	if c.After {
		words = "afterwards " + words
	}
	return words + display.Line(c.Wrong, 0)
}
