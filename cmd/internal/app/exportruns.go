package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/console"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/mcts/policy/prompt"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
	"toolevo/trajectories"
	"toolevo/trajectories/atif"
	"toolevo/trajectories/export"
)

// exportedRun is a run whose trajectories are exported.
type exportedRun struct {
	*stored.Run
	benchmark suite.Benchmark
	data      string // its data folder
	versions  func() (*toolapi.Catalog, error)
}

type exportedRuns []*exportedRun

// newExportedRun returns a run whose data is in a folder.
func newExportedRun(v *stored.Run, data string) (r *exportedRun, err error) {
	r = &exportedRun{Run: v, data: data}
	r.versions = sync.OnceValues(func() (*toolapi.Catalog, error) { return v.Catalog(data) })
	r.benchmark, err = suite.Lookup(v.Config.Suite)
	return r, err
}

// sources are what is exported: runs, and imported documents.
type sources struct {
	runs     exportedRuns
	imported *export.Imported // nil where there are none
	refused  []*atif.Refusal  // what is neither, and documents that no sample can express
}

// open opens what one export can be made of.
func (e *ExportJob) open(ctx context.Context, args []string) (*sources, error) {
	var (
		s         = &sources{}
		documents []string
		unlike    error // about a folder that is neither
	)

	for _, arg := range args {
		if isDocuments(arg) {
			documents = append(documents, arg)
			continue
		}

		err := e.openRun(ctx, s, arg)

		// A folder of neither kind is named and passed over, unless nothing else is left.
		if errors.Is(err, store.ErrNoRun) && isFolder(arg) {
			unlike = err
			s.refused = append(s.refused, &atif.Refusal{Document: arg, Why: "it is not a run and has no documents"})
		} else if err != nil {
			return s, err
		}
	}

	if len(s.runs)+len(documents) == 0 {
		return s, unlike
	}

	var err error
	if s.imported, err = e.importDocuments(documents); err != nil {
		return s, err
	}

	if s.imported != nil {
		s.refused = append(s.refused, s.imported.Refused()...)
	}

	e.sayRefused(s.refused)

	// Documents may mix what training data must not.
	if export.Format(e.Format).IsDocuments() {
		return s, nil
	}
	return s, cmp.Or(s.checkNoDuplicates(), s.checkOneCodec())
}

// checkNoDuplicates rejects a run beside its documents: its trajectories would be exported twice.
func (s *sources) checkNoDuplicates() error {
	for _, r := range s.runs {
		if s.imported != nil && s.imported.Has(r.Manifest.ID) {
			return console.Usage("the documents have trajectories of %s: name the run, or "+
				"its documents", r.Dir)
		}
	}

	return nil
}

// openRun adds a run to the sources.
func (e *ExportJob) openRun(ctx context.Context, s *sources, dir string) error {
	v, err := stored.Open(ctx, dir)
	if err != nil {
		return err
	}

	r, err := newExportedRun(v, e.DataOf(e.Data, &v.Manifest, dir))
	s.runs = append(s.runs, r)
	return cmp.Or(err, e.checkKind(v))
}

// isFolder reports whether a path is that of a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// checkOneCodec makes sure that all actions are written in one codec, and the answers of runs in
// one way. Documents do not say how theirs were to be given.
func (s *sources) checkOneCodec() error {
	var (
		first     action.Codec
		firstName string
	)

	// A model is trained on prompts that show one way to write a call.
	check := func(codec action.Codec, name string) error {
		if first == nil {
			first, firstName = codec, name
		}

		// Of native calls a turn may have fewer or more.
		if first.String() != codec.String() {
			return console.Usage("the actions of %s and %s are written as %s and %s "+
				"(environment.codec): export them apart", firstName, name, first, codec)
		}
		return nil
	}

	for _, r := range s.runs {
		codec := r.Config.Environment.ActionCodec()
		if err := check(codec, r.Dir); err != nil {
			return err
		}

		if r.Config.Environment.Finish != s.runs[0].Config.Environment.Finish &&
			action.IsNative(codec) {
			return console.Usage("%s and %s give the answer in different ways "+
				"(environment.finish): export them apart", firstName, r.Dir)
		}
	}

	if s.imported == nil {
		return nil
	}

	for _, codec := range s.imported.Codecs() {
		if err := check(codec, "the documents"); err != nil {
			return err
		}
	}

	return nil
}

// refuseScripts rejects what was written by a script and not a language model.
func (s *sources) refuseScripts() error {
	refuse := func(name, policy string) error {
		return console.Usage("%s was collected from %s, a script and not a language model: "+
			"collect with ‹policy› %s, or add ‹allow-scripted›", name, policy, serving.Offers())
	}

	for _, r := range s.runs {
		if policy := r.Config.Policy[0]; mcts.IsScripted(policy) {
			return refuse(r.Dir, policy)
		}
	}

	if s.imported != nil {
		for row := range s.imported.Rows() {
			if mcts.IsScripted(row.Policy) {
				return refuse("the run "+row.RunID+" of the documents", row.Policy)
			}
		}
	}

	return nil
}

