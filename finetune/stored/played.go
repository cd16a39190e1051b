package stored

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/finetune"
	"toolevo/finetune/facts"
	"toolevo/trajectories"
)

// Played is an episode of an evaluation and what it met.
type Played struct {
	*trajectories.Episode
	API     string           // what reports call the version it met
	Version *toolapi.Version // that version
}

// Played yields the episodes of the evaluation and what they met, in the order of its report.
func (e *Evaluation) Played(ctx context.Context, lost finetune.Lost) iter.Seq2[Played, error] {
	return func(yield func(Played, error) bool) {
		catalog, err := e.Catalog(e.Data())
		if err != nil {
			yield(Played{}, err)
			return
		}

		for episode, err := range e.Episodes(ctx, lost) {
			p := Played{Episode: &episode, API: e.Versions.Cell(episode.DeployedAPI)}
			if err == nil {
				p.Version, err = catalog.Version(episode.DeployedAPI)
			}

			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// Board returns the facts, calls and verdicts of the evaluation from its folder. Facts and calls
// that are missing or of other episodes are made again; those of a finished evaluation are kept
// there.
func (e *Evaluation) Board(ctx context.Context, lost finetune.Lost) (*facts.Board, error) {
	verdicts, err := facts.ReadVerdicts(e.Dir)
	if err != nil {
		return nil, err
	}

	ended := e.Manifest.Finished
	if ended != nil && ended.Extended {
		ended = nil // it continues
	}

	if ended != nil {
		if b, ok := facts.Read(e.Dir, ended.SHA256); ok {
			b.Verdicts = verdicts
			return b, nil
		}
	}

	b := &facts.Board{Verdicts: verdicts}
	if err := e.play(ctx, b, lost); err != nil {
		return nil, err
	}

	if ended != nil {
		// A folder that cannot be written can still be read: they are then made each time.
		_ = b.Write(e.Dir, ended.SHA256)
	}
	return b, nil
}

// play adds the episodes of the evaluation to a board.
func (e *Evaluation) play(ctx context.Context, b *facts.Board, lost finetune.Lost) error {
	seconds, err := finetune.Seconds(ctx, e.Store)
	if err != nil {
		return err
	}

	for p, err := range e.Played(ctx, lost) {
		if err != nil {
			return err
		}

		b.Add(p.Episode, p.API, p.Version)
		b.Facts[len(b.Facts)-1].Seconds = seconds[e.attempt(p.Episode).String()]
	}

	b.Detect()
	return nil
}

// Catalog returns all versions that the run may have met and shown, with those of a data folder.
func (r *Run) Catalog(data string) (*toolapi.Catalog, error) {
	benchmark, err := suite.Lookup(r.Config.Suite)
	if err != nil {
		return nil, err
	}

	s, ok := benchmark.(suite.Sourced)
	if !ok {
		return benchmark.Versions(data, r.Versions.Files...)
	}

	if err = r.checkSources(s, data); err == nil {
		var c *toolapi.Catalog
		if c, err = benchmark.Versions(data, r.Versions.Files...); err == nil {
			return c, nil
		}
	}

	return nil, fmt.Errorf("%w\nThe versions that %s met are made from its data folder, %s: "+
		"put it back there as it was", err, r.Dir, data)
}

// checkSources rejects a data folder that would give other versions than the run met.
func (r *Run) checkSources(s suite.Sourced, data string) error {
	sources, err := s.Sources(data)
	if err != nil {
		return err
	}

	var changed []string

	for name, hash := range sources {
		if r.Manifest.Inputs[name] != hash {
			changed = append(changed, name)
		}
	}

	if len(changed) == 0 {
		return nil
	}

	slices.Sort(changed)
	return fmt.Errorf("%s: not as it was: %s", data, strings.Join(changed, ", "))
}

// Data returns the data folder that the run was made from.
func (r *Run) Data() string { return r.Manifest.DataFolder(r.Dir) }
