package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// Recordings are recorded runs that tasks are made of.
type Recordings struct {
	Runs []Recorded
	Left []LeftTask // what is not a run
}

// Recorded is one run of somebody's agent with the tools.
type Recorded struct {
	From     string // the document, for people
	ID       string // of the task; two must not have the same
	Question string
	Answer   string      // the agent's
	Calls    []envs.Call // that were answered, by the names of p_c or of the server
	Version  string      // whose names these are, where the recording says so

	Dataset, Difficulty string // "" for none
}

// LeftTask is a recording that is not a task.
type LeftTask struct {
	From string `json:"from"` // the document
	Why  string `json:"why"`  // it was left out
}

// tasks makes tasks of recorded runs. Runs whose IDs or questions are known, or that cannot be
// tasks, are left out with the reason.
func (r *Recordings) tasks(match string, toolset *Toolset, tools []string, known []*Task) (
	all []*Task,
) {
	for _, run := range r.Runs {
		t, err := run.task(match, toolset, tools)

		for _, other := range slices.Concat(known, all) {
			switch {
			case err != nil:
			case other.ID == t.ID:
				err = fmt.Errorf("there is a task %s already", t.ID)
			case other.Question == t.Question:
				err = fmt.Errorf("the task %s asks the same", other.ID)
			}
		}

		if err != nil {
			r.Left = append(r.Left, LeftTask{run.From, err.Error()})
		} else {
			all = append(all, t)
		}
	}

	return all
}

// task makes a task of a run, whose solution makes the same calls.
func (r *Recorded) task(match string, toolset *Toolset, tools []string) (*Task, error) {
	t := &Task{
		ID: r.ID, Question: r.Question, Dataset: r.Dataset, Difficulty: r.Difficulty,
		Answer: r.Answer, Match: match,
	}
	t.complete()

	if r.Version != "" && r.Version != base {
		return nil, fmt.Errorf("its calls are those of the version %s, and a solution has those of %s",
			r.Version, base)
	}

	for i, c := range r.Calls {
		step, err := toolset.step(c, tools)
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", i+1, err)
		}

		if lastReference(string(step.Args)) > 0 {
			return nil, fmt.Errorf("call %d: %s in its arguments would be read as an earlier answer",
				i+1, reference.FindString(string(step.Args)))
		}

		t.Solution = append(t.Solution, step)
	}
	return t, t.validate(tools)
}

// step returns a recorded call in the words of p_c. Programs call a server's tools by the server's
// own names, or by these behind its name, as mcp__SERVER__TOOL.
func (t *Toolset) step(c envs.Call, tools []string) (Step, error) {
	name := c.Name
	if parts := strings.SplitN(name, "__", 3); len(parts) == 3 && parts[0] == "mcp" {
		name = parts[2]
	}

	// A name of p_c wins: a tool may be called there what the server calls another one.
	if !slices.Contains(tools, name) {
		for tool, called := range t.Called {
			if called.Name == name {
				name = tool
			}
		}
	}

	if !slices.Contains(tools, name) {
		return Step{}, fmt.Errorf("the toolset has no tool %s", c.Name)
	}

	// A parameter is renamed here if the server's name for it could not be one.
	ours := map[string]string{}
	for parameter, wire := range maps.All(t.Called[name].Parameters) {
		ours[wire] = parameter
	}

	args := slices.Clone(c.Args)
	for i := range args {
		if parameter, ok := ours[args[i].Name]; ok {
			args[i].Name = parameter
		}
	}

	return Step{Tool: name, Args: json.RawMessage(pytext.JSON(args))}, nil
}
