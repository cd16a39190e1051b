package export

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"

	"toolevo/envs/action"
	"toolevo/envs/durable"
	"toolevo/trajectories"
	"toolevo/trajectories/internal/jsonl"
	"toolevo/trajectories/internal/pq"
)

// Options say what goes into an export.
type Options struct {
	Format    Format  // "" is SFTTrajectory
	Trainer   Trainer // "" is LlamaFactory
	Selection Selection

	// Shown returns what the model of a row was shown. It is called once for each run, prompt version and makers. A
	// system text with a control token is refused.
	Shown func(row *trajectories.Row) (Shown, error)

	// MixEngines lets rows of different makers stand in one export. What a program shows depends on what runs it, so a
	// mixed export is refused otherwise.
	MixEngines bool

	Tokenizer *Tokenizer // counts tokens; nil counts characters only
	Template  string     // the chat template to count under, one of [Templates]; needed with a Tokenizer
	Cutoff    int        // samples of more tokens are dropped, never cut; 0 keeps them; needs a Tokenizer
	Software  string     // the version of toolevo, for the manifest

	// Found is told what the linter holds against a trajectory or sample that it leaves out, by its name; nil is told
	// nothing.
	Found func(name string, found []Finding)
}

// Shown is what a model was shown before its question, and how its actions are written.
type Shown struct {
	Suite  string       // the benchmark
	System string       // guidelines and tools of the prompt version
	Codec  action.Codec // nil is ReAct
}

// Write writes rows, which come in canonical order, to a folder that the trainer reads, and returns the manifest. Of
// formats that need failures ([Format.NeedsFailures]) the rows are all that ended, else those that are correct. Rows
// that the linter faults are dropped and counted before the selection, so they take no other row's place. Nothing left
// is an export of no samples, not an error.
//
// The folder is made, or may hold an earlier export, which is replaced; any other content is refused. The manifest is
// removed first and written last, so a folder with a manifest is whole. With weights the rows are gone through twice.
func Write(ctx context.Context, dir string, rows iter.Seq2[trajectories.Row, error], opt Options) (*Manifest, error) {
	w, err := newWriter(opt)
	if err != nil {
		return nil, err
	}

	if err = w.weigh(ctx, rows); err == nil {
		err = w.export(ctx, dir, rows)
	}

	if err != nil {
		return nil, fmt.Errorf("export to %s: %w", dir, err)
	}

	return &w.manifest, nil
}

// writer writes one export.
type writer struct {
	opt      Options
	form     form
	layout   layout
	linter   *Linter
	shown    map[origin]Shown
	samples  map[*trajectories.Row]cleaned // of the question at hand
	runs     map[runKey]*ManifestRun       // with samples
	manifest Manifest
	first    *trajectories.Row // whose makers all others have, unless they may be mixed

	quotas map[string]*quota // by what rows are weighed by; nil without weights
	rng    *rand.Rand        // of the quotas
}

func newWriter(opt Options) (*writer, error) {
	opt.Format, opt.Trainer = cmp.Or(opt.Format, SFTTrajectory), cmp.Or(opt.Trainer, LlamaFactory)

	if _, err := ParseFormat(string(opt.Format)); err != nil {
		return nil, err
	}

	if _, err := ParseTrainer(string(opt.Trainer)); err != nil {
		return nil, err
	}

	if err := opt.Selection.validate(); err != nil {
		return nil, err
	}

	if opt.Selection.SkipFaulty && opt.Format != SFTStep {
		return nil, fmt.Errorf("export: faulty turns can be left out of the loss in the format %s only: in %s a "+
			"sample holds all turns, and LLaMA-Factory has no loss per turn", SFTStep, opt.Format)
	}

	linter, err := NewLinter(opt.Tokenizer, opt.Template, opt.Cutoff)
	if err != nil {
		return nil, err
	}

	w := &writer{
		opt: opt, form: forms[opt.Format], layout: layoutOf(opt.Format, opt.Trainer), linter: linter,
		shown: map[origin]Shown{}, samples: map[*trajectories.Row]cleaned{}, runs: map[runKey]*ManifestRun{},
	}
	w.reset()

	return w, nil
}

