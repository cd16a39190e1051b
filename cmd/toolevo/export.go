package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/configs"
	"toolevo/envs/action"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/names"
	"toolevo/envs/sandbox"
	"toolevo/envs/suite"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// formatLlamaFactory is the one export format.
const formatLlamaFactory = "llamafactory"

func (a *app) exportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export RUN…",
		Short: "Write training data from runs",
		Long: `Selects trajectories of finished runs and writes them as a LLaMA-Factory dataset
folder: sharegpt Parquet and JSONL, dataset_info.json, and a manifest. The
system text is the guidelines and the prompt version's tools; the loss falls on
the model's turns and never on observations.

Only questions of the train split are taken, unless --split names another one.
The export fails if the data folder also has one of them in another split, since
a model trained on it could not be measured there, and it names the question.
Without the data folder the export says that it could not check this.

A sample that LLaMA-Factory would drop, or that a tokenizer would misread, is
dropped here and counted. Exits with 1 when no sample is left.`,
		Example: `  toolevo export runs/first --out export
  toolevo export runs/a runs/b --out both --strategy diverse --require-recovery
  toolevo export runs/first --out short --tokenizer tokenizer.json --cutoff 1024`,
		Args:              console.Positional(1, -1),
		ValidArgsFunction: runs(-1),
	}
	e := &exporter{app: a}
	flags := cmd.Flags()
	flags.StringVar(&e.out, "out", "", "write the folder `DIR` (required)")
	flags.StringVar(&e.format, "format", formatLlamaFactory, "`NAME` of the format: "+formatLlamaFactory)
	flags.IntVar(&e.selection.PerQuestion, "per-question", 4, "at most `N` distinct trajectories of a question "+
		"(0: all)")
	flags.StringVar(&e.strategy, "strategy", string(trajectories.Random), "`NAME` of how to choose among them: "+
		names.Join(trajectories.Strategies()))
	flags.Uint64Var(&e.selection.Seed, "seed", 1, "`N` is the seed of the strategy random")
	flags.StringVar(&e.score, "score", string(trajectories.Strict), "`NAME` of the matcher that must accept the "+
		"answer: strict or official")
	flags.StringVar(&e.selection.Split, "split", trajectories.TrainSplit, "only questions of the split `NAME`: "+
		"train, dev or test")
	flags.BoolVar(&e.selection.RequireRecovery, "require-recovery", false,
		"only trajectories that met a deprecation and recovered from it")
	flags.StringVar(&e.tokenizer, "tokenizer", "", "tokenizer.json `FILE` of the model, to count tokens")
	flags.StringVar(&e.template, "template", "llama3", "`NAME` of the chat template to count under, with "+
		"--tokenizer: "+strings.Join(trajectories.Templates(), ", "))
	flags.IntVar(&e.cutoff, "cutoff", 0, "drop samples of more than `N` tokens (0: none; needs --tokenizer)")
	flags.BoolVar(&e.mixEngines, "mix-engines", false, "allow trajectories of different engines or Pythons in "+
		"one export")
	flags.BoolVar(&e.partial, "partial", false, "also export runs that are unfinished")

	data, asJSON := a.runDataFlag(cmd), console.JSONFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		e.data = func(run *store.Run) string { return dataOf(cmd, *data, &run.Manifest, run.Dir) }

		manifest, err := e.export(cmd.Context(), args)
		if err != nil {
			return err
		}

		return a.printExport(*asJSON, e.out, manifest)
	}

	return cmd
}

// exporter is the export command's flags.
type exporter struct {
	app                          *app
	out, format, strategy, score string
	tokenizer, template          string
	data                         func(*store.Run) string // the data folder of a run
	cutoff                       int
	partial, mixEngines          bool
	updateTool                   bool     // what the runs' prompts had
	modules                      []string // that the runs' prompts named
	benchmark                    suite.Benchmark
	codec                        action.Codec
	selection                    trajectories.Selection
}

