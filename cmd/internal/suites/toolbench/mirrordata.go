package toolbench

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"

	"toolevo/envs/console"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/recorded"
	"toolevo/trajectories/export"
	"toolevo/trajectories/mirror"
)

// The settings of the models that are asked (MirrorAPI, section 2).
const (
	checkTokens   = 1024 // of a verdict
	augmentTokens = 2048 // of an invented call
	explainTokens = 1024 // of a rationale
)

// asking says how models are asked.
type asking struct {
	seed    uint64
	workers int
	call    *suite.Call
	models  suite.Models
	asked   []string // the models, by what they were asked for
}

func (a *asking) options() []suite.Option {
	a.seed, a.workers = 1, 16
	return []suite.Option{
		suite.SeedOption(&a.seed), suite.WorkersOption(&a.workers),
	}
}

// open opens the models of a call, which keep what they write in a folder, unless that is "".
func (a *asking) open(c *suite.Call, folder string) (err error) {
	a.call = c
	a.models, err = c.Models(folder)
	return err
}

// mirrorData says what data is to be made, and from what.
type mirrorData struct {
	asking
	data, out, tokenizer    string
	caches, written         suite.Repeated
	check, augment, explain string
	plan                    mirror.Plan
	published               bool
}

// Mirrored is what `mirror data` prints.
type Mirrored struct {
	Out string `json:"out"` // the folder
	*mirror.Report
}

func mirrorDataCommand() suite.Command {
	m := &mirrorData{}
	m.plan.Sizes, m.plan.Explanations = mirror.PaperSizes(), mirror.PaperExplanations()
	m.plan.Failures, m.plan.Pairs = mirror.PaperFailures, 1000
	return suite.Command{
		Use: "mirror data [CALLS...]", Help: helpTexts, Progress: true, Document: Mirrored{},
		Configured: &suite.Configured{Models: true, Flags: []string{"prompts"}},
		Options: append(append(m.options(), m.modelOptions()...), suite.DataOption(&m.data),
			suite.Option{Name: "out", Value: &m.out, Required: true,
				Usage: "write the data into the folder `DIR` (required)"},
			suite.Option{Name: "cache", Value: &m.caches,
				Usage: "take the real answers in the cache `FILE` as train_cache (repeatable)"},
			suite.Option{Name: "augmented", Value: &m.written,
				Usage: "`FILE` of calls that a model wrote (repeatable)"},
			suite.Option{Name: "tokenizer", Value: &m.tokenizer,
				Usage: "`FILE` tokenizer.json by which the 2,560 " +
					"tokens of train_cot are counted (default: four characters are one)"},
			suite.Option{Name: "published-rules", Value: &m.published,
				Usage: "take a 404 for an error wherever it stands, as the paper's rules do"},
			suite.Option{Name: "failures", Value: &m.plan.Failures,
				Usage: "keep at most `N` calls that failed because of the request"}),
		Run: m.run,
	}
}

// modelOptions are which models are asked, and for how much.
func (m *mirrorData) modelOptions() []suite.Option {
	return []suite.Option{
		{Name: "check", Value: &m.check,
			Usage: "`KIND:MODEL` that checks answers against their document; failures are dropped"},
		{Name: "augment", Value: &m.augment,
			Usage: "`KIND:MODEL` that invents calls like the recorded ones"},
		{Name: "explain", Value: &m.explain,
			Usage: "`KIND:MODEL` that explains how APIs work, for train_cot"},
		{Name: "pairs", Value: &m.plan.Pairs,
			Usage: "with --augment: invent `N` calls"},
		{Name: "explanations", Value: &m.plan.Explanations.Successes,
			Usage: "with --explain: at most `N` calls that succeed are explained"},
		{Name: "explained-failures", Value: &m.plan.Explanations.Failures,
			Usage: "with --explain: at most `N` calls that fail are explained"},
	}
}

// run builds the data and writes it.
func (m *mirrorData) run(ctx context.Context, c *suite.Call) (err error) {
	if len(c.Args)+len(m.caches)+len(m.written) == 0 {
		return console.Usage("no calls: name files of recorded calls, or a cache")
	}

	calls, inputs, err := m.read(ctx, c)
	if err != nil {
		return err
	}

	documents, err := readDocuments(m.data)
	if err != nil {
		return err
	}

	c.Announce("mirror data", m.choice()...)

	// What is wrong with the files is known before a model is asked for anything.
	if err := m.open(c, m.keptFolder()); err != nil {
		return err
	}

	if err := m.openModels(); err != nil {
		return err
	}

	built, err := m.plan.Build(ctx, calls, documents)
	if err != nil {
		return err
	}

	// The data names everything that decides what is in it.
	built.Report.Inputs, built.Report.Models, built.Report.Rules = inputs, m.asked, m.rules()
	built.Report.Prompts = mirror.PromptHash(m.models.Prompts())

	if _, err := built.Write(m.out, built.Explained, built.Report, c.Version); err != nil {
		return err
	}
	return c.Result(Mirrored{m.out, built.Report}, func(w io.Writer) {
		printMirrored(w, built.Report)
		c.Say("Next: toolevo %s", console.Shell("finetune", m.out, "--recipe", "mirrorapi-7b",
			"--out", "simulator"))
	}, nil)
}

// choice says what the data is made with.
func (m *mirrorData) choice() (words []string) {
	for _, role := range [][2]string{
		{"checked", m.check}, {"invented", m.augment}, {"explained", m.explain},
	} {
		if role[1] != "" {
			words = append(words, role[0]+" by "+role[1])
		}
	}

	return append(words, "rules "+m.rules(), fmt.Sprintf("seed %d", m.seed), "data "+m.data)
}

