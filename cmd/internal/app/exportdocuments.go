package app

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/names"
	"toolevo/finetune"
	"toolevo/finetune/inspectlog"
	"toolevo/finetune/stored"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
	"toolevo/trajectories"
	"toolevo/trajectories/atif"
	"toolevo/trajectories/export"
)

// The flags of export that say how to train, and which trajectories of a question to choose.
var (
	trainingFlags = []string{
		"for", "arguments", "dev", "mix", "skip-faulty", "mix-engines", "tokenizer", "chat-template", "cutoff",
		"lint", "show",
	}
	selectionFlags = []string{
		"per-question", "strategy", "seed", "score", "split", "require-recovery", "require-update",
		"require-detection", "max-faulty",
	}
)

// isDocuments reports whether an argument is not a run but a file or folder of ATIF documents.
func isDocuments(arg string) bool {
	info, err := os.Stat(arg)
	if err != nil {
		return false
	}

	if info.Mode().IsRegular() {
		return true
	}

	if _, err := os.Stat(filepath.Join(arg, store.ManifestFile)); err == nil {
		return false
	}

	files, err := atif.Files(arg)
	return err == nil && len(files) > 0
}

// importDocuments reads documents as trajectories; it returns nil if there are none.
func (e *ExportJob) importDocuments(args []string) (*export.Imported, error) {
	if len(args) == 0 {
		return nil, nil
	}

	importable := names.Join(export.FormatsThat(func(f export.Format) bool {
		return f.IsTrained() && !f.NeedsFailures()
	}))

	switch f := export.Format(e.Format); {
	case f.IsDocuments():
		return nil, console.Usage("%s has ATIF documents already. Export them as training "+
			"data: ‹format› %s", args[0], importable)
	case f.NeedsFailures():
		return nil, console.Usage("%s has ATIF documents, each one trajectory, and %s compares "+
			"actions in a search tree. Import them as ‹format› %s", args[0], f, importable)
	}

	all, err := export.Import(args)
	if err == nil {
		all.Refuse(whyUntrained)
	}
	return all, err
}

// whyUntrained returns why no sample is made of an imported trajectory, or "". Runs of `toolevo
// collect` have none of such policies, but evaluations do.
func whyUntrained(row *trajectories.Row) string {
	switch {
	case serving.IsKnowing(row.Policy):
		return "its policy " + row.Policy + " was told what is deployed: its actions teach nothing"
	case serving.BaselineOf(row.Policy) != "":
		return "its policy " + row.Policy + " is a baseline: the document has neither the prompt " +
			"that its model was shown nor only the model's own calls"
	}

	return ""
}

// sayRefused names what no sample is made of, up to a number that can be read.
func (h *Host) sayRefused(refused []*atif.Refusal) {
	for i, refusal := range refused {
		if i == MostRefused {
			h.Say("refused %d more: the manifest names them", len(refused)-MostRefused)
			break
		}

		h.Say("refused %s", display.Line(refusal.Error(), 0))
	}
}

// checkKind rejects runs that a format is not made of, and options that do not apply to it.
func (e *ExportJob) checkKind(r *stored.Run) error {
	format, evaluation := export.Format(e.Format), r.Manifest.Kind == stored.Evaluated

	switch {
	case evaluation && !format.IsDocuments():
		return console.Usage("%s is a run of `toolevo eval`: training data is made from runs of `toolevo collect`. "+
			"Its episodes can be exported with ‹format› %s, and ATIF documents are training data for `toolevo export` "+
			"in turn", r.Dir, names.Join(export.FormatsThat(export.Format.IsDocuments)))
	case !evaluation && format.IsOfEvaluation():
		return console.Usage("%s is a run of `toolevo %s`: logs of the format %s are made from runs of `toolevo eval`",
			r.Dir, r.Manifest.Kind, format)
	case evaluation:
		if i := slices.IndexFunc(selectionFlags, e.chosen); i >= 0 {
			return console.Usage("‹%s› chooses among trajectories of `toolevo collect`, and %s is an evaluation: all "+
				"of its episodes are exported", selectionFlags[i], r.Dir)
		}
	}

	return nil
}

