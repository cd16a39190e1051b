package stored

import (
	"context"
	"fmt"
	"iter"

	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/finetune"
	"toolevo/trajectories"
)

// Played is an episode of an evaluation and what it met.
type Played struct {
	*trajectories.Episode
	API     string           // what reports call the version it met
	Version *toolapi.Version // that version
}

// Played are the episodes of the evaluation and what they met, in the order of its report.
func (e *Evaluation) Played(ctx context.Context, lost finetune.Lost) iter.Seq2[Played, error] {
	return func(yield func(Played, error) bool) {
		deployed, err := e.deployed()
		if err != nil {
			yield(Played{}, err)
			return
		}

		for episode, err := range e.Episodes(ctx, lost) {
			p := Played{Episode: &episode, API: e.Versions.Cell(episode.DeployedAPI)}
			if err == nil {
				p.Version, err = deployed(episode.DeployedAPI, episode.QuestionID)
			}

			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// deployed returns what says what a version deploys for the task of an ID.
func (r *Run) deployed() (func(version, task string) (*toolapi.Version, error), error) {
	benchmark, err := suite.Lookup(r.Config.Suite)
	if err != nil {
		return nil, err
	}

	if own, ok := benchmark.(suite.Deployer); ok {
		c := suite.Choice{Data: r.Manifest.DataFolder(r.Dir), Split: r.Config.Split, Prompt: r.Config.Prompt}

		deployed, err := own.Deployed(c, r.Manifest.Inputs)
		if err != nil {
			return nil, fmt.Errorf("%w\nThe functions that %s met are in its data folder, %s: put it back there as it "+
				"was", err, r.Dir, c.Data)
		}

		return deployed, nil
	}

	catalog, err := benchmark.Versions(r.Versions.Files...)
	if err != nil {
		return nil, err
	}

	return func(version, _ string) (*toolapi.Version, error) { return catalog.Version(version) }, nil
}
