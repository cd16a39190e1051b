package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"path/filepath"

	"toolevo/envs/action"
	"toolevo/envs/disk"
	"toolevo/envs/names"
	"toolevo/mcts"
	"toolevo/trajectories"
	"toolevo/trajectories/atif"
	"toolevo/trajectories/internal/pq"
)

// Options say what goes into an export.
type Options struct {
	Format    Format    // "" is DefaultFormat
	Trainer   Trainer   // "" is LlamaFactory
	Arguments Arguments // "" is ArgumentObject; of TRL only
	Selection Selection

	// Shown returns what the model of a row was shown. It is called once for each run, prompt
	// version, dataset and makers. A system text with a control token is refused.
	Shown func(row *trajectories.Row) (trajectories.Shown, error)

	// MixEngines allows rows of different makers in one export. Otherwise that is refused, as a
	// program's output depends on what runs it.
	MixEngines bool

	Tokenizer *Tokenizer // counts tokens; nil counts characters only
	Template  string     // the chat template to count under, one of [Templates]; needed with a Tokenizer
	Cutoff    int        // samples of more tokens are dropped, never cut; 0 keeps them; needs a Tokenizer
	Software  string     // the version of toolevo, for the manifest

	// ChatTemplate is the trainer's chat template of the model to train, if that is known. An
	// export that it spoils is refused.
	ChatTemplate string

	// TokenIDs returns the ids of the tokens that a model read and sampled for a turn of a row,
	// from 0. ok is false if they are not known, or say more than the turn's text. nil exports no
	// ids.
	TokenIDs func(row *trajectories.Row, turn int) (ids mcts.TokenIDs, ok bool, err error)

	native bool // prompts come with native tools: set by [Write]

	Refused []*atif.Refusal // imported documents that no sample can express, for the manifest

	// Found gets what the linter holds against a trajectory or sample that is left out, by its
	// name. It may be nil.
	Found func(name string, found []Finding)
}

// Write writes rows, which come in canonical order, to a folder that the trainer reads, and returns
// the manifest. For formats that need failures ([Format.NeedsFailures]) the rows are all that
// ended, otherwise those that are correct. Rows that the linter faults are dropped and counted
// before the selection, so they take no other row's place. If nothing is left, the export is empty,
// which is not an error.
//
// The folder is made, or may hold an earlier export, which is replaced; any other content is
// refused. The manifest is removed first and written last, so a folder with a manifest is whole.
// With weights or held-out questions the rows are read twice.
func Write(ctx context.Context, dir string, rows iter.Seq2[trajectories.Row, error], opt Options) (*Manifest, error) {
	w, err := newWriter(opt)
	if err != nil {
		return nil, err
	}

	if err = w.detectNative(rows); err == nil {
		err = w.survey(ctx, rows)
	}

	if err == nil {
		err = w.manifest.writeFolder(dir, func(work string) error { return w.writeAll(ctx, work, rows) })
	}

	if err != nil {
		return nil, fmt.Errorf("export to %s: %w", dir, err)
	}
	return &w.manifest, nil
}

// writer writes one export.
type writer struct {
	opt      Options
	form     trained // of the format
	layout   layout
	linter   *Linter
	shown    shownCache
	samples  map[*trajectories.Row]cleaned // of the current question
	runs     runCounts
	manifest Manifest
	weighs   bool              // messages have weights
	first    *trajectories.Row // all others have its makers, unless they may be mixed

	heldOut map[string]bool // the questions, by their key

	quotas map[string]*quota // by the names that rows are weighed by; nil without weights
	rng    *rand.Rand        // of the quotas
}

