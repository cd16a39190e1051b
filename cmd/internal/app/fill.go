package app

import (
	"cmp"
	"context"
	"fmt"

	"toolevo/envs/console"
	"toolevo/envs/suite"
)

// Fill fills a data folder with something small of a suite to try; "" is the first suite.
func (h *Host) Fill(ctx context.Context, name, data string) error {
	benchmark, err := suite.Lookup(cmp.Or(name, suite.Names()[0]))
	if err != nil {
		return err
	}

	f, ok := benchmark.(suite.Filler)
	if !ok {
		return console.Usage("the suite %s has nothing small to try", benchmark.Name())
	}

	if err := f.Fill(ctx, data, fmt.Sprint("toolevo ", Software())); err != nil {
		return err
	}
	return h.Demonstrate(ctx, benchmark.Name(), data)
}
