package toolbench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/recorded"
	"toolevo/mcts/policy/serving"
	"toolevo/trajectories/mirror"
)

// The file of requests that models write for APIs.
const requestsFile = "requests.jsonl"

// The paper's temperatures: situations vary, requests are to be right (section 2.1.1).
const (
	scenarioTemperature = 1.0
	requestTemperature  = 0.1
	scenarioTokens      = 512
	requestTokens       = 1024
	queryTokens         = 1024
)

// mirrorWriting says what is to be written for the APIs of a data folder.
type mirrorWriting struct {
	asking
	data, out, writer string
	group             string         // of queries
	working, checks   suite.Repeated // files; models that say whether queries can be solved
	count             int
}

// MirrorWritten is what such a command prints, and report.json beside what it wrote.
type MirrorWritten struct {
	Path    string          `json:"path"`             // of what was written
	APIs    int             `json:"apis"`             // that it was written for
	Count   int             `json:"count"`            // requests written, or queries kept
	Refused map[string]int  `json:"refused"`          // texts that were of no use, by reason
	Lost    map[string]int  `json:"lost"`             // texts that could not be read, by reason
	Groups  []mirror.Counts `json:"groups,omitempty"` // of queries: whether they can be solved
	Models  []string        `json:"models"`           // that were asked, e.g. "check openai:m"
	Prompts string          `json:"prompts"`          // a hash of their prompts
	Seed    uint64          `json:"seed"`             // of everything that was drawn
}

// print prints it for people.
func (d *MirrorWritten) print(w io.Writer) {
	if d.Groups != nil {
		tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(tabs, "GROUP\tQUERIES\tSOLVABLE\tUNSOLVABLE\tUNSURE\tLOST\t")

		for _, g := range d.Groups {
			fmt.Fprintf(tabs, "%s\t%d\t%d\t%d\t%d\t%d\t\n", g.Group, g.Queries, g.Solvable,
				g.Unsolvable, g.Unsure, g.Lost)
		}

		tabs.Flush()
	}

	fmt.Fprintf(w, "%d for %d APIs: %s\n", d.Count, d.APIs, d.Path)
	printCounts(w, "texts refused", d.Refused)
	printCounts(w, "texts that could not be read", d.Lost)
}

func mirrorRequestsCommand() suite.Command {
	m := &mirrorWriting{count: 200}
	return m.command("mirror requests", m.requests,
		suite.Option{Name: "model", Value: &m.writer, Required: true,
			Usage: "model that writes, `KIND:MODEL`, " + serving.Offers() + " (required)"},
		suite.Option{Name: "each", Value: &m.count, Usage: "`N` requests of each API", Least: 1})
}

// command returns a command that has something written.
func (m *mirrorWriting) command(
	use string, write func(context.Context, []*toolbench.Document) (*MirrorWritten, error),
	more ...suite.Option,
) suite.Command {
	return suite.Command{
		Use: use, Help: helpTexts, Progress: true, Document: MirrorWritten{},
		Configured: &suite.Configured{Models: true, Flags: []string{"prompts"}},
		Options: append(append(m.options(), suite.DataOption(&m.data),
			suite.Option{Name: "out", Value: &m.out, Required: true,
				Usage: "write into the folder `DIR` (required); run the same command again to " +
					"resume"},
			suite.Option{Name: "working", Value: &m.working,
				Usage: "`FILE` of recorded calls: only for APIs of which " +
					"one succeeded (repeatable)"}), more...),
		Run: func(ctx context.Context, c *suite.Call) error {
			// A job that makes no sense is rejected before a model is opened.
			documents, err := m.documents()
			if err != nil {
				return err
			}

			c.Announce(strings.TrimSuffix(use, " [QUERIES]"), "policy "+m.writer,
				fmt.Sprintf("seed %d", m.seed), "data "+m.data)

			if err := m.open(c, m.out); err != nil {
				return err
			}

			done, err := write(ctx, documents)
			if err != nil {
				return err
			}

			done.APIs = len(documents)
			return c.Result(done, done.print, m.report(done))
		},
	}
}

// documents reads the documents of the APIs that are written for, once the job makes sense.
func (m *mirrorWriting) documents() ([]*toolbench.Document, error) {
	if m.group != "" && filepath.Base(m.group) != m.group {
		return nil, console.Option("group", "it is %q, want a name, which is also that of the file",
			m.group)
	}

	documents, err := readDocuments(m.data)
	if err != nil || len(m.working) == 0 {
		return documents.All(), err
	}

	rules, working := recorded.Corrected(), map[toolbench.Key]bool{}

	for _, path := range m.working {
		calls, err := recorded.Read(path)
		if err != nil {
			return nil, err
		}

		for i := range calls {
			// Calls of APIs that the data lacks are passed over: recordings may have more.
			d, err := calls[i].Find(documents)
			if err == nil && rules.Of(calls[i].Answer) == recorded.Success {
				working[d.Key] = true
			}
		}
	}

	var all []*toolbench.Document

	// In the order of the data and not of the map: the same command has to do the same.
	for _, d := range documents.All() {
		if working[d.Key] {
			all = append(all, d)
		}
	}

	if len(all) == 0 {
		return nil, console.Option("working", "no recorded call of an API of %s succeeded", m.data)
	}
	return all, nil
}

// requests has requests written in two stages.
func (m *mirrorWriting) requests(ctx context.Context, documents []*toolbench.Document) (
	*MirrorWritten, error) {
	model, err := m.model("model", m.writer, "written", suite.WriterOptions{
		Temperature: requestTemperature, MaxTokens: requestTokens,
	})
	if err != nil {
		return nil, err
	}

	// Scenarios should differ and requests be exact: the same model, at two temperatures.
	imagine, err := m.models.Writer(m.writer, suite.WriterOptions{
		Temperature: scenarioTemperature, MaxTokens: scenarioTokens,
	})
	if err != nil {
		return nil, err
	}

	r := mirror.NewReport()

	requests, err := model.Requests(ctx, imagine, documents, m.count, r)
	if err != nil {
		return nil, err
	}

	var text []byte
	for i := range requests {
		text = requests[i].Append(text)
	}

	done := m.done(filepath.Join(m.out, requestsFile), len(requests), r)
	return done, m.write(requestsFile, text)
}

// write writes a file.
func (m *mirrorWriting) write(name string, text []byte) error {
	path := filepath.Join(m.out, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return disk.Write(path, text)
}

// report writes the result beside what was written.
func (m *mirrorWriting) report(done any) error {
	text, err := console.EncodeJSON(done)
	if err != nil {
		return err
	}
	return m.write("report.json", text)
}

// done returns the result of a command.
func (m *mirrorWriting) done(path string, count int, r *mirror.Report) *MirrorWritten {
	return &MirrorWritten{
		Path: path, Count: count, Refused: r.Written.Refused, Lost: r.Written.Lost,
		Models: m.asked, Prompts: mirror.PromptHash(m.models.Prompts()), Seed: m.seed,
	}
}
