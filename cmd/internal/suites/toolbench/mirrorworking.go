package toolbench

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/recorded"
	"toolevo/envs/toolbench/virtual"
	"toolevo/finetune/judge"
	"toolevo/mcts/policy/serving"
	"toolevo/trajectories/mirror"
)

// The files of what was found about APIs: calls, which --working takes, and trajectories.
const (
	callsFile        = "calls.jsonl"
	trajectoriesFile = "trajectories.jsonl"
)

// MirrorWorking is what `mirror working` prints, and report.json beside what it wrote.
type MirrorWorking struct {
	MirrorWritten
	Working int                       `json:"working"`           // APIs, or queries, that are
	Classes map[string]int            `json:"classes,omitempty"` // calls by the class of their answer
	Found   map[string]map[string]int `json:"found,omitempty"`   // queries by group and status
	Unsent  map[string]int            `json:"unsent"`            // calls that got no answer, by reason
}

// mirrorWorking says what is to be checked.
type mirrorWorking struct {
	mirrorWriting
	backend, queries string
}

func mirrorWorkingCommand() suite.Command {
	m := &mirrorWorking{}
	return suite.Command{
		Use: "mirror working [RUN|FILE...]", Help: helpTexts, Progress: true,
		Document: MirrorWorking{}, Configured: &suite.Configured{Models: true, Flags: []string{"prompts"}},
		Options: append(m.options(), suite.DataOption(&m.data),
			suite.Option{Name: "out", Value: &m.out, Required: true,
				Usage: "write into the folder `DIR` (required); run the same command again to resume"},
			suite.Option{Name: "model", Value: &m.writer,
				Usage: "model that writes calls, or looks at trajectories in place of the rules: " +
					"`KIND:MODEL`, " + serving.Offers()},
			suite.Option{Name: "real", Value: &m.backend,
				Usage: "`URL` of the server that calls are sent to; its key is that in " +
					backendKeyVariable},
			suite.Option{Name: "queries", Value: &m.queries,
				Usage: "with RUN or FILE: `QUERIES` in published files, of which those are written " +
					"whose APIs work"}),
		Run: m.run,
	}
}

// run checks APIs by calls, or by trajectories if there are some.
func (m *mirrorWorking) run(ctx context.Context, c *suite.Call) (err error) {
	var backend *virtual.Backend

	switch {
	case len(c.Args) > 0 && m.backend != "":
		return console.Option("real", "it is for calls: leave RUN and FILE out, or this")
	case len(c.Args) == 0 && m.writer == "":
		return console.Option("model", "it is missing: which model is to write the calls?")
	case len(c.Args) == 0:
		if backend, err = virtual.NewBackend(m.backend, c.Lookup(backendKeyVariable)); err != nil {
			return console.Option("real", "%w", err)
		}
	}

	// What is missing is reported before a folder is made.
	c.Announce("mirror working", "by "+cmp.Or(m.writer, "rules"), fmt.Sprintf("seed %d", m.seed))

	if err := m.open(c, m.out); err != nil {
		return err
	}

	var done *MirrorWorking

	// Runs and files have calls that were sent; without them, one of each API is.
	if backend != nil {
		done, err = m.callAll(ctx, backend)
	} else {
		done, err = m.followTrajectories(ctx, c)
	}

	if err != nil {
		return err
	}

	return c.Result(done, done.print, m.report(done))
}

// sent is the answer to a call.
type sent struct {
	call recorded.Call
	lost error // why there is no answer; nil where one came
}

// callAll has a call of each API written and sent.
func (m *mirrorWorking) callAll(ctx context.Context, backend *virtual.Backend) (
	*MirrorWorking, error) {
	documents, err := readDocuments(m.data)
	if err != nil {
		return nil, err
	}

	model, err := m.model("model", m.writer, "written", suite.WriterOptions{
		Temperature: requestTemperature, MaxTokens: requestTokens,
	})
	if err != nil {
		return nil, err
	}

	r := mirror.NewReport()

	requests, err := model.Reach(ctx, documents.All(), r)
	if err != nil {
		return nil, err
	}

	// Answers are kept one by one: the same command sends only the calls that are left.
	answers, err := kept.All(ctx, len(requests), m.workers, m.asking.call.Progress.Step("sent"),
		func(ctx context.Context, i int) (sent, error) {
			return m.send(ctx, backend, &requests[i])
		})
	if err != nil {
		return nil, err
	}

	done := &MirrorWorking{Classes: map[string]int{}, Unsent: map[string]int{}}
	text := done.count(answers)

	// If no call was answered nothing is known of the APIs: a report would call all of them broken.
	if len(answers) > 0 && len(done.Classes) == 0 {
		return nil, console.GaveUp(answers[0].lost)
	}

	path := filepath.Join(m.out, callsFile)
	done.MirrorWritten = *m.done(path, len(requests), r)
	done.APIs = len(documents.All())
	return done, m.write(callsFile, text)
}