// reset makes the manifest one of nothing.
func (w *writer) reset() {
	s := w.opt.Selection.withDefaults()

	w.manifest = Manifest{
		Version: ManifestVersion, Format: w.opt.Format, Trainer: w.opt.Trainer, Software: w.opt.Software,
		Selection: s, Selected: s.report(), Lint: LintReport{ByRule: map[Rule]int{}},
	}
	if t := w.opt.Tokenizer; t != nil {
		w.manifest.Lengths = Lengths{Cutoff: w.opt.Cutoff, Template: w.opt.Template, TokenizerSHA256: t.sha256}
	}
}

// weigh counts what is chosen, where that is weighed.
func (w *writer) weigh(ctx context.Context, rows iter.Seq2[trajectories.Row, error]) (err error) {
	mix := w.manifest.Selection.Mix
	if len(mix.Weights) == 0 {
		return nil
	}

	counts := map[string]int{}

	for q, err := range w.questions(ctx, rows) {
		if err != nil {
			return err
		}

		for _, row := range q.chosen {
			shown, err := w.show(row)
			if err != nil {
				return err
			}

			counts[mix.of(row, shown.Suite)]++
		}
	}

	w.reset()
	w.rng = rand.New(rand.NewPCG(w.opt.Selection.Seed, 0))
	w.quotas, err = mix.quotas(counts)

	return err
}

// origin is what a row's system text and codec depend on.
type origin struct {
	runID, promptAPI, makers string
}

// show returns what the model of a row was shown.
func (w *writer) show(row *trajectories.Row) (Shown, error) {
	key := origin{row.RunID, row.PromptAPI, trajectories.InWords(row.Makers)}
	if known, ok := w.shown[key]; ok {
		return known, nil
	}

	shown, err := w.opt.Shown(row)
	if err != nil {
		return shown, fmt.Errorf("system text for prompt version %s: %w", row.PromptAPI, err)
	}

	if found := w.linter.lintText(-1, shown.System, false); len(found) > 0 {
		return shown, fmt.Errorf("system text for prompt version %s: %s", row.PromptAPI, found[0])
	}

	w.shown[key] = shown

	return shown, nil
}

// sample makes the sample of a trajectory; broken counts the messages that were sanitised.
func (w *writer) sample(row *trajectories.Row) (s Sample, broken int, err error) {
	shown, err := w.show(row)
	if err != nil {
		return s, 0, err
	}

	if known, ok := w.samples[row]; ok {
		return known.Sample, known.broken, nil
	}

	s, broken = NewSample(shown.System, row, shown.Codec, w.linter.Sanitizer())
	w.samples[row] = cleaned{s, broken}

	return s, broken, nil
}

// cleaned is a sample and how many messages of it were sanitised.
type cleaned struct {
	Sample
	broken int
}

// MixedError means that rows of different makers were to stand in one export.
type MixedError struct{ First, Other trajectories.Row }

// Error names both.
func (e *MixedError) Error() string {
	const none = "none on record"

	return fmt.Sprintf("export: trajectories of different makers: run %s has %s, run %s has %s",
		e.First.RunID, cmp.Or(trajectories.InWords(e.First.Makers), none), e.Other.RunID,
		cmp.Or(trajectories.InWords(e.Other.Makers), none))
}

// mixed makes sure that a row has the makers of those before it. The limits may differ.
func (w *writer) mixed(row *trajectories.Row) error {
	if w.opt.MixEngines {
		return nil
	}

	if w.first == nil {
		w.first = row
	}

	if trajectories.InWords(w.first.Makers) != trajectories.InWords(row.Makers) {
		return &MixedError{*w.first, *row}
	}

	return nil
}

// questions streams what is chosen of each question that something is chosen of.
func (w *writer) questions(ctx context.Context, rows iter.Seq2[trajectories.Row, error]) iter.Seq2[*question, error] {
	return func(yield func(*question, error) bool) {
		for group, err := range byQuestion(rows) {
			var q *question
			if err = errors.Join(err, ctx.Err()); err == nil {
				q, err = w.question(group)
			}

			if err != nil {
				yield(nil, err)
				return
			}

			if len(q.chosen) > 0 && !yield(q, nil) {
				return
			}
		}
	}
}

