package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/names"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
	"toolevo/envs/suite"
	"toolevo/finetune/stored"
	"toolevo/mcts/store"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

func (a *app) exportCommand() *cobra.Command {
	cmd := newCommand("export RUN… | DOCUMENTS…")
	cmd.Long = describe(cmd.Long)

	e := &exporter{app: a}
	e.addFlags(cmd.Flags())

	data, asJSON := a.runDataFlag(cmd), cmdline.JSONFlag(cmd)
	e.changed = cmd.Flags().Changed
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		e.data = func(run *store.Run) string { return dataOf(cmd, *data, &run.Manifest, run.Dir) }

		if _, err := os.Stat(*data); err == nil || cmd.Flags().Changed("data") {
			e.dataFolder = *data
		}

		if e.lint {
			return e.runLint(cmd.Context(), args, *asJSON)
		}

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
	app                  *app
	out, format, trainer string
	arguments            string
	strategy, score, mix string
	tokenizer, template  string
	cutoff, maxFaulty    int
	partial, mixEngines  bool
	scripted             bool // scripts may have written samples
	lint                 bool
	show                 int
	selection            export.Selection

	data       func(*store.Run) string // the data folder of a run
	dataFolder string                  // the one that was named, or is there
	changed    func(flag string) bool  // whether the user set it
	found      func(name string, found []export.Finding)
}

// addFlags defines the flags of what to select, how to write it, and how to check it.
func (e *exporter) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&e.out, "out", "", "write the folder `DIR` (required without --lint)")
	flags.StringVar(&e.format, "format", string(export.DefaultFormat), "`NAME` of what a sample is: "+
		names.Join(export.Formats())+"; or of documents for other programs: "+
		names.Join(export.FormatsThat(export.Format.IsDocuments)))
	flags.StringVar(&e.trainer, "for", string(export.LlamaFactory), "`NAME` of the trainer whose names columns and "+
		"roles have: "+names.Join(export.Trainers())+"; NAME:TEMPLATE names its chat template, too, and refuses what "+
		"that spoils")
	flags.StringVar(&e.arguments, "arguments", string(export.ArgumentObject), "with --for trl, `KIND` of the "+
		"arguments of calls: object, or string, a text of JSON, for chat templates that want one")
	flags.IntVar(&e.selection.PerQuestion, "per-question", 4, "at most `N` distinct trajectories of a question "+
		"(0: all)")
	flags.StringVar(&e.strategy, "strategy", string(export.Random), "`NAME` of how to choose among them: "+
		names.Join(export.Strategies()))
	flags.Uint64Var(&e.selection.Seed, "seed", 1, "`N` is the seed of the strategy random, --dev and --mix")
	flags.StringVar(&e.score, "score", string(export.Strict), "`NAME` of the matcher that must accept the "+
		"answer: strict or official; any: right or wrong, and what nobody judged")
	flags.StringVar(&e.selection.Split, "split", export.TrainSplit, "only questions of the split `NAME`: "+
		"train, dev or test")
	flags.BoolVar(&e.selection.RequireRecovery, "require-recovery", false,
		"only trajectories that met deprecations and recovered from every one")
	flags.BoolVar(&e.selection.RequireUpdate, "require-update", false,
		"only trajectories that told UpdateTool of APIs that they called with success")
	flags.IntVar(&e.maxFaulty, "max-faulty", -1, "only trajectories with at most `N` faulty turns: unreadable ones, "+
		"and errors made before (-1: any number)")
	flags.BoolVar(&e.selection.SkipFaulty, "skip-faulty", false, "do not train faulty turns: "+skipping())
	flags.Float64Var(&e.selection.Dev, "dev", 0, "hold out this `SHARE` of the questions in files of their own")
	flags.StringVar(&e.mix, "mix", "", "weigh runs, suites or deployed API versions: `KIND:NAME=N`, and more after "+
		"commas, with the kind "+names.Join(export.MixKinds()))
	flags.StringVar(&e.tokenizer, "tokenizer", "", "tokenizer.json `FILE` of the model, to count tokens")
	flags.StringVar(&e.template, "chat-template", "llama3", "`NAME` of the chat template to count under, with "+
		"--tokenizer: "+strings.Join(export.Templates(), ", "))
	flags.IntVar(&e.cutoff, "cutoff", 0, "drop samples of more than `N` tokens (0: none; needs --tokenizer)")
	e.addAllowances(flags)
	flags.BoolVar(&e.lint, "lint", false, "only say what is wrong with samples, and with which")
	flags.IntVar(&e.show, "show", 0, "with --lint, show which text of the first `N` samples carries loss (needs "+
		"--tokenizer)")
}

