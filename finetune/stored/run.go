package stored

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/sandbox"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/mcts"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// The kinds of runs, by the commands that make them.
const (
	Collection = "collect"
	Evaluated  = "eval"
)

// The names under which the database of a run has what it notes.
const (
	metaQuestions = "questions"
	metaEngines   = "engines"
	// Files of versions may change, or go, and another program may make other ones.
	metaVersions = "versions"
)

// Run is a run and what it notes about itself.
type Run struct {
	*store.Run
	Config    *configs.Resolved
	Questions []trajectories.Question // in the order of the run
	Versions  *drift.Deployed         // that its questions meet
	Engines   []sandbox.Stamp         // that it was grown with, the first one first

	// played counts the episodes of an evaluation that is played elsewhere, by their names; nil for
	// any other run.
	played map[string]int
}

// Open opens a run to be read.
func Open(ctx context.Context, dir string) (*Run, error) {
	run, err := store.OpenRun(ctx, dir)
	if err != nil {
		return nil, err
	}

	r, err := read(ctx, run)
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return r, nil
}

func read(ctx context.Context, run *store.Run) (*Run, error) {
	r := &Run{Run: run}

	var err error
	if r.Questions, err = Questions(ctx, run); err != nil {
		return nil, err
	}

	if r.Config, err = Config(run); err != nil {
		return nil, err
	}

	if r.Versions, err = Versions(ctx, run, r.Config); err != nil {
		return nil, err
	}

	if r.Engines, err = readEngines(ctx, run); err != nil {
		return nil, err
	}
	return r, r.CountPlayed(ctx)
}

// CountPlayed counts the episodes of a run that is played elsewhere.
func (r *Run) CountPlayed(ctx context.Context) (err error) {
	if configs.IsExternal(r.Config.Policy[0]) {
		r.played, err = r.TreeCounts(ctx)
	}
	return err
}

// Note notes in a run that is worked on what it is made from. engine, nil if none runs programs,
// joins those of the run: a program's output is logged once and reused, so every tree is what the
// log says, and each result names the engine that made it.
func Note(ctx context.Context, run *store.Run, c *configs.Resolved,
	questions []trajectories.Question,
	versions *drift.Deployed, engine *sandbox.Stamp) (*Run, error) {
	r := &Run{Run: run, Config: c, Questions: questions, Versions: versions}
	if err := r.note(ctx, metaQuestions, questions); err != nil {
		return nil, err
	}

	if len(versions.Files) > 0 {
		if err := r.note(ctx, metaVersions, versions); err != nil {
			return nil, err
		}
	}

	if engine == nil {
		return r, nil
	}
	return r, r.addEngine(ctx, *engine)
}

func (r *Run) note(ctx context.Context, name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return r.SetMeta(ctx, name, string(text))
}

// noted reads what a run noted under a name, if it did. things says in words what that is.
func noted(ctx context.Context, run *store.Run, name, things string, into any) (there bool,
	err error) {
	text, err := run.Meta(ctx, name)
	if err != nil || text == "" {
		return false, console.GaveUp(err)
	}

	if err := json.Unmarshal([]byte(text), into); err != nil {
		return false, fmt.Errorf("%s: its %s cannot be read: %w", run.Dir, things, err)
	}
	return true, nil
}

// Questions reads the questions of a run.
func Questions(ctx context.Context, run *store.Run) (questions []trajectories.Question, err error) {
	there, err := noted(ctx, run, metaQuestions, "questions", &questions)
	if err == nil && !there {
		err = missing(run, "questions")
	}
	return questions, err
}

// missing returns the error of a run that lacks a required note.
func missing(run *store.Run, what string) error {
	return fmt.Errorf("%s was interrupted as it began, or is %w: its %s are missing: "+
		"`toolevo %s` notes them again", run.Dir, store.ErrDamaged, what, Continuation(run))
}

// Continuation returns the command, with its arguments, that continues a run.
func Continuation(run *store.Run) string {
	if c, err := Config(run); err == nil && configs.IsExternal(c.Policy[0]) {
		return console.Shell("serve", "env", "--record", run.Dir)
	}
	return console.Shell(run.Manifest.Kind, "--resume", "--out", run.Dir)
}