// exportDocuments writes runs as documents.
func (e *ExportJob) exportDocuments(ctx context.Context, s *sources, o export.Options) (
	*export.Manifest, error) {
	// An option without an effect is a misunderstanding, so it is rejected.
	if i := slices.IndexFunc(trainingFlags, e.chosen); i >= 0 {
		return nil, console.Usage("‹%s› is about training data, and ‹format› %s writes none",
			trainingFlags[i], e.Format)
	}

	if o.Format.IsOfEvaluation() {
		return e.exportLogs(ctx, s, o.Format)
	}

	var (
		collections exportedRuns
		episodes    []iter.Seq2[trajectories.Episode, error]
	)

	// Of collections, trajectories are chosen; of evaluations, every episode is exported.
	for _, r := range s.runs {
		if r.Manifest.Kind != stored.Evaluated {
			collections = append(collections, r)
			continue
		}

		evaluation, lost, err := e.evaluation(r)
		if err != nil {
			return nil, err
		}

		episodes = append(episodes, evaluation.Episodes(ctx, lost))
	}

	// Documents are to be looked at, not trained on: by default none is left out.
	if !e.chosen("per-question") {
		o.Selection.PerQuestion = 0
	}

	rows, err := e.rows(ctx, collections)
	if err != nil {
		return nil, err
	}

	from := export.Documents{Rows: rows, Episodes: oneAfterAnother(episodes)}
	return export.WriteDocuments(ctx, e.Out, from, o)
}

// exportLogs writes the logs of the one evaluation that is named.
func (e *ExportJob) exportLogs(ctx context.Context, s *sources, f export.Format) (
	*export.Manifest, error) {
	if len(s.runs) != 1 {
		return nil, console.Usage("‹format› %s writes the logs of one evaluation: name one run", f)
	}

	evaluation, lost, err := e.evaluation(s.runs[0])
	if err != nil {
		return nil, err
	}
	return writeLogs(ctx, e.Out, f, evaluation, lost, s.shown)
}

// writeLogs writes the logs of an evaluation.
func writeLogs(
	ctx context.Context, out string, format export.Format, e *stored.Evaluation, lost finetune.Lost,
	shown func(*trajectories.Row) (trajectories.Shown, error),
) (*export.Manifest, error) {
	report, err := e.Report(ctx, lost)
	if err != nil {
		return nil, err
	}

	log := &inspectlog.Evaluation{
		RunID:    e.Manifest.ID,
		Software: e.Manifest.Software,
		Began:    e.Manifest.Began(),
		Suite:    e.Config.Suite,
		Report:   report,
		MaxTurns: e.Config.Eval.MaxTurns,
		API:      e.Versions.Cell,
		Shown:    shown,
	}

	write := func(folder string) (episodes, lostThere int, err error) {
		return inspectlog.Write(ctx, folder, log, e.Episodes(ctx, lost))
	}
	return export.WriteDocuments(ctx, out, export.Documents{Logs: write},
		export.Options{Format: format, Software: Software()})
}

// logsBeside writes the logs of an evaluation into its run directory, and returns their folder.
func logsBeside(ctx context.Context, run *stored.Run, format export.Format) (string, error) {
	r, err := newExportedRun(run, run.Data())
	if err != nil {
		return "", err
	}

	evaluation, lost, err := (&ExportJob{Partial: true}).evaluation(r)
	if err != nil {
		return "", err
	}

	dir := filepath.Join(run.Dir, string(format))
	_, err = writeLogs(ctx, dir, format, evaluation, lost, (&sources{runs: exportedRuns{r}}).shown)
	return dir, err
}

// evaluation returns the evaluation of a run, and what it lost.
func (e *ExportJob) evaluation(r *exportedRun) (*stored.Evaluation, finetune.Lost, error) {
	evaluation := r.Evaluation(r.Questions)

	lost, err := evaluation.Lost()
	missing, ended := isMissing(err), r.Manifest.Finished

	// Of one that is being extended the file has the episodes that it ended with before.
	if (missing || err == nil && ended != nil && ended.Extended) && !e.Partial {
		return nil, nil, r.unfinished()
	}

	if err != nil && !missing {
		return nil, nil, err
	}
	return evaluation, lost, r.CheckResult()
}

// oneAfterAnother joins the episodes of several evaluations. The first error ends them.
func oneAfterAnother(all []iter.Seq2[trajectories.Episode, error]) iter.Seq2[trajectories.Episode, error] {
	return func(yield func(trajectories.Episode, error) bool) {
		for _, episodes := range all {
			for e, err := range episodes {
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// MostRefused is how many of the questions that another split asks, or of the refused documents,
// are named.
const MostRefused = 20