// question chooses among the rows of a question.
func (w *writer) question(group []*trajectories.Row) (*question, error) {
	var correct []*trajectories.Row

	clear(w.samples)

	for _, row := range group {
		if err := w.mixed(row); err != nil {
			return nil, err
		}

		if !row.IsCorrect() {
			continue
		}

		good, err := w.lintRow(row)
		if err != nil {
			return nil, err
		}

		if good {
			correct = append(correct, row)
		}
	}

	chosen := w.manifest.Selection.of(correct, &w.manifest.Selected)

	kept, err := w.withinQuotas(chosen)

	return &question{chosen: kept, all: group}, err
}

// lintRow reports whether the linter has nothing against a trajectory. Only of samples that hold it whole the length
// counts.
func (w *writer) lintRow(row *trajectories.Row) (bool, error) {
	sample, _, err := w.sample(row)
	if err != nil {
		return false, err
	}

	w.manifest.Lint.Checked++

	linter := w.linter
	if !w.form.whole {
		linter = linter.withoutCutoff()
	}

	found := linter.LintRow(row, &sample)
	if len(found) == 0 {
		return true, nil
	}

	w.manifest.Lint.Dropped++
	w.manifest.Lint.ByRule[found[0].Rule]++
	w.tell(row.Name(), found)

	return false, nil
}

func (w *writer) tell(name string, found []Finding) {
	if w.opt.Found != nil {
		w.opt.Found(name, found)
	}
}

// withinQuotas returns those of a question's chosen rows that the weights allow.
func (w *writer) withinQuotas(chosen []*trajectories.Row) (kept []*trajectories.Row, err error) {
	if w.quotas == nil {
		return chosen, nil
	}

	report := &w.manifest.Selected

	for _, row := range chosen {
		shown, err := w.show(row)
		if err != nil {
			return nil, err
		}

		if w.quotas[w.manifest.Selection.Mix.of(row, shown.Suite)].next(w.rng) {
			kept = append(kept, row)
			continue
		}

		report.Kept--
		report.Dropped.Weight++
	}

	if len(chosen) > 0 && len(kept) == 0 {
		report.QuestionsKept--
	}

	return kept, nil
}

// export writes the folder.
func (w *writer) export(ctx context.Context, dir string, rows iter.Seq2[trajectories.Row, error]) error {
	if err := prepareFolder(dir); err != nil {
		return err
	}

	work, release, err := claimFolder(dir)
	if err != nil {
		return err
	}

	if err = w.writeAll(ctx, work, rows); err == nil {
		err = w.manifest.install(work, dir)
	}

	return errors.Join(err, release())
}

// writeAll writes every file into the folder work.
func (w *writer) writeAll(ctx context.Context, work string, rows iter.Seq2[trajectories.Row, error]) error {
	if err := w.writeData(work, w.questions(ctx, rows)); err != nil {
		return err
	}

	m := &w.manifest
	m.Runs = w.sortedRuns()

	if err := writeJSON(filepath.Join(work, DatasetInfoFile), m.datasetInfo()); err != nil {
		return err
	}

	if err := durable.WriteFile(filepath.Join(work, CardFile), func(out io.Writer) error {
		_, err := io.WriteString(out, m.card())
		return err
	}); err != nil {
		return err
	}

	for _, name := range m.sealed() {
		sum, err := sumFile(work, name)
		if err != nil {
			return err
		}

		m.Files = append(m.Files, sum)
	}

	seal, err := m.seal()
	if err != nil {
		return err
	}

	m.Seal = seal

	return writeJSON(filepath.Join(work, ManifestFile), m)
}

// writeData writes the samples of the questions and where they come from.
func (w *writer) writeData(work string, questions iter.Seq2[*question, error]) error {
	sets := datasets(w.opt.Format, w.opt.Selection.Dev > 0)

	return w.withFiles(work, sets, nil, func(files []*sampleFiles) error {
		for q, err := range questions {
			if err != nil {
				return err
			}

			dev := w.isDev(q)

			written, err := w.writeQuestion(q, files[dev])
			if err != nil {
				return err
			}

			w.count(written, dev > 0)
		}

		return nil
	})
}

// count counts the samples of a question.
func (w *writer) count(samples int, dev bool) {
	if samples == 0 {
		return
	}

	m := &w.manifest
	if dev {
		m.DevRows += samples
		m.DevQuestions++
	} else {
		m.Rows += samples
		m.Questions++
	}
}

