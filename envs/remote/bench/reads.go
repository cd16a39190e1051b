package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolevo/envs"
	"toolevo/envs/remote"
)

// findChanges notes which of the tools that are said to only read change what others answer: a
// search leaves such calls out of its log, and would continue in a state that it does not know of.
func (t *Toolset) findChanges(ctx context.Context, checked []CheckedTool, calls []envs.Call) error {
	// On a server that others use, a change may be anybody's.
	if !t.startsInstances() {
		return nil
	}

	reads := slices.DeleteFunc(slices.Clone(calls), func(c envs.Call) bool {
		return !slices.Contains(t.Reads, c.Tool)
	})

	// The yardstick: the answers of an instance on which nothing was called before.
	usual, err := t.answers(ctx, reads)
	if err != nil {
		return err
	}

	for _, first := range reads {
		after, err := t.answers(ctx, append([]envs.Call{first}, reads...))
		if err != nil {
			return err
		}

		// The first answer is that of the suspect itself. One change convicts it, and a tool that
		// never answers alike proves nothing.
		for i, answer := range after[1:] {
			if answer == usual[i] || isUnrepeatable(checked, reads[i].Tool) {
				continue
			}

			isFirst := func(c CheckedTool) bool { return c.Tool == first.Tool }
			checked[slices.IndexFunc(checked, isFirst)].Changes = fmt.Sprintf(
				"%s is answered otherwise after it: %s", reads[i].Tool,
				difference(usual[i].Observation, answer.Observation))

			break
		}
	}
	return nil
}

// isUnrepeatable reports whether a tool answers the same call differently anyway.
func isUnrepeatable(checked []CheckedTool, tool string) bool {
	return slices.ContainsFunc(checked, func(c CheckedTool) bool { return c.Tool == tool && c.Differs != "" })
}

// answers returns what one fresh instance answers to calls that only read, made one after the
// other.
func (t *Toolset) answers(ctx context.Context, calls []envs.Call) (all []envs.Result, err error) {
	alone := *t
	alone.Instances = 1

	service, err := alone.service(alone.source)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, service.Close()) }()

	for _, c := range calls {
		name, args := t.wire(c.Tool, c.Args)

		_, result, err := service.Call(ctx, nil, remote.Log{}, name, args)
		if err != nil {
			return nil, fmt.Errorf("call %s: %w", c.Tool, err)
		}

		all = append(all, result)
	}
	return all, nil
}