// skipping says how each format keeps faulty turns from being trained.
func skipping() string {
	var ways []string
	for _, f := range export.SkippingFormats() {
		ways = append(ways, fmt.Sprintf("%s (%s)", f.Skipped(), f))
	}

	return strings.Join(ways, ", or ")
}

// describe fills the formats into the help.
func describe(help string) string {
	list := func(is func(export.Format) bool) string {
		var b strings.Builder
		for _, f := range export.FormatsThat(is) {
			b.WriteString(display.Wrap(fmt.Sprintf("  %-16s", f), f.Summary(), console.HelpWidth))
		}

		return strings.TrimSuffix(b.String(), "\n")
	}

	return strings.NewReplacer("{{samples}}", list(export.Format.IsTrained),
		"{{documents}}", list(export.Format.IsDocuments)).Replace(help)
}

// addAllowances defines the flags by which samples are taken that are otherwise refused.
func (e *exporter) addAllowances(flags *pflag.FlagSet) {
	flags.BoolVar(&e.mixEngines, "mix-engines", false, "allow trajectories of different engines or Pythons in "+
		"one export")
	flags.BoolVar(&e.scripted, "allow-scripted", false, "also take trajectories that scripts wrote, and no "+
		"language model")
	flags.BoolVar(&e.partial, "partial", false, "also export runs that are unfinished")
}

// export writes the folder.
func (e *exporter) export(ctx context.Context, dirs []string) (*export.Manifest, error) {
	o, err := e.options()
	if err != nil {
		return nil, err
	}

	if e.out == "" {
		return nil, console.Usage("export needs --out DIR, the folder to write")
	}

	s, err := e.open(ctx, dirs)
	defer s.close()

	if err != nil {
		return nil, err
	}

	if o.Shown, o.Refused = s.shown, s.refused; o.Format.IsDocuments() {
		return e.exportDocuments(ctx, s, o)
	}

	return e.exportSamples(ctx, s, o)
}

// exportSamples writes training data.
func (e *exporter) exportSamples(ctx context.Context, s *sources, o export.Options) (*export.Manifest, error) {
	if !e.scripted && !e.lint {
		if err := s.refuseScripts(); err != nil {
			return nil, err
		}
	}

	rows, err := e.rows(ctx, s.runs)
	if err != nil {
		return nil, err
	}

	if o.Selection.Elsewhere, err = e.elsewhere(s); err != nil {
		return nil, err
	}

	if o.Found = e.found; s.imported != nil {
		rows = trajectories.Merge(rows, s.imported.Rows())
	}

	m, err := export.Write(ctx, e.out, rows, o)

	if s.imported != nil && err == nil && m.Selected.Dropped.Score > 0 {
		e.app.Say("Documents of others carry no verdict: --score any takes what nobody judged.")
	}

	// Only here are the flags known that mend these.
	var mixed *export.MixedError
	if errors.As(err, &mixed) {
		return nil, console.Usage("%w.\nWhat programs show may depend on it: export them apart, or add "+
			"--mix-engines", mixed)
	}

	var (
		reasons *export.ReasoningError
		spoils  *export.TemplateError
	)

	if errors.As(err, &reasons) || errors.As(err, &spoils) {
		return nil, console.Usage("%w", err)
	}

	return m, err
}