// isDev returns the set that a question's samples belong to: 1 if they are held out, whatever run they are of.
func (w *writer) isDev(q *question) int {
	if w.opt.Selection.Dev == 0 {
		return 0
	}

	h := fnv.New64a()
	h.Write([]byte(normal(q.chosen[0].Question)))

	if rand.New(rand.NewPCG(w.opt.Selection.Seed, h.Sum64())).Float64() < w.opt.Selection.Dev {
		return 1
	}

	return 0
}

// sampleFiles are the files of a set of samples.
type sampleFiles struct {
	parquet *pq.Writer[record]
	jsonl   io.Writer
	lineage *json.Encoder
}

// withFiles opens the files of the sets and calls use. They are closed, and whole, when it has returned without error.
func (w *writer) withFiles(work string, sets []dataset, open []*sampleFiles, use func([]*sampleFiles) error) error {
	if len(sets) == 0 {
		return use(open)
	}

	return durable.WriteFile(filepath.Join(work, sets[0].parquet()), func(pw io.Writer) error {
		return durable.WriteFile(filepath.Join(work, sets[0].jsonl()), func(jw io.Writer) error {
			return durable.WriteFile(filepath.Join(work, sets[0].lineage), func(lw io.Writer) error {
				parquet, err := pq.NewWriter(pw, w.layout.columns, nil)
				if err != nil {
					return err
				}

				files := append(open, &sampleFiles{parquet, jw, jsonl.NewEncoder(lw)})

				return errors.Join(w.withFiles(work, sets[1:], files, use), parquet.Close())
			})
		})
	})
}

// writeQuestion writes the samples of a question that the linter has nothing against, and returns how many.
func (w *writer) writeQuestion(q *question, files *sampleFiles) (written int, err error) {
	all, err := w.form.samples(w, q)
	if err != nil {
		return 0, err
	}

	for i := range all {
		c := &all[i]

		if !w.form.whole { // else the trajectory was checked, and is the sample
			if found := w.linter.Lint(w.opt.Format, &c.sample); len(found) > 0 {
				w.dropSample(c, found)
				continue
			}
		}

		if err := w.writeSample(c, files); err != nil {
			return written, fmt.Errorf("write the sample of %s: %w", c.row.Name(), err)
		}

		written++
	}

	return written, nil
}

func (w *writer) dropSample(c *candidate, found []Finding) {
	report := &w.manifest.Lint
	if report.SamplesByRule == nil {
		report.SamplesByRule = map[Rule]int{}
	}

	report.Samples++
	report.SamplesByRule[found[0].Rule]++
	w.tell(fmt.Sprintf("%s, action %d", c.row.Name(), c.step), found)
}

func (w *writer) writeSample(c *candidate, files *sampleFiles) error {
	shown, err := w.show(c.row)
	if err != nil {
		return err
	}

	m := &w.manifest
	m.Lint.Sanitized += c.broken
	w.addRun(c.row, shown.Suite)

	chars, tokens := w.linter.Length(w.opt.Format, &c.sample)
	m.Lengths.add(chars, tokens)

	rec := w.layout.write(&c.sample)
	m.ToolCalls = m.ToolCalls || rec.hasToolCalls()

	if err := files.parquet.Write(&rec); err != nil {
		return err
	}

	line, err := pq.AppendJSON(nil, &rec, w.layout.columns)
	if err != nil {
		return err
	}

	if _, err := files.jsonl.Write(append(line, '\n')); err != nil {
		return err
	}

	return files.lineage.Encode(lineageOf(c, chars, tokens))
}

func writeJSON(path string, v any) error {
	return durable.WriteFile(path, func(w io.Writer) error {
		enc := jsonl.NewEncoder(w)
		enc.SetIndent("", "  ")

		if err := enc.Encode(v); err != nil {
			return fmt.Errorf("encode %s: %w", path, err)
		}

		return nil
	})
}

func sumFile(dir, name string) (FileSum, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return FileSum{}, fmt.Errorf("sum %s: %w", name, err)
	}

	h := sha256.New()

	n, err := io.Copy(h, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return FileSum{}, fmt.Errorf("sum %s: %w", name, err)
	}

	return FileSum{Name: name, Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil))}, nil
}
