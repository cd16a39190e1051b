package code

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/sandbox"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// Config configures an environment.
type Config struct {
	Domains  []stategen.Domain
	Base     *toolapi.Version // what prompts show
	Deployed *toolapi.Version
	Tasks    func(id string) (*stategen.Task, error)
	Engine   sandbox.Engine // nil cannot run programs
	Limits   sandbox.Limits
	Memory   envs.Memory // of verdicts, as a program may read the clock; nil remembers none
}

// Environment is the environment of programs: a task is one turn, which its verdict ends. It
// implements [envs.Environment], [envs.Canonicalizer] and [envs.Lifter], and is safe for concurrent
// use.
type Environment struct {
	config  Config
	graders map[string]*Grader // by domain
	stamp   string
}

// New returns the environment of a configuration, or an error that says what it lacks.
func New(c Config) (*Environment, error) {
	if c.Base == nil || c.Deployed == nil || c.Tasks == nil {
		return nil, errors.New("code: the base version, the deployed version or the tasks are missing")
	}

	e := &Environment{config: c, graders: map[string]*Grader{}}
	if c.Engine != nil {
		e.stamp = c.Engine.Stamp().String()
	}

	for _, d := range c.Domains {
		for _, tool := range d.Counted() {
			if _, ok := c.Deployed.ForTool(tool); !ok && !c.Deployed.Lacks(tool) {
				return nil, fmt.Errorf("code: the version %s has no API of the tool %s",
					c.Deployed.Name, tool)
			}
		}

		e.graders[d.Name()] = &Grader{
			Surface: Surface{Domain: d, Base: c.Base, Deployed: c.Deployed},
			Engine:  c.Engine,
			Limits:  c.Limits,
		}
	}
	return e, nil
}

// state is a task before its program, or after it.
type state struct {
	history envs.History
	status  envs.Status
}

func (s *state) History() envs.History { return s.history }
func (s *state) Status() envs.Status   { return s.status }

// Reset implements [envs.Environment].
func (e *Environment) Reset(_ context.Context, t envs.Task) (envs.State, error) {
	if _, _, err := e.task(t); err != nil {
		return nil, envs.Fail(envs.StageEnvironment, "reset", err)
	}
	return &state{history: envs.NewHistory(t)}, nil
}

// task returns a task and its grader.
func (e *Environment) task(t envs.Task) (*stategen.Task, *Grader, error) {
	task, err := e.config.Tasks(t.ID)
	if err != nil {
		return nil, nil, fmt.Errorf("code: %w", err)
	}

	g, ok := e.graders[task.Program.Domain]
	if !ok {
		return nil, nil, fmt.Errorf("code: the task %q is of the unknown domain %q", t.ID,
			task.Program.Domain)
	}
	return task, g, nil
}

// Step runs the program of an action, and ends the task.
func (e *Environment) Step(ctx context.Context, s envs.State, a envs.Action) (
	envs.Transition, error,
) {
	from, ok := s.(*state)
	if !ok {
		return envs.Transition{}, envs.Fail(envs.StageEnvironment, "step",
			fmt.Errorf("a state of type %T", s))
	}

	if from.status != envs.Running {
		return envs.Transition{}, envs.Fail(envs.StageEnvironment, "step",
			fmt.Errorf("the state of task %q is %s", from.history.Task().ID, from.status))
	}

	// The turn keeps what is understood, in a form that can be stored.
	codec := action.Python{}
	text := codec.Trim(strings.ToValidUTF8(string(a), "\uFFFD"))
	turn := envs.Turn{Action: envs.Action(text), Maker: e.stamp}
	v := Verdict{Class: Syntax, Cause: NoCode, Text: "there is no fenced block of code"}

	// A text without code is the agent's mistake, and so a verdict rather than an error.
	if call, wrong := codec.Parse(text); wrong == nil {
		var err error

		call.Tool = envs.FinishTool
		turn.Call = call
		program, _ := call.Args.Text("answer")

		if v, err = e.verdict(ctx, from.history.Task(), program); err != nil {
			return envs.Transition{}, err
		}
	}
	return from.ended(turn, v), nil
}

// ended returns the state after a verdict.
func (s *state) ended(turn envs.Turn, v Verdict) envs.Transition {
	turn.Observation, turn.Outcome = v.Observation(), envs.Correct
	reward := 1.0

	if !v.Passed() {
		turn.Outcome, reward = envs.Incorrect, -1
	}
	return envs.Transition{
		State:  &state{history: s.history.Append(turn), status: envs.Terminated},
		Turn:   turn,
		Reward: reward,
		Grade:  envs.Grade{Answer: v.Result, Official: v.Passed(), Strict: v.Passed()},
	}
}

// verdict grades a program, or recalls its verdict.
func (e *Environment) verdict(ctx context.Context, t envs.Task, program string) (
	v Verdict, err error,
) {
	task, grader, err := e.task(t)
	if err != nil {
		return v, envs.Fail(envs.StageEnvironment, "step", err)
	}

	find := func() (r envs.Result, err error) {
		if e.config.Engine == nil {
			return r, envs.Fail(envs.StageTool, "grade task "+t.ID, errors.New("no engine runs programs"))
		}

		if v, err = grader.Grade(ctx, task, program); err != nil {
			return r, envs.Fail(envs.StageTool, "grade task "+t.ID, err)
		}
		return envs.Result{Observation: v.Observation(), Maker: e.stamp}, nil
	}

	r, err := envs.Remembered(ctx, e.config.Memory, e.key(task, program), find)
	if err != nil {
		return v, envs.Fail(envs.StageStore, "remember the verdict on task "+t.ID, err)
	}

	if v, err = ReadVerdict(r.Observation); err != nil {
		return v, envs.Fail(envs.StageStore, "recall the verdict on task "+t.ID, err)
	}
	return v, nil
}

// key names a verdict by the task and its program, the version and the answer.
func (e *Environment) key(t *stategen.Task, program string) string {
	reference, err := json.Marshal(t.Program)
	if err != nil {
		panic(fmt.Sprintf("code: encode the program of %s: %v", t.ID, err)) // data, which was read from JSON
	}
	return fmt.Sprintf("code %s %s %x", e.config.Deployed.Name, t.ID,
		sha256.Sum256([]byte(string(reference)+"\x00"+program)))
}

// Canonical implements [envs.Canonicalizer]: programs are the same when their texts are.
func (e *Environment) Canonical(a envs.Action) string { return action.Key(action.Python{}, string(a)) }

// Lift implements [envs.Lifter]: it writes the reference program for the deployed version. It can
// lift no other program.
func (e *Environment) Lift(so envs.History, c envs.Call) (envs.Call, error) {
	task, g, err := e.task(so.Task())
	if err != nil {
		return envs.Call{}, err
	}

	base := Surface{Domain: g.Surface.Domain, Base: e.config.Base, Deployed: e.config.Base}

	reference, err := base.Render(&task.Program)
	if err != nil {
		return envs.Call{}, err
	}

	if program, _ := c.Args.Text("answer"); program != reference {
		return envs.Call{}, fmt.Errorf("code: lift a program of task %s: it is not the reference", task.ID)
	}

	lifted, err := g.Surface.Render(&task.Program)
	if err != nil {
		return envs.Call{}, err
	}
	return envs.Finish(lifted), nil
}

// Plan returns the solution of a task in one turn: the reference program.
func (s *Surface) Plan(t *stategen.Task) (thought string, next envs.Call, err error) {
	program, err := s.Render(&t.Program)
	if err != nil {
		return "", envs.Call{}, err
	}
	return "The program takes the steps of the task one by one.", envs.Finish(program), nil
}