// options are the flags as the export has them.
func (e *exporter) options() (o export.Options, err error) {
	o = export.Options{
		Template: e.template, Cutoff: e.cutoff, Software: software(), MixEngines: e.mixEngines,
	}

	if err := e.checkNumbers(); err != nil {
		return o, err
	}

	// All names are parsed before a file is opened, so that a typing error costs nothing.
	for _, parse := range []func() error{
		func() error { o.Format, err = export.ParseFormat(e.format, export.Format.IsExported); return err },
		func() error { o.Trainer, o.ChatTemplate, err = e.parseTrainer(); return err },
		func() error { o.Arguments, err = e.parseArguments(o.Trainer); return err },
		func() error { e.selection.Strategy, err = export.ParseStrategy(e.strategy); return err },
		func() error { e.selection.Score, err = export.ParseScore(e.score); return err },
		func() error { e.selection.Mix, err = parseMix(e.mix); return err },
		func() error { _, err := names.Parse("split", e.selection.Split, suite.Splits()); return err },
		func() error { _, err := names.Parse("chat template", e.template, export.Templates()); return err },
	} {
		if err := parse(); err != nil {
			return o, err
		}
	}

	if e.selection.SkipFaulty && o.Format.Skipped() == "" {
		return o, console.Usage("--skip-faulty: a sample of %s holds all turns, and trainers have no loss per turn. "+
			"Use --format %s, or drop such trajectories with --max-faulty 0", o.Format,
			names.Join(export.SkippingFormats()))
	}

	o.Selection = e.selection
	if e.tokenizer != "" {
		o.Tokenizer, err = export.LoadTokenizer(e.tokenizer)
	}

	return o, err
}

// parseTrainer reads the trainer and the chat template that will be trained, "" where that is not
// known. Under the one of LLaMA-Factory tokens are counted.
func (e *exporter) parseTrainer() (export.Trainer, string, error) {
	name, template, named := strings.Cut(e.trainer, ":")

	t, err := export.ParseTrainer(name)
	if err != nil {
		return "", "", err
	}

	if !named && t == export.LlamaFactory && e.tokenizer != "" && e.changed("chat-template") {
		return t, e.template, nil
	}

	if named {
		err = export.ParseChatTemplate(t, template)
	}

	return t, template, err
}

// parseArguments is the kind of the arguments of calls, "" for what every trainer can have.
func (e *exporter) parseArguments(t export.Trainer) (export.Arguments, error) {
	kind, err := export.ParseArguments(e.arguments)

	switch {
	case err != nil || kind == export.ArgumentObject:
		return "", err
	case t != export.TRL:
		return "", console.Usage("--arguments %s is for --for %s: elsewhere calls are texts already", kind, export.TRL)
	}

	return kind, nil
}

// checkNumbers refuses numbers that mean nothing.
func (e *exporter) checkNumbers() error {
	switch s := &e.selection; {
	case s.PerQuestion < 0:
		return console.Usage("--per-question %d: want at least 1, or 0 for all", s.PerQuestion)
	case e.maxFaulty < -1:
		return console.Usage("--max-faulty %d: want at least 0, or -1 for any number", e.maxFaulty)
	case !(s.Dev >= 0 && s.Dev < 1):
		return console.Usage("--dev %v: want a share of the questions, from 0 to less than 1", s.Dev)
	case e.cutoff < 0 || e.cutoff > 0 && e.tokenizer == "":
		return console.Usage("--cutoff %d: want a number of tokens, and --tokenizer FILE to count them", e.cutoff)
	case e.show < 0 || e.show > 0 && (!e.lint || e.tokenizer == ""):
		return console.Usage("--show %d: want a number of samples, and --lint --tokenizer FILE to show them", e.show)
	}

	if e.maxFaulty >= 0 {
		e.selection.MaxFaulty = &e.maxFaulty
	}

	return nil
}