// keptFolder returns where texts of models are kept: beside the data, whose folder holds nothing
// else.
func (m *mirrorData) keptFolder() string {
	if m.check == "" && m.augment == "" && m.explain == "" {
		return ""
	}
	return filepath.Clean(m.out) + ".texts"
}

// readDocuments reads the documents of all splits of a data folder.
func readDocuments(data string) (*recorded.Documents, error) {
	splits, err := toolbench.OpenAll(data, suite.Splits())
	if err != nil {
		return nil, err
	}

	var all []*toolbench.Collection

	for _, split := range suite.Splits() {
		if kept := splits[split]; kept != nil {
			all = append(all, kept.Collection)
		}
	}

	if len(all) == 0 {
		return nil, console.Usage("no documents of APIs in %s: run `toolevo toolbench import`",
			data)
	}

	union, err := toolbench.Union(all[0], all[1:]...)
	if err != nil {
		return nil, err
	}
	return recorded.NewDocuments(union), nil
}

// read reads the calls of all files.
func (m *mirrorData) read(ctx context.Context, c *suite.Call) (
	map[mirror.Kind][]recorded.Call, []mirror.Input, error) {
	calls, inputs := map[mirror.Kind][]recorded.Call{}, []mirror.Input{}

	for kind, paths := range map[mirror.Kind][]string{mirror.Recorded: c.Args,
		mirror.Augmented: m.written} {
		for _, path := range paths {
			read, err := recorded.Read(path)
			if err != nil {
				return nil, nil, err
			}

			calls[kind] = append(calls[kind], read...)
			inputs = append(inputs, mirror.Input{Path: path, Kind: kind, Calls: len(read)})
		}
	}

	// A cache also keeps what simulators made up, which would teach a model its own mistakes.
	for _, path := range m.caches {
		read, made, err := recorded.ReadCache(ctx, path)
		if err != nil {
			return nil, nil, err
		}

		if made > 0 {
			c.Say("%d answers of %s are left out: no real API gave them.", made, path)
		}

		calls[mirror.Cached] = append(calls[mirror.Cached], read...)
		inputs = append(inputs, mirror.Input{Path: path, Kind: mirror.Cached, Calls: len(read)})
	}

	// The kinds were read in the order of a map, which is never the same.
	slices.SortFunc(inputs, mirror.Input.Compare)
	return calls, inputs, nil
}

// openModels sets the rules of the plan, and opens its models.
func (m *mirrorData) openModels() error {
	m.plan.Seed = m.seed

	// The published rules take any number 404 for an error, ours only one that is called a code.
	if m.plan.Rules = recorded.Corrected(); m.published {
		m.plan.Rules = recorded.Published()
	}

	if m.tokenizer != "" {
		t, err := export.LoadTokenizer(m.tokenizer)
		if err != nil {
			return console.Option("tokenizer", "%w", err)
		}

		m.plan.Explanations.Tokens = t.Count
	}

	// Answers are checked greedily; invented calls should differ.
	for _, role := range []struct {
		option, name, doing string
		options             suite.WriterOptions
		model               **mirror.Model
	}{
		{"check", m.check, "checked", suite.WriterOptions{MaxTokens: checkTokens}, &m.plan.Check},
		{"augment", m.augment, "invented", suite.WriterOptions{Temperature: 1,
			MaxTokens: augmentTokens},
			&m.plan.Augment},
		{"explain", m.explain, "explained", suite.WriterOptions{MaxTokens: explainTokens},
			&m.plan.Explain},
	} {
		// A step without a model is left out.
		if role.name == "" {
			continue
		}

		var err error
		if *role.model, err = m.model(role.option, role.name, role.doing,
			role.options); err != nil {
			return err
		}
	}

	return nil
}

// model opens the model that an option names, and shows how far it is.
func (a *asking) model(option, name, doing string, o suite.WriterOptions) (*mirror.Model, error) {
	writer, err := a.models.Writer(name, o)
	if err != nil {
		return nil, console.Option(option, "%w", err)
	}

	a.asked = append(a.asked, option+" "+name)
	return &mirror.Model{
		Writer: writer, Seed: a.seed, Tries: mirrorTries, Workers: a.workers, Prompts: a.models.Prompts(),
		Done: a.call.Progress.Step(doing),
	}, nil
}

// mirrorTries is how often a model is asked for one text.
const mirrorTries = 3

func (m *mirrorData) rules() string {
	if m.published {
		return "published"
	}
	return "corrected"
}

// printMirrored prints what data there is, as the paper's Table 1 does, and what was left out.
func printMirrored(w io.Writer, r *mirror.Report) {
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tabs, "DATASET\tSAMPLES\tAPIS\tCATEGORIES")

	for _, d := range r.Datasets {
		fmt.Fprintf(tabs, "%s\t%d\t%d\t%d\n", d.Name, d.Samples, d.APIs, d.Categories)
	}

	tabs.Flush()

	printCounts(w, "dropped of "+strconv.Itoa(r.Calls)+" calls", r.Dropped)
	printCounts(w, "texts refused", r.Written.Refused)
	printCounts(w, "texts that could not be read", r.Written.Lost)
}

// printCounts prints how many there are by reason.
func printCounts(w io.Writer, what string, counts map[string]int) {
	if len(counts) == 0 {
		return
	}

	fmt.Fprintf(w, "\n%s:\n", what)

	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "%7d  %s\n", counts[reason], reason)
	}
}