func newWriter(opt Options) (*writer, error) {
	opt.Format, opt.Trainer = cmp.Or(opt.Format, DefaultFormat), cmp.Or(opt.Trainer, LlamaFactory)

	if _, err := ParseFormat(string(opt.Format), Format.IsTrained); err != nil {
		return nil, err
	}

	if _, err := ParseTrainer(string(opt.Trainer)); err != nil {
		return nil, err
	}

	if err := opt.Selection.validate(); err != nil {
		return nil, err
	}

	// Without a verdict, an action cannot be told to be good or bad.
	if opt.Selection.Score == Any && opt.Format.NeedsFailures() {
		return nil, fmt.Errorf("export: %s sets right answers against wrong ones: it needs a verdict, %s or %s",
			opt.Format, Strict, Official)
	}

	if opt.Selection.SkipFaulty && opt.Format.Skipped() == "" {
		return nil, fmt.Errorf("export: faulty turns can be left out of the loss in the formats %s only: in %s a "+
			"sample holds all turns, and trainers have no loss per turn", names.Join(SkippingFormats()), opt.Format)
	}

	linter, err := NewLinter(opt.Tokenizer, opt.Template, opt.Cutoff)
	if err != nil {
		return nil, err
	}

	w := &writer{
		opt: opt, form: opt.Format.form().trained, linter: linter,
		samples: map[*trajectories.Row]cleaned{}, runs: runCounts{},
	}
	// A system text with a control token would spoil every sample: it is an error, not a finding.
	w.shown = newShownCache(opt.Shown, w.lintShown)
	w.reset()

	return w, nil
}

// reset empties the manifest.
func (w *writer) reset() {
	w.manifest = newManifest(w.opt)
	w.layout = w.manifest.layout()

	if t := w.opt.Tokenizer; t != nil {
		w.manifest.Lengths = Lengths{Cutoff: w.opt.Cutoff, Template: w.opt.Template, TokenizerSHA256: t.sha256}
	}
}

// detectNative finds out from the first row whether prompts come with native tools, which files
// then have a column of.
func (w *writer) detectNative(rows iter.Seq2[trajectories.Row, error]) error {
	for row, err := range rows {
		if err != nil {
			return err
		}

		shown, err := w.shown.get(&row)
		w.opt.native = action.IsNative(shown.Codec)
		w.reset()
		return err
	}
	return nil
}

// leaveOutUnfilled removes from the files the columns of messages that no sample fills: readers
// would put null there, and templates only test for keys.
func (w *writer) leaveOutUnfilled(work string) error {
	m := &w.manifest
	if w.layout.tags == nil || m.ToolCalls && w.weighs {
		return nil
	}

	columns := pq.Without(w.layout.columns, func(name string) bool {
		switch name {
		case toolsColumn:
			return false
		case "weight":
			return !w.weighs
		}

		return !m.ToolCalls
	})

	for _, d := range m.datasets() {
		path := filepath.Join(work, d.parquet())
		if err := disk.WriteFile(path, func(out io.Writer) error {
			return copySamples(out, path, w.layout.columns, columns)
		}); err != nil {
			return err
		}
	}

	return nil
}

// copySamples writes the samples of a file with fewer columns.
func copySamples(out io.Writer, path string, all, columns []pq.Column) error {
	to, err := pq.NewWriter[record](out, columns, nil)
	if err != nil {
		return err
	}

	for rec, err := range pq.Read[record](path, all) {
		if err == nil {
			err = to.Write(&rec)
		}

		if err != nil {
			return errors.Join(err, to.Close())
		}
	}
	return to.Close()
}

// writeAll writes every file except the manifest into the folder work.
func (w *writer) writeAll(ctx context.Context, work string, rows iter.Seq2[trajectories.Row, error]) error {
	if err := w.writeData(work, w.questions(ctx, rows)); err != nil {
		return err
	}

	// Formats that need failures also ask about those, after the selection.
	if err := w.opt.Selection.failed(); err != nil {
		return err
	}

	m := &w.manifest
	w.runs.note(m)

	// Which columns are filled is known only after the last sample.
	if err := w.leaveOutUnfilled(work); err != nil {
		return err
	}

	// So is what the samples hold that a template could spoil.
	if m.ChatTemplate != "" {
		if _, err := m.CheckTemplate(m.ChatTemplate); err != nil {
			return err
		}
	}

	if err := writeJSON(filepath.Join(work, DatasetInfoFile), m.datasetInfo()); err != nil {
		return err
	}

	// The card names the data by its checksums, so those are noted first. In the end complete notes
	// them again, with the card's.
	var names []string
	for _, d := range m.datasets() {
		names = append(names, d.parquet())
	}

	if err := errors.Join(m.note(work, names), m.lookForPrivate(work)); err != nil {
		return err
	}
	return disk.Write(filepath.Join(work, cardFile), []byte(m.card()))
}