// parseMix reads weights: "api:p_c=1,p_s_in=3".
func parseMix(text string) (m export.Mix, err error) {
	if text == "" {
		return m, nil
	}

	kind, list, _ := strings.Cut(text, ":")
	if m.By, err = export.ParseMixKind(kind); err != nil {
		return m, err
	}

	m.Weights = map[string]float64{}

	for _, pair := range strings.Split(list, ",") {
		name, number, _ := strings.Cut(pair, "=")

		weight, err := strconv.ParseFloat(number, 64)
		if err != nil || name == "" || !(weight > 0) {
			return m, console.Usage("--mix %s: %q is not a name and a weight above 0, as in --mix %s:NAME=2,OTHER=1",
				text, pair, kind)
		}

		m.Weights[name] = weight
	}

	return m, nil
}

func (a *app) printExport(asJSON bool, dir string, m *export.Manifest) error {
	show := a.printSamples
	if m.Format.IsDocuments() {
		show = a.printDocuments
	}

	if err := a.Show(asJSON, m, func() { show(dir, m) }); err != nil {
		return err
	}

	switch {
	case m.Format.IsDocuments() && m.Rows > 0:
		if open := m.Format.OpenWith(); open != "" {
			a.Say(open, console.Shell(dir))
		}
	case m.Format.IsDocuments() && len(m.LeftOut()) == 0:
		return console.Bad("nothing was exported: no episode and no trajectory is there")
	case m.Format.IsDocuments():
		return console.Bad("nothing was exported: what was left out above says why")
	case m.Rows == 0:
		return console.Bad("no sample is left to train on: what was left out above says why")
	case !m.FitsLlamaFactory():
		if m.Trainer == export.LlamaFactory {
			a.Say("LLaMA-Factory would train these messages without their calls: for it, export again with --format %s",
				export.DefaultFormat)
		}

		a.Say("Train with: datasets.load_dataset(%q, split=\"train\")", dir)
	default:
		a.Say("Train with: dataset_dir: %s, dataset: %s", dir, m.Format.Dataset())
	}

	if fit, err := m.CheckTemplate(m.ChatTemplate); err == nil {
		for _, sentence := range fit.Advice() {
			a.Say("%s", sentence)
		}
	}

	return nil
}

func runsPython(m trajectories.Maker) bool { return m.Kind == trajectories.KindPython }

// exportedStamps are the engines of an export's trajectories, each once.
func exportedStamps(m *export.Manifest) []sandbox.Stamp {
	var stamps []sandbox.Stamp

	for _, r := range m.Runs {
		for _, m := range r.Makers {
			stamp := stored.Engine(m)
			same := func(s sandbox.Stamp) bool { return s.String() == stamp.String() }

			if runsPython(m) && !slices.ContainsFunc(stamps, same) {
				stamps = append(stamps, stamp)
			}
		}
	}

	return stamps
}

// inBalance says what weights balance the labels of an export.
func inBalance(m *export.Manifest) string {
	var words []string
	for _, w := range m.Labels.Weights(m.Trainer) {
		words = append(words, fmt.Sprintf("%s=%v", w.Key, w.Value))
	}

	if words == nil {
		return ": of one kind alone nothing is learnt"
	}

	return ", balanced by " + strings.Join(words, " ")
}

// mostRefused is how many questions that are asked in another split are named.
const mostRefused = 20

func (a *app) printSamples(dir string, m *export.Manifest) {
	fmt.Fprintf(a.Out, "%d samples of %d %s questions in %s\n", m.Rows, m.Questions, m.Selection.Split, dir)

	if m.Selection.Dev > 0 {
		fmt.Fprintf(a.Out, "held out: %d samples of %d questions\n", m.DevRows, m.DevQuestions)
	}

	printScripted(a.Out, m.Scripted())

	if l := m.Labels; m.Format.IsLabelled() {
		fmt.Fprintf(a.Out, "%d wanted and %d unwanted replies%s\n", l.Desirable, l.Undesirable,
			inBalance(m))
	}

	stamps := exportedStamps(m)
	printEngines(a.Out, engines.InWords(stamps), engines.Warnings(stamps))

	for _, left := range m.LeftOut() {
		fmt.Fprintf(a.Out, "left out %d: %s\n", left.N, left.Why)
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

// printScripted says how many samples scripts wrote.
func printScripted(w io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(w, "scripts wrote %d of the samples, and no language model\n", n)
	}
}