func (e *exporter) export(ctx context.Context, runs []string) (*trajectories.Manifest, error) {
	o, err := e.options()
	if err != nil {
		return nil, err
	}
	var folders []string
	var all []iter.Seq2[trajectories.Row, error]

	for i, dir := range runs {
		v, err := openView(ctx, dir)
		if err != nil {
			return nil, err
		}
		defer v.run.Close()

		if kind := v.run.Manifest.Kind; kind != kindCollect {
			return nil, console.Usage("%s is a run of `toolevo %s`; an export is made from runs of `toolevo "+
				"collect`",
				dir, kind)
		}

		rows, c, err := e.rows(ctx, v)
		if err != nil {
			return nil, err
		}

		if i > 0 && c.Environment.UpdateTool != e.updateTool {
			return nil, console.Usage("%s was collected with UpdateTool and %s without, or the reverse: export them "+
				"apart", runs[0], dir)
		}

		if i > 0 && !slices.Equal(c.Python.Modules, e.modules) {
			return nil, console.Usage("the prompts of %s and %s name other modules (python.modules), %q and %q: "+
				"export them apart", runs[0], dir, e.modules, c.Python.Modules)
		}

		benchmark, err := suite.Lookup(c.Suite)
		if err != nil {
			return nil, err
		}

		if i > 0 && benchmark.Name() != e.benchmark.Name() {
			return nil, console.Usage("%s is of the suite %s and %s of %s: export them apart", runs[0],
				e.benchmark.Name(), dir, benchmark.Name())
		}

		if i > 0 && c.Codec() != e.codec {
			return nil, console.Usage("the actions of %s and %s are written as %s and %s (environment.codec): export "+
				"them apart", runs[0], dir, e.codec, c.Codec())
		}

		e.updateTool, e.modules, e.benchmark = c.Environment.UpdateTool, c.Python.Modules, benchmark
		e.codec = c.Codec()

		all = append(all, rows)
		if folder := e.data(v.run); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}

	if o.Selection.Elsewhere, err = e.elsewhere(folders); err != nil {
		return nil, err
	}

	o.Codec = e.codec

	m, err := trajectories.ExportLlamaFactory(ctx, e.out, trajectories.Merge(all...), o)

	var mixed *trajectories.MixedError
	if errors.As(err, &mixed) {
		return nil, console.Usage("%w.\nWhat programs show may depend on it: export them apart, or add "+
			"--mix-engines", mixed)
	}

	return m, err
}

// elsewhere reads the questions of the splits that are not exported, and says so where there are none.
func (e *exporter) elsewhere(folders []string) (*trajectories.Elsewhere, error) {
	known := &trajectories.Elsewhere{}
	for _, data := range folders {
		if err := e.addElsewhere(known, data); err != nil {
			return nil, err
		}
	}

	return known, nil
}

func (e *exporter) addElsewhere(known *trajectories.Elsewhere, data string) error {
	found := false
	lister, _ := e.benchmark.(suite.Lister)

	for _, split := range suite.Splits() {
		if split == e.selection.Split || lister == nil {
			continue
		}

		tasks, err := lister.List(data, split)
		if err != nil {
			return err
		}

		found = found || len(tasks) > 0
		for _, t := range tasks {
			known.Add(t.Question, fmt.Sprintf("%s: %s", split, t.ID))
		}
	}

	if !found {
		known.Skip()
		e.app.Say("No questions of other splits in %s: whether one of them is exported was not checked. Give the "+
			"data folder with --data.", data)
	}

	return nil
}

// rows are the trajectories of a run, and its configuration.
func (e *exporter) rows(ctx context.Context, v *view) (iter.Seq2[trajectories.Row, error], *configs.Resolved, error) {
	c, err := runConfig(v.run)
	if err != nil {
		return nil, nil, err
	}

	path := filepath.Join(v.run.Dir, rowsFile)
	if _, err := os.Stat(path); err == nil {
		if err := checkResult(v.run); err != nil {
			return nil, nil, err
		}

		return trajectories.ReadFile(path), c, nil
	}

	if !e.partial {
		return nil, nil, console.Usage("%s has no %s: the run is unfinished; continue it with `toolevo collect "+
			"--resume --out %s`, or add --partial", v.run.Dir, rowsFile, v.run.Dir)
	}

	if err := v.run.Intact(ctx); err != nil {
		return nil, nil, err
	}

	return rows(ctx, v.run, c, v.questions), c, nil
}

