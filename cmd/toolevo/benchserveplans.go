package main

import (
	"context"
	"fmt"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/suite"
)

// solutions return the solution of a question, and whether it is recognised.
type solutions func(question string) (envs.Plan, bool)

// known are the questions that a simulated server can answer.
type known struct {
	plans  solutions
	opened []*toolevo.Bench // that they are of; none where a benchmark knows its questions by their words
}

// readKnown reads the questions of all splits of a data folder, where it takes that to know them.
func readKnown(ctx context.Context, name, data string) (*known, error) {
	benchmark, err := suite.Lookup(name)
	if err != nil {
		return nil, err
	}

	if b, ok := benchmark.(suite.WordPlanner); ok {
		return &known{plans: b.Plans()}, nil
	}

	k := &known{}
	k.plans = k.plan

	if err := k.read(ctx, benchmark, data); err != nil {
		k.close()
		return nil, err
	}

	return k, nil
}

func (k *known) read(ctx context.Context, benchmark suite.Benchmark, data string) error {
	lister, lists := benchmark.(suite.Lister)

	for _, split := range suite.Splits() {
		if lists {
			tasks, err := lister.List(data, split)
			if err != nil {
				return err
			}

			if len(tasks) == 0 {
				continue
			}
		}

		b, err := openSplit(ctx, benchmark.Name(), data, split)
		if err != nil {
			return err
		}

		k.opened = append(k.opened, b)
	}

	if len(k.opened) == 0 {
		return fmt.Errorf("no questions of the suite %s in %s: name the data folder with --data", benchmark.Name(),
			data)
	}

	return nil
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

// plan is what the first split has that knows a question.
func (k *known) plan(question string) (envs.Plan, bool) {
	for _, b := range k.opened {
		if plan, ok := b.Plans(question); ok {
			return plan, true
		}
	}

	return nil, false
}

func (k *known) close() {
	for _, b := range k.opened {
		_ = b.Close() // it was read, and nothing else
	}
}
