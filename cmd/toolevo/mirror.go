package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
	apicalls "toolevo/envs/toolbench/recorded"
	"toolevo/trajectories/export"
	"toolevo/trajectories/mirror"
)

// mirrorCommand makes what trains and tests models that stand in for APIs.
func (a *app) mirrorCommand() *cobra.Command {
	cmd := newCommand("mirror")
	cmd.AddCommand(a.mirrorRequestsCommand(), a.mirrorDataCommand(), a.mirrorQueriesCommand())

	return console.Group(cmd)
}

// The settings of the models that are asked (MirrorAPI, section 2).
const (
	checkTokens   = 1024 // of a verdict
	augmentTokens = 2048 // of an invented call
	explainTokens = 1024 // of a rationale
)

// mirrorData are the flags of `mirror data`.
type mirrorData struct {
	*writers
	data, out, tokenizer    *string
	caches, written         *[]string
	check, augment, explain *string
	plan                    mirror.Plan
	asked                   []string // the models, by what they were asked for
	published               *bool
	asJSON                  *bool
}

// mirrored is what `mirror data` prints.
type mirrored struct {
	Out string `json:"out"` // the folder
	*mirror.Report
}

func (a *app) mirrorDataCommand() *cobra.Command {
	cmd := newCommand("data [CALLS...]")
	flags := cmd.Flags()
	m := &mirrorData{
		writers: a.addWriters(cmd), data: a.DataFlag(cmd), asJSON: console.JSONFlag(cmd),
		out: flags.String("out", "", "write the data into the folder `DIR` (required)"),
		caches: flags.StringArray("cache", nil, "`FILE` of a cache of the virtual server, whose real answers are "+
			"train_cache (repeatable)"),
		written: flags.StringArray("augmented", nil, "`FILE` of calls that a model wrote (repeatable)"),
		check:   flags.String("check", "", "`KIND:MODEL` that says which answers follow their document; others go"),
		augment: flags.String("augment", "", "`KIND:MODEL` that invents calls like the recorded ones"),
		explain: flags.String("explain", "", "`KIND:MODEL` that explains how APIs work, for train_cot"),
		tokenizer: flags.String("tokenizer", "", "`FILE` tokenizer.json by which the 2,560 tokens of train_cot are "+
			"counted (default: four characters are one)"),
		published: flags.Bool("published-rules", false, "take a 404 for an error wherever it stands, as the paper's "+
			"rules do"),
	}
	m.plan.Sizes, m.plan.Explanations = mirror.PaperSizes(), mirror.PaperExplanations()
	flags.IntVar(&m.plan.Failures, "failures", mirror.PaperFailures, "keep at most `N` calls that failed because of "+
		"the request")
	flags.IntVar(&m.plan.Pairs, "pairs", 1000, "with --augment: invent `N` calls")
	flags.IntVar(&m.plan.Explanations.Successes, "explanations", m.plan.Explanations.Successes,
		"with --explain: at most `N` calls that succeed are explained")
	flags.IntVar(&m.plan.Explanations.Failures, "explained-failures", m.plan.Explanations.Failures,
		"with --explain: at most `N` calls that fail are explained")

	cmd.RunE = func(cmd *cobra.Command, args []string) error { return m.run(cmd, args) }

	return cmd
}

// run builds the data and writes it.
func (m *mirrorData) run(cmd *cobra.Command, files []string) (err error) {
	if err := m.validate(files); err != nil {
		return err
	}

	ctx := cmd.Context()

	calls, inputs, err := m.read(ctx, files)
	if err != nil {
		return err
	}

	documents, err := readDocuments(*m.data)
	if err != nil {
		return err
	}

	m.app.announce("mirror data", m.choice()...)

	defer func() { err = errors.Join(err, m.shut()) }()

	if err := m.open(cmd, m.keptFolder()); err != nil {
		return err
	}

	if err := m.complete(); err != nil {
		return err
	}

	built, err := m.plan.Build(ctx, calls, documents)
	if err != nil {
		return m.stopped(ctx, err)
	}

	built.Report.Inputs, built.Report.Models, built.Report.Rules = inputs, m.asked, m.rules()

	if _, err := built.Write(*m.out, built.Explained, built.Report, toolevo.Software()); err != nil {
		return err
	}

	return m.print(built.Report)
}

// validate refuses flags that make no sense.
func (m *mirrorData) validate(files []string) error {
	for name, n := range map[string]int{
		"failures": m.plan.Failures, "pairs": m.plan.Pairs, "explanations": m.plan.Explanations.Successes,
		"explained-failures": m.plan.Explanations.Failures,
	} {
		if n < 0 {
			return console.Usage("--%s %d: want 0 or more", name, n)
		}
	}

	switch {
	case *m.out == "":
		return console.Usage("--out is missing: want the folder for the data")
	case len(files)+len(*m.caches)+len(*m.written) == 0:
		return console.Usage("no calls: name files of recorded calls, or --cache FILE")
	}

	return nil
}

