package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/keeper"
	"toolevo/envs/pytext"
	"toolevo/envs/remote"
)

// grader is the reward. It implements [dynamic.Grader].
type grader struct {
	suite  *opened
	memory envs.Memory
}

// Known implements [dynamic.Grader].
func (g grader) Known(t envs.Task) bool { return g.suite.byID[t.ID] != nil }

// Grade implements [dynamic.Grader].
func (g grader) Grade(
	ctx context.Context, s remote.Log, done envs.History, answer string,
) (envs.Grade, error) {
	t := g.suite.byID[done.Task().ID]
	grade := envs.Grade{Answer: answer, Official: true, Strict: true}

	if t.Answer != "" {
		grade.Official, grade.Strict = t.agrees(answer)
	}

	// A wrong answer decides the grade already, so no service is asked.
	for i := 0; i < len(t.After) && grade.Official; i++ {
		ok, err := g.holds(ctx, s, t.After[i])
		if err != nil {
			return envs.Grade{}, fmt.Errorf("ask %s what the task has left: %w", t.After[i].Tool,
				err)
		}

		grade.Official, grade.Strict = ok, grade.Strict && ok
	}

	if len(t.Command) > 0 && grade.Official {
		// A command that hangs must not hold up the run longer than a call may.
		timed, cancel := context.WithTimeout(ctx, g.suite.toolset.Timeout)
		defer cancel()

		ok, err := t.passes(timed, t.episode(done, answer))
		if err != nil {
			return envs.Grade{}, err
		}

		grade.Official, grade.Strict = ok, grade.Strict && ok
	}

	// The model is asked last: what can be checked is not a matter of opinion.
	if t.Rubric != "" && grade.Official && !g.suite.unjudged {
		ok, reason, err := g.judged(ctx, t, t.episode(done, answer))
		if err != nil {
			return envs.Grade{}, err
		}

		grade.Official, grade.Strict, grade.Reason = ok, grade.Strict && ok, reason
	}
	return grade, nil
}

// holds reports whether the tools answer a query as the task expects.
func (g grader) holds(ctx context.Context, s remote.Log, q Query) (bool, error) {
	args, err := q.args()
	if err != nil {
		return false, err
	}

	_, result, err := g.suite.call(ctx, g.memory, s, q.Tool, args)
	if err != nil || result.Outcome != envs.OK {
		return false, err
	}

	value, ok := valueIn(result.Observation)
	if !ok {
		value = result.Observation
	}

	says, err := pytext.DecodeStrict(string(q.Has))
	return err == nil && holds(value, says), err
}

// Episode is what a command gets on its standard input and a judge is shown, as JSON.
type Episode struct {
	Task     string `json:"task"`     // the ID
	Question string `json:"question"` // as the agent read it
	Answer   string `json:"answer"`   // the agent's
	Turns    []Turn `json:"turns"`    // before it
}

// Turn is a call of an episode.
type Turn struct {
	Tool        string       `json:"tool"` // in p_c; "" of a name that means nothing
	Name        string       `json:"name"` // as the agent called it
	Args        any          `json:"args"` // as the agent gave them; as text where they are no JSON
	Outcome     envs.Outcome `json:"outcome"`
	Observation string       `json:"observation"`
}

const (
	wrongStatus = 1   // with which a command says that an episode is wrong
	mostSaid    = 300 // columns of what a command says, in an error
)

// episode returns what an agent did about the task, and what it answers.
func (t *Task) episode(done envs.History, answer string) Episode {
	e := Episode{Task: t.ID, Question: done.Task().Question, Answer: answer, Turns: []Turn{}}
	for _, turn := range done.Turns() {
		for _, c := range turn.Played() {
			text := pytext.JSON(c.Call.Args)

			// Agents write Infinity, as Python does, and are refused. JSON has no such number.
			var args any = text
			if json.Valid([]byte(text)) {
				args = json.RawMessage(text)
			}

			e.Turns = append(e.Turns,
				Turn{c.Call.Tool, c.Call.Name, args, c.Outcome, c.Observation})
		}
	}

	return e
}

// passes runs the task's command. Any exit status but 0 and 1 is an error.
func (t *Task) passes(ctx context.Context, e Episode) (bool, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return false, err
	}

	var said bytes.Buffer

	cmd := exec.CommandContext(ctx, t.Command[0], t.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &said, &said
	keeper.Bound(cmd)

	err = cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it has its status, whatever it has left running
	}

	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == wrongStatus {
		return false, nil
	}

	if err != nil {
		return false, fmt.Errorf("the command %s: %w: %s", strings.Join(t.Command, " "), err,
			display.Line(said.String(), mostSaid))
	}
	return true, nil
}