func (e *exporter) options() (trajectories.ExportOptions, error) {
	var o trajectories.ExportOptions
	if e.out == "" {
		return o, console.Usage("export needs --out DIR, the folder to write")
	}

	if e.format != formatLlamaFactory {
		return o, names.Unknown("format", e.format, []string{formatLlamaFactory})
	}

	var err error
	if e.selection.Strategy, err = trajectories.ParseStrategy(e.strategy); err != nil {
		return o, err
	}

	if e.selection.Score, err = trajectories.ParseScore(e.score); err != nil {
		return o, err
	}

	if err := e.checkNames(); err != nil {
		return o, err
	}

	o = trajectories.ExportOptions{
		Selection: e.selection, Template: e.template, Cutoff: e.cutoff, Software: software(),
		MixEngines: e.mixEngines,
		System: func(promptAPI string, makers []trajectories.Maker) (string, error) {
			var modules []string
			if slices.ContainsFunc(makers, runsPython) { // else of the first versions, whose prompts name no modules
				modules = append([]string{}, e.modules...)
			}

			p, err := newPrompt(e.benchmark, promptAPI, e.updateTool, modules)
			p.Codec = e.codec

			return p.System(), err
		},
	}
	if e.tokenizer != "" {
		o.Tokenizer, err = trajectories.LoadTokenizer(e.tokenizer)
	}

	return o, err
}

// checkNames refuses names and numbers that mean nothing.
func (e *exporter) checkNames() error {
	if _, err := names.Parse("split", e.selection.Split, suite.Splits()); err != nil {
		return err
	}

	if _, err := names.Parse("chat template", e.template, trajectories.Templates()); err != nil {
		return err
	}

	if e.selection.PerQuestion < 0 {
		return console.Usage("--per-question %d: want at least 1, or 0 for all", e.selection.PerQuestion)
	}

	if e.cutoff < 0 || e.cutoff > 0 && e.tokenizer == "" {
		return console.Usage("--cutoff %d: want a number of tokens, and --tokenizer FILE to count them", e.cutoff)
	}

	return nil
}

func (a *app) printExport(asJSON bool, dir string, m *trajectories.Manifest) error {
	if err := a.Show(asJSON, m, func() { a.printSamples(dir, m) }); err != nil {
		return err
	}

	if m.Rows == 0 {
		return console.Bad("no trajectory is left to train on: what was left out above says why")
	}

	a.Say("Train with: dataset_dir: %s, dataset: %s", dir, trajectories.ParquetDataset)

	return nil
}

func runsPython(m trajectories.Maker) bool { return m.Kind == trajectories.KindPython }

// exportedStamps are the engines of an export's trajectories, each once.
func exportedStamps(m *trajectories.Manifest) []sandbox.Stamp {
	var stamps []sandbox.Stamp

	for _, r := range m.Runs {
		for _, m := range r.MadeBy() {
			stamp := stampOf(m)

			known := slices.ContainsFunc(stamps, func(s sandbox.Stamp) bool { return s.String() == stamp.String() })
			if runsPython(m) && !known {
				stamps = append(stamps, stamp)
			}
		}
	}

	return stamps
}

// mostRefused is how many questions that are asked in another split are named.
const mostRefused = 20

func (a *app) printSamples(dir string, m *trajectories.Manifest) {
	fmt.Fprintf(a.Out, "%d samples of %d %s questions in %s\n", m.Rows, m.Questions, m.Selection.Split, dir)
	stamps := exportedStamps(m)
	printEngines(a.Out, inWords(stamps), wallWarnings(stamps))

	d := m.Selected.Dropped
	for _, left := range []struct {
		n   int
		why string
	}{
		{m.Lint.Dropped, "the linter faults them"},
		{d.Split, "of another split than " + m.Selection.Split},
		{d.Elsewhere, "their questions are asked in another split, too"},
		{d.Score, "the matcher does not accept them"},
		{d.NoRecovery, "no recovery from a deprecation"},
		{d.Duplicate, "duplicates"},
		{d.Surplus, "more than wanted of a question"},
	} {
		if left.n > 0 {
			fmt.Fprintf(a.Out, "left out %d: %s\n", left.n, left.why)
		}
	}

	refused := m.Selected.Elsewhere.Refused
	for _, q := range refused[:min(len(refused), mostRefused)] {
		fmt.Fprintf(a.Out, "refused %s, which is also in %s\n", display.Line(q.QuestionID, 0),
			display.Line(q.AlsoIn, 0))
	}

	if n := len(refused) - mostRefused; n > 0 {
		fmt.Fprintf(a.Out, "refused %d more: the manifest names them\n", n)
	}
}