// Config returns the configuration of a run, changed by some layers.
func Config(run *store.Run, changes ...configs.Layer) (*configs.Resolved, error) {
	return configs.Load(append([]configs.Layer{Layer(run)}, changes...)...)
}

// Layer returns the configuration of a run as a layer that others may build on.
func Layer(run *store.Run) configs.Layer {
	return configs.WrittenLayer(filepath.Join(run.Dir, store.ConfigFile), []byte(run.Config))
}

// Deploy reads what a configuration deploys, over what a data folder has.
func Deploy(c *configs.Resolved, data string) (*drift.Deployed, error) {
	return drift.Deploy(c.API, drift.Origin{
		Prompt: c.Prompt,
		Seed:   c.Seed,
		Shipped: func() (*toolapi.Catalog, error) {
			b, err := suite.Lookup(c.Suite)
			if err != nil {
				return nil, err
			}
			return b.Versions(data)
		},
	})
}

// Versions returns what a run of a configuration deploys.
func Versions(ctx context.Context, run *store.Run, c *configs.Resolved) (*drift.Deployed, error) {
	d := &drift.Deployed{}

	there, err := noted(ctx, run, metaVersions, "API versions", d)

	switch {
	case err != nil:
		return nil, err
	case !there && !drift.HasFiles(c.API):
		return Deploy(c, run.Manifest.DataFolder(run.Dir))
	case !there:
		return nil, missing(run, "API versions")
	}

	return d, nil
}

// lineage returns what all rows of a question that met an API version share.
func (r *Run) lineage(version string) trajectories.Run {
	return trajectories.Run{
		ID:          r.Manifest.ID,
		Hash:        r.Manifest.Hash,
		Preset:      r.Config.Preset,
		Policy:      r.Config.Policy[0],
		PromptAPI:   r.Config.Prompt,
		DeployedAPI: version,
		Codec:       r.Config.Environment.ActionCodec(),
		Seed:        r.Config.Seed,
		ConfigHash:  r.Manifest.ConfigHash,
		Software:    r.Manifest.Software,
	}
}

// TreeMeta returns what the trees of a question of a collection do not know about themselves.
func (r *Run) TreeMeta(q trajectories.Question) trajectories.Meta {
	version := r.Versions.All().Of(r.Config.Seed, q.ID)
	return trajectories.Meta{Run: r.lineage(version), Question: r.labelled(q), Makers: r.makers()}
}

// labelled returns a question with a label for the feedback, if that is not ToolEvo's.
func (r *Run) labelled(q trajectories.Question) trajectories.Question {
	if feedback := r.Config.Environment.Feedback; feedback != toolapi.FeedbackDeprecation {
		labels := map[string]string{envs.LabelFeedback: string(feedback)}
		maps.Copy(labels, q.Labels)
		q.Labels = labels
	}

	return q
}

// Rows yields the correct trajectories of the stored trees, in canonical order.
func (r *Run) Rows(ctx context.Context) iter.Seq2[trajectories.Row, error] {
	return r.TreeRows(ctx, trajectories.FromTree)
}

// TreeRows yields the trajectories that choose picks from each stored tree, in canonical order.
func (r *Run) TreeRows(ctx context.Context, choose func(trajectories.Meta,
	*mcts.TreeRecord) []trajectories.Row,
) iter.Seq2[trajectories.Row, error] {
	return func(yield func(trajectories.Row, error) bool) {
		for _, q := range r.Questions {
			for tree, err := range r.trees(ctx, q.ID) {
				if err != nil {
					yield(trajectories.Row{}, err)
					return
				}

				for _, row := range choose(r.TreeMeta(q), tree) {
					if !yield(row, nil) {
						return
					}
				}
			}
		}
	}
}

// trees yields the stored trees of a name.
func (r *Run) trees(ctx context.Context, name string) iter.Seq2[*mcts.TreeRecord, error] {
	return func(yield func(*mcts.TreeRecord, error) bool) {
		indices, err := r.TreeIndices(ctx, name)
		if err != nil {
			yield(nil, err)
			return
		}

		for _, i := range indices {
			tree, ok, err := r.LoadTree(ctx, name, i)
			if err == nil && !ok {
				continue
			}

			if !yield(tree, err) || err != nil {
				return
			}
		}
	}
}
