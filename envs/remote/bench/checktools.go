package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
	"toolevo/envs/remote"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
)

// CheckedTools is what `tools check --json` prints.
type CheckedTools struct {
	Tools    []CheckedTool `json:"tools"`    // in the order of p_c
	Recorded int           `json:"recorded"` // answers that p_c has as examples now

	Planned *Planned `json:"planned,omitempty"` // in place of these, with --dry-run
}

// CheckedTool is a tool that was called twice, on two fresh instances.
type CheckedTool struct {
	Tool    string          `json:"tool"`              // its name in p_c
	Args    json.RawMessage `json:"args"`              // of the call: an object
	Outcome envs.Outcome    `json:"outcome"`           // of the first call
	Answer  string          `json:"answer"`            // the first one
	Differs string          `json:"differs,omitempty"` // where the second answer differs
	Changes string          `json:"changes,omitempty"` // what it changes, though it is said to only read
}

func checkToolsCommand() suite.Command {
	var (
		data           string
		record, dryRun bool
	)
	return suite.Command{
		Use: "tools check", Help: helpTexts, Progress: true, Document: CheckedTools{},
		Options: []suite.Option{
			suite.DataOption(&data),
			{Name: "record", Value: &record, Usage: "keep the answers in p_c as examples, which operators of " +
				"silent drift need"},
			dryRunOption(&dryRun),
		},
		Run: func(ctx context.Context, c *suite.Call) error {
			checked, err := checkTools(ctx, data, dryRun, c.Progress)
			if err == nil && record && !dryRun {
				checked.Recorded, err = checked.record(data)
			}

			if err == nil {
				err = checked.verdict(data)
			}
			return c.Result(checked, checked.print, err)
		},
	}
}

// verdict returns an error if a tool does not repeat itself, or changes what it should only read.
func (c *CheckedTools) verdict(data string) error {
	differ, change := 0, 0

	for _, t := range c.Tools {
		if t.Differs != "" {
			differ++
		}

		if t.Changes != "" {
			change++
		}
	}

	switch {
	case change > 0:
		return console.Bad("%d tools are said to only read, and change what others answer: take them "+
			"out of reads in %s", change, toolsetPath(data))
	case differ > 0:
		return console.Bad("%d tools answer the same call differently: pin what changes by the "+
			"environment of the server, mask it in %s, or take the tools out of %s", differ,
			toolsetPath(data), basePath(data))
	}

	return nil
}

func (c *CheckedTools) print(w io.Writer) {
	if c.Planned != nil {
		c.Planned.print(w)
		return
	}

	for _, t := range c.Tools {
		fmt.Fprintf(w, "%s %s\n", t.Tool, display.Line(string(t.Args), max(78-len(t.Tool), 20)))

		if t.Answer != "" {
			fmt.Fprintf(w, "    %s: %s\n", t.Outcome, display.Line(t.Answer, 60))
		}

		if t.Differs != "" {
			fmt.Fprintf(w, "    DIFFERS: %s\n", t.Differs)
		}

		if t.Changes != "" {
			fmt.Fprintf(w, "    CHANGES: %s\n", t.Changes)
		}
	}

	fmt.Fprintf(w, "%d tools called twice, on fresh instances; %d answers recorded\n", len(c.Tools),
		c.Recorded)
}

// checkTools calls each tool by a sample of its arguments, or as the solution of a task does.
func checkTools(ctx context.Context, data string, dryRun bool, p *console.Steps) (
	*CheckedTools, error,
) {
	checked := &CheckedTools{Tools: []CheckedTool{}}

	toolset, err := readToolset(data)
	if err != nil {
		return checked, err
	}

	// In a run, a model may stand in for tools that must not be called. A check has no stand-in.
	calls, err := sampleCalls(data)
	calls = slices.DeleteFunc(calls, func(c envs.Call) bool { return !toolset.mayCall(c.Tool) })

	if err == nil && dryRun {
		checked.Planned, err = toolset.planCalls(ctx, calls)
	}

	if err != nil || dryRun {
		return checked, err
	}

	set := p.Step("call tools twice")

	for i, c := range calls {
		set(i, len(calls))

		t, err := toolset.callTwice(ctx, c)
		if err != nil {
			return checked, err
		}

		checked.Tools = append(checked.Tools, t)
	}

	// This comes last, when it is known which tools repeat themselves: the others prove nothing.
	return checked, toolset.findChanges(ctx, checked.Tools, calls)
}