func (s *sources) close() {
	for _, r := range s.runs {
		r.Close()
	}
}

// rows returns the trajectories of the runs that the format needs.
func (e *ExportJob) rows(ctx context.Context, runs exportedRuns) (
	iter.Seq2[trajectories.Row, error], error) {
	var all []iter.Seq2[trajectories.Row, error]

	for _, r := range runs {
		rows, err := e.rowsOf(ctx, r)
		if err != nil {
			return nil, err
		}

		all = append(all, rows)
	}
	return trajectories.Merge(all...), nil
}

// rowsOf returns the trajectories of a run: the correct ones from its file, or, with those that
// failed, from its trees.
func (e *ExportJob) rowsOf(ctx context.Context, r *exportedRun) (
	iter.Seq2[trajectories.Row, error], error) {
	path := filepath.Join(r.Dir, stored.RowsFile)
	_, err := os.Stat(path)
	// A run that lost its server, or was extended, has a file of the trees that were there then.
	finished := err == nil && !IsOpen(r.Run)

	format := export.Format(e.Format)

	switch failures := format.NeedsFailures() || format.IsDocuments() && e.Selection.Score == export.Any; {
	case finished && !failures:
		return trajectories.ReadFile(path), r.CheckResult()
	case !finished && !e.Partial:
		return nil, r.unfinished()
	case failures:
		return r.TreeRows(ctx, trajectories.Ended), r.Intact(ctx)
	}

	return r.Rows(ctx), r.Intact(ctx)
}

// unfinished is the error of a run of which only a part could be exported.
func (r *exportedRun) unfinished() error {
	return console.Usage("%s is unfinished; continue it with `toolevo %s`, or add ‹partial›", r.Dir,
		stored.Continuation(r.Run.Run))
}

// shown returns what the model of a row was shown.
func (s *sources) shown(row *trajectories.Row) (trajectories.Shown, error) {
	// A document brings along what its model was shown.
	if s.imported != nil {
		if shown, ok := s.imported.Shown(row); ok {
			return shown, nil
		}
	}

	r, err := s.runOf(row)
	if err != nil {
		return trajectories.Shown{}, err
	}

	// Rows that name no Python are of the first versions, whose prompts name no modules.
	var modules []string
	if slices.ContainsFunc(row.Makers, runsPython) {
		modules = append([]string{}, r.Config.Python.Modules...)
	}

	versions, err := r.versions()
	if err != nil {
		return trajectories.Shown{}, err
	}

	v, err := versions.Version(row.PromptAPI)
	if err != nil {
		return trajectories.Shown{}, err
	}

	p, err := serving.NewPrompt(r.benchmark, r.Config, v, modules, versions)
	if err != nil {
		return trajectories.Shown{}, err
	}

	shown := shownBy(p, row.Task())
	shown.Suite, shown.Reasoning = r.benchmark.Name(), r.Config.Reasoning()
	return shown, nil
}

// shownBy returns what a prompt shows of a task.
func shownBy(p prompt.Prompt, t envs.Task) trajectories.Shown {
	shown := trajectories.Shown{System: p.System(t), Tools: p.Functions(envs.NewHistory(t)),
		Codec: p.Codec}
	if p.Learns || p.Announced != nil {
		shown.ToolsAfter = p.Functions
	}
	return shown
}

// runOf returns the run of a row.
func (s *sources) runOf(row *trajectories.Row) (*exportedRun, error) {
	i := slices.IndexFunc(s.runs, func(r *exportedRun) bool { return r.Manifest.ID == row.RunID })
	if i < 0 {
		return nil, fmt.Errorf("a trajectory of the run %s, which was not named", row.RunID)
	}
	return s.runs[i], nil
}

// tokenIDs returns a reader of the token IDs of turns in the logs of the runs, tree by tree.
func (s *sources) tokenIDs(ctx context.Context) (
	func(row *trajectories.Row, turn int) (mcts.TokenIDs, bool, error), error) {
	if s.imported != nil {
		return nil, console.Usage("‹token-ids›: documents have no token ids, only runs")
	}

	for _, r := range s.runs {
		if !r.Config.Server.TokenIDs {
			return nil, console.Usage("‹token-ids›: %s was collected without: collect with ‹set› "+
				"server.token_ids=true", r.Dir)
		}
	}

	// Rows come tree by tree, so that each log is opened once.
	var last *trajectories.Row
	var log *store.Policy
	return func(row *trajectories.Row, turn int) (t mcts.TokenIDs, ok bool, err error) {
		if last == nil || last.RunID != row.RunID || last.QuestionID != row.QuestionID || last.Tree != row.Tree {
			r, err := s.runOf(row)
			if err != nil {
				return t, false, err
			}

			if log, err = r.Policy(ctx, row.QuestionID, row.Tree, nil); err != nil {
				return t, false, err
			}

			last = row
		}

		// The log has a turn at the node it was written for, the one above the node it led to.
		above := strings.Split(row.NodePath, ".")[:turn+1]
		return log.TokenIDs(ctx, strings.Join(above, "."), row.Turns[turn].Action)
	}, nil
}
