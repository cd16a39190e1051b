package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/drift"
	"toolevo/envs/kept"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/mcts/policy/serving"
)

// mutateOptions are the flags of `versions mutate`.
type mutateOptions struct {
	makeOptions
	*toolsFlags
	servers *serving.Servers
}

// How the model writes a version: freely, and at most as much as the names of twelve tools take.
const (
	mutateTemperature = 1
	mutateTokens      = 4096
)

func (a *app) versionsMutateCommand() *cobra.Command {
	cmd := newCommand("mutate")
	o := &mutateOptions{
		toolsFlags: &toolsFlags{a.addSettings(cmd, nil, "suite", "policy"), cmd, a.DataFlag(cmd)},
		servers:    a.serving(),
	}
	o.servers.AddressFlag(cmd.Flags())
	o.addTo(cmd, 1)
	o.asJSON = console.JSONFlag(cmd)

	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.mutate(cmd.Context(), o) }

	return cmd
}

// mutatedVersions is the result of `versions mutate`.
type mutatedVersions struct {
	From   string           `json:"from"`   // the version they were made from
	Policy string           `json:"policy"` // the model that named the APIs and parameters
	Seed   uint64           `json:"seed"`   // of what the model draws, and of repairs
	Made   []mutatedVersion `json:"made"`   // in the order of their numbers
}

// mutatedVersion is a version that a model made.
type mutatedVersion struct {
	madeVersion
	Requests int      `json:"requests"`           // to the model
	Refused  []string `json:"refused,omitempty"`  // names that it was asked for again, and what is wrong with them
	Repaired []string `json:"repaired,omitempty"` // what was wrong with names that were drawn in the end
}

// mutate has a model make versions, and writes their files when all of them are whole.
func (a *app) mutate(ctx context.Context, o *mutateOptions) (err error) {
	if err := o.check(); err != nil {
		return err
	}

	c, err := o.resolve(o.cmd.Flags())
	if err != nil {
		return err
	}

	shipped, err := o.versions()
	if err != nil {
		return err
	}

	m, err := drift.NewMaker(shipped, o.from, o.heldOut(o.cmd, shipped), o.seed)
	if err != nil {
		return err
	}

	benchmark, err := suite.Lookup(c.Suite)
	if err != nil {
		return err
	}

	a.announce("versions mutate", "policy "+toolevo.PoliciesOf(c.Policy), "of "+o.from,
		fmt.Sprintf("seed %d", o.seed), "data "+*o.data)
	a.warnExposed(o.servers)

	w, err := serving.New(c, benchmark, shipped, o.servers).Writer(c.Policy[0], suite.WriterOptions{
		Temperature: mutateTemperature, MaxTokens: mutateTokens,
	})
	if err != nil {
		return console.Usage("--policy: %w", err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()

	result := mutatedVersions{From: o.from, Policy: c.Policy[0], Seed: o.seed}
	if result.Made, err = o.mutateAll(ctx, m, w, shipped); err != nil {
		return err
	}

	return a.Show(*o.asJSON, result, func() { a.printMutated(result.Made) })
}

// mutateAll makes the versions and writes their files.
func (o *mutateOptions) mutateAll(ctx context.Context, m *drift.Maker, w kept.Writer, shipped *toolapi.Catalog) (
	made []mutatedVersion, err error) {
	var files []toolapi.File

	for i := range o.count {
		one, err := o.mutated(ctx, m, w, i)
		if err != nil {
			return nil, err
		}

		made, files = append(made, one), append(files, one.file)
	}

	if _, err := shipped.WithFiles(files...); err != nil {
		return nil, fmt.Errorf("a version that was made is not whole, which is a mistake of the program: %w", err)
	}

	return made, writeVersions(files)
}

// mutated makes the i-th version.
func (o *mutateOptions) mutated(ctx context.Context, m *drift.Maker, w kept.Writer, i int) (mutatedVersion, error) {
	spec, changes, report, err := m.Mutate(ctx, w, i)
	if err != nil {
		return mutatedVersion{}, console.GaveUp(err)
	}

	made, err := newMadeVersion(o.out, spec, changes)

	return mutatedVersion{made, report.Requests, report.Refused, report.Repaired}, err
}

func (a *app) printMutated(made []mutatedVersion) {
	for _, v := range made {
		fmt.Fprintf(a.Out, "%s: %d requests, %d names refused, %d replaced\n", v.Path, v.Requests, len(v.Refused),
			len(v.Repaired))

		for _, why := range v.Repaired {
			fmt.Fprintf(a.Out, "  %s\n", display.Line(why, 0))
		}
	}

	a.Say("Next: toolevo %s", console.Shell("collect", "--api", drift.FilePrefix+filepath.Join(
		filepath.Dir(made[0].Path), "*.yaml")))
}
