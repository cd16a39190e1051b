package app

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/sandbox"
	"toolevo/envs/suite"
	"toolevo/finetune/stored"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// ExportJob writes training data, or documents for other programs, from runs and from documents.
// Names are those of package export; "" is the first of each, as [NewExportJob] has them.
type ExportJob struct {
	Host
	Paths []string // runs, and files or folders of ATIF documents
	Out   string   // the folder to write
	Data  string   // the data folder; "" is that of each run, or else TOOLEVO_DATA or data

	Format    string // what a sample is
	Trainer   string // whose names columns and roles have, with ":TEMPLATE" refusing what its chat template spoils
	Arguments string // of calls, for TRL: "object" or "string"
	Strategy  string // how to choose among the trajectories of a question
	Score     string // the matcher that must accept the answer, or "any"
	Mix       string // KIND:NAME=WEIGHT and more after commas; "" mixes nothing
	Tokenizer string // the tokenizer.json of the model, to count tokens; "" counts none
	Template  string // the chat template to count under
	Cutoff    int    // samples of more tokens are dropped; 0 drops none
	MaxFaulty int    // trajectories with more faulty turns are dropped; -1 drops none

	Partial    bool // also export runs that are unfinished
	MixEngines bool // allow trajectories of different engines or Pythons
	Scripted   bool // also take what scripts wrote, and no language model
	TokenIDs   bool // samples have the ids of their tokens and the log-probabilities
	Show       int  // samples whose loss [Lint] shows

	Selection export.Selection // what else is chosen

	// Chosen reports whether the user set the option of a name; nil means that none was set. An
	// option that does not apply is refused.
	Chosen func(option string) bool

	lint  bool
	found func(name string, found []export.Finding)
}

// NewExportJob returns the job of an export with the default options.
func NewExportJob() ExportJob {
	return ExportJob{
		Format: string(export.DefaultFormat), Trainer: string(export.LlamaFactory),
		Arguments: string(export.ArgumentObject), Strategy: string(export.Random),
		Score: string(export.Strict), Template: "llama3", MaxFaulty: -1,
		Selection: export.Selection{PerQuestion: 4, Seed: 1, Split: export.TrainSplit},
	}
}

// Export writes the folder of a job, and returns what it has.
func Export(ctx context.Context, job ExportJob) (*export.Manifest, error) {
	return job.export(ctx, job.Paths)
}

// chosen reports whether the user set an option.
func (e *ExportJob) chosen(option string) bool { return e.Chosen != nil && e.Chosen(option) }

// export writes the folder.
func (e *ExportJob) export(ctx context.Context, dirs []string) (*export.Manifest, error) {
	o, err := e.options()
	if err != nil {
		return nil, err
	}

	if e.Out == "" {
		return nil, console.Usage("export needs ‹out› DIR, the folder to write")
	}

	s, err := e.open(ctx, dirs)
	defer s.close()

	if err != nil {
		return nil, err
	}

	o.Shown, o.Refused = s.shown, s.refused
	stop := e.driftOf(ctx, s, &o.Selection)

	write := e.exportSamples
	if o.Format.IsDocuments() {
		write = e.exportDocuments
	}

	m, err := write(ctx, s, o)
	return m, errors.Join(err, stop())
}

// exportSamples writes training data.
func (e *ExportJob) exportSamples(ctx context.Context, s *sources, o export.Options) (
	*export.Manifest, error) {
	// A model that learns from a script learns the script; to lint one does no harm.
	if !e.Scripted && !e.lint {
		if err := s.refuseScripts(); err != nil {
			return nil, err
		}
	}

	rows, err := e.rows(ctx, s.runs)
	if err != nil {
		return nil, err
	}

	// A question that another split asks, too, must not be trained on.
	if o.Selection.Elsewhere, err = e.elsewhere(s); err != nil {
		return nil, err
	}

	if e.TokenIDs {
		if o.TokenIDs, err = s.tokenIDs(ctx); err != nil {
			return nil, err
		}
	}

	if o.Found = e.found; s.imported != nil {
		rows = trajectories.Merge(rows, s.imported.Rows())
	}

	m, err := export.Write(ctx, e.Out, rows, o)

	// What other programs wrote was scored by nobody, so that by default all of it is dropped.
	if s.imported != nil && err == nil && m.Selected.Dropped.Score > 0 {
		e.Say("Documents of other programs carry no verdict: ‹score› any takes what nobody judged.")
	}

	return m, asUsage(err)
}

// asUsage makes what the user can mend of the errors of an export errors of usage. Package export
// knows no options: only here can an error name the one that helps.
func asUsage(err error) error {
	var (
		mixed   *export.MixedError
		reasons *export.StepsError
		spoils  *export.TemplateError
	)

	switch {
	case errors.As(err, &mixed):
		return console.Usage("%w.\nWhat programs show may depend on it: export them apart, or add "+
			"‹mix-engines›", mixed)
	case errors.As(err, &reasons) || errors.As(err, &spoils):
		return console.Usage("%w", err)
	}
	return err
}

