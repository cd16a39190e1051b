package app

import (
	"cmp"
	"context"
	"fmt"

	"toolevo/envs/console"
	"toolevo/envs/suite"
)

// Fill fills a data folder with something small of a suite to try; "" is the first suite.
func Fill(ctx context.Context, name, data string) error {
	benchmark, err := suite.Lookup(cmp.Or(name, suite.Names()[0]))
	if err != nil {
		return err
	}

	f, ok := benchmark.(suite.Filler)
	if !ok {
		return console.Usage("the suite %s has nothing small to try", benchmark.Name())
	}

	return f.Fill(ctx, data, fmt.Sprint("toolevo ", Software()))
}
