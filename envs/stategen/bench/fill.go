package bench

import (
	"context"
	"runtime"

	"toolevo/envs/console"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
)

// Fill implements [suite.Filler]: ten tasks of each domain for training, and ten for tests.
func (StateGen) Fill(ctx context.Context, data, _ string) error {
	all, err := domains.Parse(nil)
	if err != nil {
		return err
	}

	for i, split := range []string{"train", "test"} {
		g := generating{domains: all, split: split, tasks: 10, options: stategen.Options{
			Calls: stategen.DefaultCalls, Selector: stategen.Argmax, Seed: uint64(i + 1),
			Workers: runtime.GOMAXPROCS(0),
		}}
		if _, err := g.run(ctx, data, &console.Steps{}); err != nil {
			return err
		}
	}

	return nil
}