// options turns the job into the options of the export.
func (e *ExportJob) options() (o export.Options, err error) {
	o = export.Options{
		Template: e.Template, Cutoff: e.Cutoff, Software: Software(), MixEngines: e.MixEngines,
	}

	if err := e.checkNumbers(); err != nil {
		return o, err
	}

	splits := append(suite.Splits(), suite.OwnSplit)

	// All names are parsed before any file is opened, so that a typing error costs nothing.
	for _, parse := range []func() error{
		func() error { o.Format, err = export.ParseFormat(e.Format, export.Format.IsExported); return err },
		func() error { o.Trainer, o.ChatTemplate, err = e.parseTrainer(); return err },
		func() error { o.Arguments, err = e.parseArguments(o.Trainer); return err },
		func() error { e.Selection.Strategy, err = export.ParseStrategy(e.Strategy); return err },
		func() error { e.Selection.Score, err = export.ParseScore(e.Score); return err },
		func() error { e.Selection.Mix, err = parseMix(e.Mix); return err },
		func() error { _, err := names.Parse("split", e.Selection.Split, splits); return err },
		func() error { _, err := names.Parse("chat template", e.Template, export.Templates()); return err },
	} {
		if err := parse(); err != nil {
			return o, err
		}
	}

	if e.Selection.SkipFaulty && o.Format.Skipped() == "" {
		return o, console.Usage("‹skip-faulty›: a sample of %s holds all turns, and trainers have "+
			"no loss per turn. Use ‹format› %s, or drop such trajectories with ‹max-faulty› 0",
			o.Format, names.Join(export.SkippingFormats()))
	}

	if e.TokenIDs && !export.HasTokenIDs(o.Format, o.Trainer) {
		return o, console.Usage("‹token-ids› is for samples of one turn whose trainer does not "+
			"tokenise them again: add ‹format› %s ‹for› %s", export.SFTStep, export.TRL)
	}

	// Copied only now: the parsing above has filled it in.
	o.Selection = e.Selection
	if e.Tokenizer != "" {
		o.Tokenizer, err = export.LoadTokenizer(e.Tokenizer)
	}
	return o, err
}

// parseTrainer reads the trainer and the chat template to train, "" if that is unknown. For
// LLaMA-Factory the template under which tokens are counted is taken, if it was chosen.
func (e *ExportJob) parseTrainer() (export.Trainer, string, error) {
	name, template, named := strings.Cut(e.Trainer, ":")

	t, err := export.ParseTrainer(name)
	if err != nil {
		return "", "", err
	}

	if !named && t == export.LlamaFactory && e.Tokenizer != "" && e.chosen("chat-template") {
		return t, e.Template, nil
	}

	if named {
		err = export.ParseChatTemplate(t, template)
	}
	return t, template, err
}

// parseArguments returns the kind of the arguments of calls, "" for the one that every trainer
// takes.
func (e *ExportJob) parseArguments(t export.Trainer) (export.Arguments, error) {
	kind, err := export.ParseArguments(e.Arguments)

	switch {
	case err != nil || kind == export.ArgumentObject:
		return "", err
	case t != export.TRL:
		return "", console.Usage("‹arguments› %s is for ‹for› %s: elsewhere calls are "+
			"texts already", kind, export.TRL)
	}

	return kind, nil
}

// checkNumbers rejects numbers that make no sense.
func (e *ExportJob) checkNumbers() error {
	switch s := &e.Selection; {
	case s.PerQuestion < 0:
		return console.Usage("‹per-question› %d: want at least 1, or 0 for all", s.PerQuestion)
	case e.MaxFaulty < -1:
		return console.Usage("‹max-faulty› %d: want at least 0, or -1 for any number", e.MaxFaulty)
	case !(s.Dev >= 0 && s.Dev < 1):
		return console.Usage("‹dev› %v: want a share of the questions, from 0 to less than 1",
			s.Dev)
	case e.Cutoff < 0 || e.Cutoff > 0 && e.Tokenizer == "":
		return console.Usage("‹cutoff› %d: want a number of tokens, and ‹tokenizer› FILE "+
			"to count them", e.Cutoff)
	case e.Show < 0 || e.Show > 0 && (!e.lint || e.Tokenizer == ""):
		return console.Usage("‹show› %d: want a number of samples, and ‹lint› ‹tokenizer› "+
			"FILE to show them", e.Show)
	}

	if e.MaxFaulty >= 0 {
		e.Selection.MaxFaulty = &e.MaxFaulty
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
			return m, console.Usage("‹mix› %s: %q is not a name and a weight above 0, as in ‹mix› "+
				"%s:NAME=2,OTHER=1", text, pair, kind)
		}

		m.Weights[name] = weight
	}
	return m, nil
}

func runsPython(m trajectories.Maker) bool { return m.Kind == trajectories.KindPython }

// ExportedStamps returns the engines of an export's trajectories, each once.
func ExportedStamps(m *export.Manifest) []sandbox.Stamp {
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
