package main

import (
	"context"
	"errors"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/finetune"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// playedEpisode is an episode of a stored evaluation and what it met.
type playedEpisode struct {
	*trajectories.Episode
	api     string           // what reports call the version it met
	version *toolapi.Version // that version
	run     *store.Run
}

// storedEvaluation is the run directory of an evaluation, opened to be read.
type storedEvaluation struct {
	*evaluation
	config    *configs.Resolved
	questions []trajectories.Question
	missing   finetune.Lost // episodes that were lost
}

// openEvaluation opens an evaluation. Of an unfinished one there are the episodes that it has so far, which is said.
func (a *app) openEvaluation(ctx context.Context, dir string) (*storedEvaluation, error) {
	v, err := openView(ctx, dir)
	if err != nil {
		return nil, err
	}

	e, err := a.storedEvaluation(ctx, v)
	if err != nil {
		return nil, errors.Join(err, v.run.Close())
	}

	return e, nil
}

func (a *app) storedEvaluation(ctx context.Context, v *view) (*storedEvaluation, error) {
	if kind := v.run.Manifest.Kind; kind != kindEval {
		return nil, console.Usage("%s is a run of `toolevo %s`: name an evaluation, a run of `toolevo eval`", v.run.Dir,
			kind)
	}

	c, err := runConfig(v.run)
	if err != nil {
		return nil, err
	}

	e, err := newEvaluation(ctx, v.run, c, v.questions)
	if err != nil {
		return nil, err
	}

	lost, err := e.lost()
	if isMissing(err) {
		a.Say("%s is unfinished: these are the episodes so far. Continue with: toolevo eval --resume --out %s",
			v.run.Dir, console.Shell(v.run.Dir))
	} else if err != nil {
		return nil, err
	}

	return &storedEvaluation{e, c, v.questions, lost}, nil
}

// playedEpisodes calls visit with every episode of some evaluations, in the order of their reports. Those of an
// unfinished evaluation are the ones that it has so far.
func (a *app) playedEpisodes(ctx context.Context, dirs []string, visit func(playedEpisode) error) error {
	for _, dir := range dirs {
		e, err := a.openEvaluation(ctx, dir)
		if err != nil {
			return err
		}

		err = e.visit(ctx, visit)
		if err = errors.Join(err, e.run.Close()); err != nil {
			return err
		}
	}

	return nil
}

// visit calls a function with every episode of the evaluation.
func (e *storedEvaluation) visit(ctx context.Context, visit func(playedEpisode) error) error {
	benchmark, err := suite.Lookup(e.config.Suite)
	if err != nil {
		return err
	}

	catalog, err := benchmark.Versions(e.cells.Files...)
	if err != nil {
		return err
	}

	for episode, err := range e.episodes(ctx, e.missing) {
		if err != nil {
			return err
		}

		version, err := catalog.Version(episode.DeployedAPI)
		if err != nil {
			return err
		}

		if err := visit(playedEpisode{&episode, e.cells.cell(episode.DeployedAPI), version, e.run}); err != nil {
			return err
		}
	}

	return nil
}

// deployedNames are the names that the version of an episode exposes.
func (p *playedEpisode) deployedNames() []string {
	names := make([]string, len(p.version.APIs))
	for i, api := range p.version.APIs {
		names[i] = api.Name
	}

	return names
}
