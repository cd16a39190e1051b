package main

import (
	"context"
	"fmt"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/suite"
)

// solutions returns the solution of a question, and whether the question is recognised.
type solutions func(question string) (envs.Plan, bool)

// readPlans returns the solutions that a simulated server answers from. For suites that cannot plan
// from a question's words alone it opens all splits of the data folder, until the program ends.
func readPlans(ctx context.Context, name, data string) (solutions, error) {
	benchmark, err := suite.Lookup(name)
	if err != nil {
		return nil, err
	}

	// Questions that are known by their words need no data folder, and so none has to be there.
	if b, ok := benchmark.(suite.WordPlanner); ok {
		return b.Plans(), nil
	}

	var all []*toolevo.Bench

	// A split without tasks cannot be opened. Data folders need not have all of them.
	lister, lists := benchmark.(suite.Lister)

	for _, split := range suite.Splits() {
		if lists {
			tasks, err := lister.List(data, split)
			if err != nil {
				return nil, err
			}

			if len(tasks) == 0 {
				continue
			}
		}

		b, err := openSplit(ctx, name, data, split)
		if err != nil {
			return nil, err
		}

		all = append(all, b)
	}

	if len(all) == 0 {
		return nil, fmt.Errorf("no questions of the suite %s in %s: name the data folder with --data", name, data)
	}
	return func(question string) (envs.Plan, bool) {
		for _, b := range all {
			if plan, ok := b.Plans(question); ok {
				return plan, true
			}
		}

		return nil, false
	}, nil
}

// openSplit opens all questions of a split.
func openSplit(ctx context.Context, name, data, split string) (*toolevo.Bench, error) {
	c, err := configs.Load(configs.SettingLayer("bench serve", "suite", name),
		configs.SettingLayer("bench serve", "split", split))
	if err != nil {
		return nil, err
	}

	return toolevo.ReadBench(ctx, data, c, nil, nil)
}