// send sends a call, unless its answer is kept.
func (m *mirrorWorking) send(ctx context.Context, backend *virtual.Backend, q *mirror.Request) (
	sent, error) {
	s := sent{call: recorded.Call{Key: q.Key, Input: q.Input}}
	if s.call.Input == nil {
		s.call.Input = envs.Args{}
	}

	texts, key := m.models.Texts(), kept.Key("sent", m.backend, s.call.Request())

	text, known := texts.Get(key)
	if !known {
		var a toolbench.Answer
		if a, s.lost = backend.Call(ctx, virtual.NewCall("", q.Key, s.call.Input)); s.lost != nil {
			return s, ctx.Err()
		}

		var err error
		if text, err = texts.Put(key, a.Text()); err != nil {
			return s, err
		}
	}

	o, _, err := pytext.DecodeObject(text)
	s.call.Answer, _ = virtual.AnswerOf(o)
	return s, err
}

// count classifies calls, and returns them as a file of recorded calls.
func (d *MirrorWorking) count(all []sent) (text []byte) {
	rules := recorded.Corrected()

	for _, s := range all {
		if s.lost != nil {
			d.Unsent[s.lost.Error()]++
			continue
		}

		class := rules.Of(s.call.Answer)
		if d.Classes[string(class)]++; class == recorded.Success {
			d.Working++
		}

		text = append(pytext.AppendJSON(text, envs.Object("category", s.call.Category, "tool_name",
			s.call.Tool, "api_name", s.call.API, "tool_input", s.call.Input, "error",
			s.call.Answer.Error, "response", s.call.Answer.Response, "class", string(class))), '\n')
	}
	return text
}

// followTrajectories finds the queries whose APIs work in all of their trajectories.
func (m *mirrorWorking) followTrajectories(ctx context.Context, c *suite.Call) (*MirrorWorking, error) {
	// Answers are read as for eval judge, which names those that it leaves out.
	o := judging{by: m.writer}

	all, err := o.readAnswers(ctx, c)
	if err != nil {
		return nil, err
	}

	// An answer without its turns says nothing about APIs.
	all = slices.DeleteFunc(all, func(a judge.Answer) bool { return a.Given == nil })
	found := make([]mirror.Trajectory, len(all))

	// The rules look at trajectories, unless a model is named to do so in their place.
	look := func(_ context.Context, i int) error {
		found[i].Follow(all[i].Given, recorded.Corrected())
		return nil
	}

	if m.writer != "" {
		model, err := m.model("model", m.writer, "looked at", suite.WriterOptions{
			Temperature: judge.Temperature, MaxTokens: judge.MaxTokens,
		})
		if err != nil {
			return nil, err
		}

		look = func(ctx context.Context, i int) error { return found[i].Ask(ctx, model, all[i].Given) }
	}

	if err := kept.Each(ctx, len(all), m.workers, c.Progress.Step("looked at"), look); err != nil {
		return nil, err
	}

	for i, a := range all {
		found[i].Agent, found[i].Group, found[i].ID = a.Agent.Policy, a.Group, a.ID
	}
	return m.writeFound(found)
}

// writeFound writes what was found, and the queries whose APIs work.
func (m *mirrorWorking) writeFound(found []mirror.Trajectory) (*MirrorWorking, error) {
	var (
		read  *toolbench.Published
		lines bytes.Buffer
		err   error
	)

	// Queries that cannot be read must not leave half of the files behind.
	if m.queries != "" {
		if read, err = toolbench.Import(m.queries, ""); err != nil {
			return nil, console.Option("queries", "%w", err)
		}
	}

	for _, t := range found {
		if err := disk.NewLineEncoder(&lines).Encode(t); err != nil {
			return nil, err
		}
	}

	done := &MirrorWorking{MirrorWritten: *m.done(m.out, len(found), mirror.NewReport()),
		Found: map[string]map[string]int{}}
	ids := keptIDs{}

	// A query is identified by its group and its ID together.
	for query, status := range mirror.OfQueries(found) {
		if done.Found[query.Group] == nil {
			done.Found[query.Group] = map[string]int{}
		}

		done.Found[query.Group][status]++

		if ids.add(query.Group, query.ID, status == mirror.Working) {
			done.Working++
		}
	}
	return done, errors.Join(m.writeKept(read, ids), m.write(trajectoriesFile, lines.Bytes()))
}

// print prints it for people.
func (d *MirrorWorking) print(w io.Writer) {
	if d.Found == nil {
		printCounts(w, fmt.Sprintf("%d calls, one of each API, by class", d.Count), d.Classes)
		printCounts(w, "calls without an answer", d.Unsent)
		fmt.Fprintf(w, "\n%d of %d APIs work: %s\n", d.Working, d.APIs, d.Path)
		printCounts(w, "texts refused", d.Refused)
		printCounts(w, "texts that could not be read", d.Lost)

		return
	}

	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tabs, "GROUP\tWORKING\tBROKEN\tUNTRIED\tLOST\t")

	for _, group := range slices.Sorted(maps.Keys(d.Found)) {
		n := d.Found[group]
		fmt.Fprintf(tabs, "%s\t%d\t%d\t%d\t%d\t\n", group, n[mirror.Working], n[mirror.Broken],
			n[mirror.Untried], n[mirror.Lost])
	}

	tabs.Flush()
	fmt.Fprintf(w, "%d queries of %d trajectories have APIs that all work: %s\n", d.Working,
		d.Count, d.Path)
}