// sampleCalls returns a call of each tool: the first one in a solution that needs no earlier
// answer, or one whose values fit the parameters.
func sampleCalls(data string) (calls []envs.Call, err error) {
	all, err := Remote{}.Versions(data)
	if err != nil {
		return nil, err
	}

	v, err := all.Version(base)
	if err != nil {
		return nil, err
	}

	// Values of a solution exist at the service. Invented ones mostly do not, and are refused.
	known, err := solvedCalls(data)
	if err != nil {
		return nil, err
	}

	for _, a := range v.APIs {
		// The tools of the environment, such as Finish, are not the service's.
		if envs.IsSystem(a.Tool) {
			continue
		}

		args, ok := known[a.Tool]
		if !ok {
			args = required(a)
		}

		calls = append(calls, envs.Call{Tool: a.Tool, Name: a.Name, Args: args})
	}
	return calls, nil
}

// solvedCalls returns the first call of each tool in a solution that needs no earlier answer.
func solvedCalls(data string) (map[string]envs.Args, error) {
	known := map[string]envs.Args{}

	all, err := allTasks(data)
	if err != nil {
		return nil, err
	}

	for _, split := range suite.Splits() {
		for _, t := range all[split] {
			for _, s := range t.Solution {
				args, err := s.args()
				isAlone := err == nil && lastReference(string(s.Args)) == 0
				if _, twice := known[s.Tool]; isAlone && !twice {
					known[s.Tool] = args
				}
			}
		}
	}

	return known, nil
}

// required returns sample arguments for the required parameters only: many tools refuse some
// options beside others.
func required(a *toolapi.API) (args envs.Args) {
	for _, p := range a.Parameters {
		if value, ok := a.Sample().Get(p.Name); ok && !p.Optional {
			args = args.With(p.Name, value)
		}
	}

	return args
}

// callTwice makes a call on two fresh instances.
func (t *Toolset) callTwice(ctx context.Context, c envs.Call) (checked CheckedTool, err error) {
	checked = CheckedTool{Tool: c.Tool, Args: json.RawMessage(pytext.JSON(c.Args))}

	var results [2]envs.Result

	name, args := t.wire(c.Tool, c.Args)

	for i := range results {
		service, err := t.service(t.source)
		if err != nil {
			return checked, err
		}

		_, results[i], err = service.Call(ctx, nil, remote.Log{}, name, args)
		if err = errors.Join(err, service.Close()); err != nil {
			return checked, fmt.Errorf("call %s: %w", c.Tool, err)
		}
	}

	checked.Outcome, checked.Answer = results[0].Outcome, results[0].Observation
	if results[0] != results[1] {
		checked.Differs = difference(results[0].Observation, results[1].Observation)
	}
	return checked, nil
}

// record keeps the answers that are JSON in p_c, and returns their number.
func (c *CheckedTools) record(data string) (n int, err error) {
	spec, err := readBase(data)
	if err != nil {
		return 0, err
	}

	for _, t := range c.Tools {
		value, err := pytext.DecodeStrict(t.Answer)
		if err != nil || t.Outcome != envs.OK || !isStructure(value) {
			continue
		}

		i := slices.IndexFunc(spec.APIs, func(a toolapi.APISpec) bool { return a.ToolName() == t.Tool })
		spec.APIs[i].Answer = pytext.JSON(value)
		n++
	}
	return n, writeVersion(basePath(data), spec)
}

// isStructure reports whether a value has members or items.
func isStructure(value any) bool {
	switch value.(type) {
	case envs.Args, []any:
		return true
	}
	return false
}
