package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/durable"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
	apicalls "toolevo/envs/toolbench/recorded"
	"toolevo/mcts/policy/serving"
	"toolevo/trajectories/mirror"
)

// The files of what models write for APIs.
const requestsFile = "requests.jsonl"

// The paper's temperatures: situations vary, requests are to be right (section 2.1.1).
const (
	scenarioTemperature = 1.0
	requestTemperature  = 0.1
	scenarioTokens      = 512
	requestTokens       = 1024
	queryTokens         = 1024
)

// mirrorWriting are the flags of a command that has something written for the APIs of a data folder.
type mirrorWriting struct {
	*writers
	data, out, model *string
	working          *[]string
	count            *int
	asJSON           *bool
}

// mirrorWritten is what such a command prints.
type mirrorWritten struct {
	Path    string         `json:"path"`    // of the file
	APIs    int            `json:"apis"`    // that it was written for
	Count   int            `json:"count"`   // requests or queries in it
	Refused map[string]int `json:"refused"` // texts that were of no use, by reason
}

func (a *app) mirrorRequestsCommand() *cobra.Command {
	cmd := newCommand("requests")
	m := a.addMirrorWriting(cmd)
	m.count = cmd.Flags().Int("each", 200, "`N` requests of each API")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return m.run(cmd, m.requests) }

	return cmd
}

func (a *app) mirrorQueriesCommand() *cobra.Command {
	cmd := newCommand("queries")
	m := a.addMirrorWriting(cmd)
	m.count = cmd.Flags().Int("count", 200, "write `N` queries; those that are not solvable are left out")
	group := cmd.Flags().String("group", "G3_written", "`NAME` of the queries' group")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *group == "" || filepath.Base(*group) != *group {
			return console.Usage("--group %q: want a name, which is also that of the file", *group)
		}

		return m.run(cmd, func(ctx context.Context, documents []*toolbench.Document) (*mirrorWritten, error) {
			return m.queries(ctx, documents, *group)
		})
	}

	return cmd
}

func (a *app) addMirrorWriting(cmd *cobra.Command) *mirrorWriting {
	flags := cmd.Flags()

	return &mirrorWriting{
		writers: a.addWriters(cmd), data: a.DataFlag(cmd), asJSON: console.JSONFlag(cmd),
		out:   flags.String("out", "", "write into the folder `DIR` (required); the same command goes on there"),
		model: flags.String("model", "", "`KIND:MODEL` that writes (required)"),
		working: flags.StringArray("working", nil, "`FILE` of recorded calls: only for APIs of which one succeeded "+
			"(repeatable)"),
	}
}

// run has something written, and says what there is.
func (m *mirrorWriting) run(cmd *cobra.Command,
	write func(context.Context, []*toolbench.Document) (*mirrorWritten, error)) (err error) {
	switch {
	case *m.out == "":
		return console.Usage("--out is missing: want the folder for the file")
	case *m.model == "":
		return console.Usage("--model is missing: want the model that writes, %s", serving.Offers())
	case *m.count < 1:
		return console.Usage("%d: want at least 1 to be written", *m.count)
	}

	documents, err := m.documents()
	if err != nil {
		return err
	}

	m.app.announce("mirror "+cmd.Name(), "policy "+*m.model, fmt.Sprintf("seed %d", *m.seed), "data "+*m.data)

	defer func() { err = errors.Join(err, m.shut()) }()

	if err := m.open(cmd, *m.out); err != nil {
		return err
	}

	done, err := write(cmd.Context(), documents)
	if err != nil {
		return m.stopped(cmd.Context(), err)
	}

	done.APIs = len(documents)

	return m.app.Show(*m.asJSON, done, func() {
		fmt.Fprintf(m.app.Out, "%d for %d APIs: %s\n", done.Count, done.APIs, done.Path)
		printCounts(m.app.Out, "texts refused", done.Refused)
	})
}

// documents reads the documents of the APIs that are written for.
func (m *mirrorWriting) documents() ([]*toolbench.Document, error) {
	documents, err := readDocuments(*m.data)
	if err != nil || len(*m.working) == 0 {
		return documents.All(), err
	}

	rules, working := apicalls.Corrected(), map[toolbench.Key]bool{}

	for _, path := range *m.working {
		calls, err := apicalls.Read(path)
		if err != nil {
			return nil, err
		}

		for i := range calls {
			if d, err := calls[i].Find(documents); err == nil && rules.Of(calls[i].Answer) == apicalls.Success {
				working[d.Key] = true
			}
		}
	}

	var all []*toolbench.Document

	for _, d := range documents.All() {
		if working[d.Key] {
			all = append(all, d)
		}
	}

	if len(all) == 0 {
		return nil, console.Usage("--working: no recorded call of an API of %s succeeded", *m.data)
	}

	return all, nil
}

// requests has requests written in two stages.
func (m *mirrorWriting) requests(ctx context.Context, documents []*toolbench.Document) (*mirrorWritten, error) {
	model, err := m.mirrorModel("model", *m.model, "written", suite.WriterOptions{
		Temperature: requestTemperature, MaxTokens: requestTokens,
	})
	if err != nil {
		return nil, err
	}

	imagine, err := m.writer(*m.model, suite.WriterOptions{
		Temperature: scenarioTemperature, MaxTokens: scenarioTokens,
	})
	if err != nil {
		return nil, err
	}

	r := mirror.NewReport()

	requests, err := model.Requests(ctx, imagine, documents, *m.count, r)
	if err != nil {
		return nil, err
	}

	var text []byte
	for i := range requests {
		text = requests[i].Append(text)
	}

	return m.write(requestsFile, text, len(requests), r)
}

// queries has queries written and looked at.
func (m *mirrorWriting) queries(ctx context.Context, documents []*toolbench.Document,
	group string) (*mirrorWritten, error) {
	model, err := m.mirrorModel("model", *m.model, "written", suite.WriterOptions{
		Temperature: scenarioTemperature, MaxTokens: queryTokens,
	})
	if err != nil {
		return nil, err
	}

	r := mirror.NewReport()

	queries, err := model.Queries(ctx, documents, *m.count, group, r)
	if err != nil {
		return nil, err
	}

	text, err := mirror.EncodeQueries(queries, documents)
	if err != nil {
		return nil, err
	}

	return m.write(filepath.Join("queries", group+".json"), text, len(queries), r)
}

// write writes the file.
func (m *mirrorWriting) write(name string, text []byte, count int, r *mirror.Report) (*mirrorWritten, error) {
	path := filepath.Join(*m.out, name)

	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}

	return &mirrorWritten{Path: path, Count: count, Refused: r.Written.Refused}, durable.Write(path, text)
}
