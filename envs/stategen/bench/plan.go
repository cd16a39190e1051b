package bench

import (
	"errors"
	"fmt"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// errUnanswered ends a program at its first call that has no answer yet.
var errUnanswered = errors.New("the call is not answered yet")

// Plan implements [suite.Planner]: the reference program, run against the observations so far.
func (o *opened) Plan(question string) (envs.Plan, bool) {
	id, ok := o.byQuestion[question]
	if !ok {
		return nil, false
	}
	return func(results []string) (string, envs.Call, error) {
		e, err := o.episode(id)
		if err != nil {
			return "", envs.Call{}, err
		}
		return e.next(results)
	}, true
}

// next returns the call that follows those that were answered.
func (e *episode) next(results []string) (thought string, next envs.Call, err error) {
	outcome, err := e.program.Run(e.values, func(tool string, args envs.Args) (any, error) {
		if len(results) == 0 {
			next = envs.Call{Tool: tool, Name: tool, Args: args}
			return nil, errUnanswered
		}

		value, err := pytext.DecodeStrict(results[0])
		results = results[1:]
		return value, err
	})

	switch {
	case errors.Is(err, errUnanswered):
		return fmt.Sprintf("The next step needs %s.", next.Name), next, nil
	case err != nil:
		return "", envs.Call{}, err
	}

	answer, ok := outcome.Result.(string)
	if !ok {
		answer = pytext.JSON(outcome.Result)
	}
	return "All steps are done, so I can give RESULT.", envs.Finish(answer), nil
}
