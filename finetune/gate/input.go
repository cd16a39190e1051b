package gate

import (
	"errors"
	"fmt"
	"slices"

	"toolevo/envs/console"
	"toolevo/finetune/tabulate"
)

// Version is a release of somebody's APIs.
type Version struct {
	Name  string   // as in reports
	Tools []string // the names of all its tools
}

// Change is one thing that happened to a tool.
type Change struct {
	Tool string `json:"tool"`           // its name in the current version, or else in the next
	By   string `json:"by,omitempty"`   // the kind of the change, e.g. "rename-parameter"
	What string `json:"what,omitempty"` // in words, e.g. "path is now repo_path"
}

// String returns the change without its tool.
func (c Change) String() string {
	switch {
	case c.By == "":
		return c.What
	case c.What == "":
		return c.By
	}

	return c.By + ": " + c.What
}

// Try is an episode of a task.
type Try struct {
	Right   bool
	Answer  string // what the policy ended with
	Failure string // of a service; then there is no verdict, and Right means nothing
}

// Task is a task, and how it was played.
type Task struct {
	ID    string
	Calls map[string][]string // under the current version, in canonical form, by tool
	Equal bool                // by construction: it was not played under the next version
	Judge string              // the language model that judged it, "" if none did

	Current, Next []Try
}

// Input is what a gate judges.
type Input struct {
	Current, Next Version
	Changes       []Change
	Tasks         []Task
}

// Options say how strict a gate is.
type Options struct {
	Limit         float64  // the loss that is too much, a share of the tasks
	Allowed       []string // changed tools that no task has to use
	PassUndecided bool     // an undecided verdict passes
}

// Check refuses options with which nothing can be judged.
func (o *Options) Check() error {
	if !(o.Limit > 0 && o.Limit < 1) {
		return console.Option("loss", "want a share of the tasks above 0 and below 1, e.g. 0.05")
	}
	return nil
}

// check makes sure that an input can be judged. What is wrong with it is a mistake of the program.
func (in *Input) check() error {
	known := map[string]bool{}

	for i := range in.Tasks {
		t := &in.Tasks[i]
		if known[t.ID] {
			return fmt.Errorf("gate: two tasks are called %q: give each an ID of its own", t.ID)
		}

		known[t.ID] = true

		if err := in.checkTask(t); err != nil {
			return fmt.Errorf("gate: task %q %w", t.ID, err)
		}
	}
	return nil
}

func (in *Input) checkTask(t *Task) error {
	switch {
	case len(t.Current) == 0:
		return errors.New("was not played under the current version")
	case t.Equal && len(t.Next) > 0:
		return errors.New("is equal by construction, and was played under the next version")
	case t.Equal && len(in.toolsOf(t)) > 0:
		return fmt.Errorf("is equal by construction, and used %q, which changed", in.toolsOf(t)[0])
	case !t.Equal && len(t.Next) == 0 && scoreOf(t.Current).measured():
		return errors.New("was not played under the next version")
	}

	return nil
}

// toolsOf returns the changed tools that a task used.
func (in *Input) toolsOf(t *Task) (tools []string) {
	for _, c := range in.Changes {
		if len(t.Calls[c.Tool]) > 0 {
			tools = append(tools, c.Tool)
		}
	}

	slices.Sort(tools)
	return slices.Compact(tools)
}

// Score counts the tries of a task under a version.
type Score struct {
	Right  int `json:"right"`            // tries
	Wrong  int `json:"wrong"`            // likewise
	Failed int `json:"failed,omitempty"` // without a verdict
}

func scoreOf(tries []Try) (s Score) {
	for _, t := range tries {
		switch {
		case t.Failure != "":
			s.Failed++
		case t.Right:
			s.Right++
		default:
			s.Wrong++
		}
	}

	return s
}

// String returns e.g. "2 of 3".
func (s Score) String() string { return fmt.Sprintf("%d of %d", s.Right, s.Right+s.Wrong) }

func (s Score) measured() bool { return s.Right+s.Wrong > 0 }

// seen counts the tries that have a verdict.
func (s Score) seen() tabulate.Cluster {
	return tabulate.Cluster{Successes: float64(s.Right), Trials: float64(s.Right + s.Wrong)}
}

// had counts all tries, as if those that failed had all been right, or all wrong.
func (s Score) had(right bool) tabulate.Cluster {
	if right {
		s.Right += s.Failed
	} else {
		s.Wrong += s.Failed
	}

	return s.seen()
}

// scores returns those of a task under both versions. A task that is equal by construction would
// have the same under the next.
func (t *Task) scores() (current, next Score) {
	current, next = scoreOf(t.Current), scoreOf(t.Next)

	switch {
	case t.Equal:
		next = current
	case len(t.Next) == 0:
		next.Failed = len(t.Current) // nobody tried, since the service had failed before
	}

	return current, next
}
