package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/kept"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/mcts/policy/serving"
)

// MutateVersionsJob has a model make API versions.
type MutateVersionsJob struct {
	MakeVersionsJob
	Servers *serving.Servers // of the model; nil is what the environment says
	Change  []string         // what the model changes, of drift.Mutable
}

// How the model writes a version: freely, and at most as much as the names of twelve tools take.
const (
	mutateTemperature = 1
	mutateTokens      = 4096
)

// MutatedVersions are versions that a model made.
type MutatedVersions struct {
	From   string           `json:"from"`   // the version they were made from
	Policy string           `json:"policy"` // the model that wrote them
	Change []string         `json:"change"` // what it changed: names, parameters, answers
	Seed   uint64           `json:"seed"`   // of what the model draws, and of repairs
	Made   []MutatedVersion `json:"made"`   // in the order of their numbers
}

// MutatedVersion is a version that a model made.
type MutatedVersion struct {
	MadeVersion
	Requests int      `json:"requests"`           // to the model
	Refused  []string `json:"refused,omitempty"`  // what it was asked for again, and why
	Repaired []string `json:"repaired,omitempty"` // names that were drawn instead, and changes that were left out
}

// MutateVersions has a model make versions, and writes the file of each when it is whole. One that
// has a file is not made again.
func MutateVersions(ctx context.Context, job MutateVersionsJob) (
	result MutatedVersions, err error) {
	if err := job.check(); err != nil {
		return result, err
	}

	c, err := job.Resolve(job.Settings, nil, nil)
	if err != nil {
		return result, err
	}

	shipped, m, err := job.open()
	if err != nil {
		return result, err
	}

	benchmark, err := suite.Lookup(c.Suite)
	if err != nil {
		return result, err
	}

	job.Announce("versions mutate", "policy "+PoliciesOf(c.Policy), "of "+job.From,
		"change "+strings.Join(job.Change, ","), fmt.Sprintf("seed %d", job.Seed), "data "+job.data())

	// The trial plays before any model is asked: data that cannot be opened costs no request.
	how, err := job.mutating(ctx, c, shipped)
	if err != nil {
		return result, err
	}

	if job.Servers == nil {
		job.Servers = job.DefaultServers()
	}

	w, err := serving.New(c, benchmark, shipped, job.Servers).Writer(c.Policy[0], suite.WriterOptions{
		Temperature: mutateTemperature, MaxTokens: mutateTokens,
	})
	if err != nil {
		return result, console.Usage("‹policy›: %w", err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()

	made, err := job.mutateAll(ctx, m, w, how, shipped)
	if err != nil {
		return result, err
	}
	return MutatedVersions{job.From, c.Policy[0], job.Change, job.Seed, made}, nil
}

// mutating says what the model changes, and how a change of more than names is tried.
func (j *MutateVersionsJob) mutating(ctx context.Context, c *configs.Resolved, shipped *toolapi.Catalog) (
	how drift.Mutating, err error) {
	t := &trial{job: j, config: c, shipped: shipped}

	for _, change := range j.Change {
		if _, err := names.Parse("change", change, drift.Mutable()); err != nil {
			return how, console.Usage("‹change›: %w", err)
		}

		// Whether a new name can be used is seen without a trial; anything else has to be played.
		if how.Try == nil && change != drift.MutateNames {
			how.Try, err = t.problem, t.choose(ctx)
			if err != nil {
				return how, err
			}
		}
	}

	how.Changes = j.Change

	how.Prompts, err = ReadPrompts(c)
	return how, err
}

// mutateAll makes the versions that have no files, and writes these.
func (j *MutateVersionsJob) mutateAll(
	ctx context.Context, m *drift.Maker, w kept.Writer, how drift.Mutating, shipped *toolapi.Catalog,
) (made []MutatedVersion, err error) {
	for i := range j.Count {
		name := m.MutatedName(i)

		path := filepath.Join(j.Out, name+".yaml")
		if _, err := os.Stat(path); err == nil {
			j.Say("%s is there, and is kept.", path)

			made = append(made, MutatedVersion{MadeVersion: MadeVersion{Version: name, Path: path,
				Changes: []drift.Change{}}})
			continue
		}

		// A model may have been paid for each version, so none waits for the others to be whole.
		one, err := j.mutateOne(ctx, m, w, how, i)
		if err == nil {
			err = writeVersions(shipped, []toolapi.File{one.file})
		}

		if err != nil {
			return nil, fmt.Errorf("%w\nWhat is whole is kept: the same command makes the other "+
				"versions", err)
		}

		made = append(made, one)
	}
	return made, nil
}

// mutateOne makes the i-th version.
func (j *MutateVersionsJob) mutateOne(
	ctx context.Context, m *drift.Maker, w kept.Writer, how drift.Mutating, i int,
) (MutatedVersion, error) {
	spec, changes, report, err := m.Mutate(ctx, w, i, how)
	if err == nil && len(changes) == 0 { // it would be measured as if there were something
		err = fmt.Errorf("nothing that the model wrote can be used: %s",
			strings.Join(report.Refused, "; "))
	}

	if err != nil {
		return MutatedVersion{}, console.GaveUp(err)
	}

	made, err := newMadeVersion(j.Out, spec, changes)
	return MutatedVersion{made, report.Requests, report.Refused, report.Repaired}, err
}