// choice is what the data is made with.
func (m *mirrorData) choice() (of []string) {
	for _, role := range [][2]string{
		{"checked", *m.check}, {"invented", *m.augment}, {"explained", *m.explain},
	} {
		if role[1] != "" {
			of = append(of, role[0]+" by "+role[1])
		}
	}

	return append(of, "rules "+m.rules(), fmt.Sprintf("seed %d", *m.seed), "data "+*m.data)
}

// keptFolder is where texts of models are kept, beside the data, whose folder holds nothing else.
func (m *mirrorData) keptFolder() string {
	if *m.check == "" && *m.augment == "" && *m.explain == "" {
		return ""
	}

	return filepath.Clean(*m.out) + ".texts"
}

// readDocuments reads the documents of all splits of a data folder.
func readDocuments(data string) (*apicalls.Documents, error) {
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
		return nil, console.Usage("no documents of APIs in %s: run `toolevo toolbench import`", data)
	}

	union, err := toolbench.Union(all[0], all[1:]...)
	if err != nil {
		return nil, err
	}

	return apicalls.NewDocuments(union), nil
}

// read reads all calls.
func (m *mirrorData) read(ctx context.Context, files []string) (map[mirror.Kind][]apicalls.Call, []mirror.Input,
	error) {
	calls, inputs := map[mirror.Kind][]apicalls.Call{}, []mirror.Input{}

	for kind, paths := range map[mirror.Kind][]string{mirror.Recorded: files, mirror.Augmented: *m.written} {
		for _, path := range paths {
			read, err := apicalls.Read(path)
			if err != nil {
				return nil, nil, err
			}

			calls[kind] = append(calls[kind], read...)
			inputs = append(inputs, mirror.Input{Path: path, Kind: kind, Calls: len(read)})
		}
	}

	for _, path := range *m.caches {
		read, made, err := apicalls.ReadCache(ctx, path)
		if err != nil {
			return nil, nil, err
		}

		if made > 0 {
			m.app.Say("%d answers of %s are left out: no real API gave them.", made, path)
		}

		calls[mirror.Cached] = append(calls[mirror.Cached], read...)
		inputs = append(inputs, mirror.Input{Path: path, Kind: mirror.Cached, Calls: len(read)})
	}

	slices.SortFunc(inputs, mirror.Input.Compare)

	return calls, inputs, nil
}

// complete opens the models of the plan.
func (m *mirrorData) complete() error {
	m.plan.Seed = *m.seed

	if m.plan.Rules = apicalls.Corrected(); *m.published {
		m.plan.Rules = apicalls.Published()
	}

	if *m.tokenizer != "" {
		t, err := export.LoadTokenizer(*m.tokenizer)
		if err != nil {
			return console.Usage("--tokenizer: %v", err)
		}

		m.plan.Explanations.Tokens = t.Count
	}

	for _, role := range []struct {
		flag, name, doing string
		options           suite.WriterOptions
		model             **mirror.Model
	}{
		{"check", *m.check, "checked", suite.WriterOptions{MaxTokens: checkTokens}, &m.plan.Check},
		{"augment", *m.augment, "invented", suite.WriterOptions{Temperature: 1, MaxTokens: augmentTokens},
			&m.plan.Augment},
		{"explain", *m.explain, "explained", suite.WriterOptions{MaxTokens: explainTokens}, &m.plan.Explain},
	} {
		if role.name == "" {
			continue
		}

		var err error
		if *role.model, err = m.mirrorModel(role.flag, role.name, role.doing, role.options); err != nil {
			return err
		}

		m.asked = append(m.asked, role.flag+" "+role.name)
	}

	return nil
}

// mirrorModel opens the model that a flag names.
func (w *writers) mirrorModel(flag, name, doing string, o suite.WriterOptions) (*mirror.Model, error) {
	writer, err := w.writer(name, o)
	if err != nil {
		return nil, console.Usage("--%s: %w", flag, err)
	}

	set, stop := w.follow(doing)
	w.closers = append(w.closers, func() error { stop(); return nil })

	return &mirror.Model{Writer: writer, Seed: *w.seed, Tries: mirrorTries, Workers: *w.workers, Done: set}, nil
}

// mirrorTries is how often a model is asked for one text.
const mirrorTries = 3

func (m *mirrorData) rules() string {
	if *m.published {
		return "published"
	}

	return "corrected"
}

// print prints what there is, as the paper's Table 1 does, and what was left out.
func (m *mirrorData) print(r *mirror.Report) error {
	return m.app.Show(*m.asJSON, mirrored{*m.out, r}, func() {
		tabs := tabwriter.NewWriter(m.app.Out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tabs, "DATASET\tSAMPLES\tAPIS\tCATEGORIES")

		for _, d := range r.Datasets {
			fmt.Fprintf(tabs, "%s\t%d\t%d\t%d\n", d.Name, d.Samples, d.APIs, d.Categories)
		}

		tabs.Flush()

		printCounts(m.app.Out, "dropped of "+strconv.Itoa(r.Calls)+" calls", r.Dropped)
		printCounts(m.app.Out, "texts refused", r.Written.Refused)
		m.app.Say("Next: toolevo %s", console.Shell("finetune", *m.out, "--recipe", "mirrorapi-7b", "--out",
			"simulator"))
	})
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
