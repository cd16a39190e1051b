package app

import (
	"context"
	"errors"
	"fmt"

	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/kept"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/mcts/policy/serving"
)

// MutateVersionsJob has a model make API versions.
type MutateVersionsJob struct {
	MakeVersionsJob
	Servers *serving.Servers // of the model; nil is what the environment says
}

// How the model writes a version: freely, and at most as much as the names of twelve tools take.
const (
	mutateTemperature = 1
	mutateTokens      = 4096
)

// MutatedVersions are versions that a model made.
type MutatedVersions struct {
	From   string           `json:"from"`   // the version they were made from
	Policy string           `json:"policy"` // the model that named the APIs and parameters
	Seed   uint64           `json:"seed"`   // of what the model draws, and of repairs
	Made   []MutatedVersion `json:"made"`   // in the order of their numbers
}

// MutatedVersion is a version that a model made.
type MutatedVersion struct {
	MadeVersion
	Requests int      `json:"requests"`           // to the model
	Refused  []string `json:"refused,omitempty"`  // names that it was asked for again, and what is wrong with them
	Repaired []string `json:"repaired,omitempty"` // what was wrong with names that were drawn in the end
}

// MutateVersions has a model make versions, and writes their files when all of them are whole.
func MutateVersions(ctx context.Context, job MutateVersionsJob) (result MutatedVersions, err error) {
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

	job.Announce("versions mutate", "policy "+PoliciesOf(c.Policy), "of "+job.From, fmt.Sprintf("seed %d", job.Seed),
		"data "+job.data())

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

	made, err := job.mutateAll(ctx, m, w, shipped)
	if err != nil {
		return result, err
	}

	return MutatedVersions{job.From, c.Policy[0], job.Seed, made}, nil
}

// mutateAll makes the versions and writes their files.
func (j *MutateVersionsJob) mutateAll(ctx context.Context, m *drift.Maker, w kept.Writer, shipped *toolapi.Catalog) (
	made []MutatedVersion, err error) {
	var files []toolapi.File

	for i := range j.Count {
		one, err := j.mutated(ctx, m, w, i)
		if err != nil {
			return nil, err
		}

		made, files = append(made, one), append(files, one.file)
	}

	return made, writeVersions(shipped, files)
}

// mutated makes the i-th version.
func (j *MutateVersionsJob) mutated(ctx context.Context, m *drift.Maker, w kept.Writer, i int) (MutatedVersion, error) {
	spec, changes, report, err := m.Mutate(ctx, w, i)
	if err != nil {
		return MutatedVersion{}, console.GaveUp(err)
	}

	made, err := newMadeVersion(j.Out, spec, changes)

	return MutatedVersion{made, report.Requests, report.Refused, report.Repaired}, err
}
