package toolbench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
	"toolevo/finetune/judge"
	"toolevo/mcts/policy/serving"
	"toolevo/trajectories/mirror"
)

// The files of queries, in the layout of StableToolBench's solvable_queries, and of what was said
// of each query.
const (
	queriesFolder = "test_instruction"
	idsFolder     = "test_query_ids"
	verdictsFile  = "verdicts.jsonl"
)

func mirrorQueriesCommand() suite.Command {
	m := &mirrorWriting{count: 200, group: "G3_written"}

	c := m.command("mirror queries [QUERIES]", m.queries,
		suite.Option{Name: "model", Value: &m.writer,
			Usage: "model that writes, `KIND:MODEL`, " + serving.Offers()},
		suite.Option{Name: "check", Value: &m.checks,
			Usage: "`KIND:MODEL` that says whether queries can be solved (default: the one that " +
				"writes); of several most decide (repeatable)"},
		suite.Option{Name: "count", Value: &m.count, Least: 1,
			Usage: "write `N` queries; those that are not solvable are left out"},
		suite.Option{Name: "group", Value: &m.group, Required: true,
			Usage: "`NAME` of the queries' group"})

	write := c.Run
	c.Run = func(ctx context.Context, call *suite.Call) error {
		switch {
		case len(call.Args) > 0:
			return m.checkFiles(ctx, call)
		case m.writer == "":
			return console.Option("model", "it is missing: which model is to write? Or name "+
				"QUERIES to check")
		}

		return write(ctx, call)
	}
	return c
}

// queries has queries written, and keeps those that can be solved.
func (m *mirrorWriting) queries(ctx context.Context, documents []*toolbench.Document) (
	*MirrorWritten, error) {
	model, err := m.model("model", m.writer, "written", suite.WriterOptions{
		Temperature: scenarioTemperature, MaxTokens: queryTokens,
	})
	if err != nil {
		return nil, err
	}

	r := mirror.NewReport()

	queries, err := model.Queries(ctx, documents, m.count, m.group, r)
	if err != nil {
		return nil, err
	}

	text, err := mirror.EncodeQueries(queries, documents)
	if err != nil {
		return nil, err
	}

	// What was written becomes a published file first, so there is one way to check queries.
	all := filepath.Join("written", m.group+".json")
	if err := m.write(all, text); err != nil {
		return nil, err
	}

	return m.solvable(ctx, filepath.Join(m.out, all), r)
}

// checkFiles keeps the queries of files that can be solved.
func (m *mirrorWriting) checkFiles(ctx context.Context, c *suite.Call) error {
	if len(m.checks) == 0 && m.writer == "" {
		return console.Option("check", "it is missing: which model is to say whether queries can "+
			"be solved?")
	}

	c.Announce("mirror queries "+c.Args[0], "checked by "+strings.Join(m.judgeNames(), ", "),
		fmt.Sprintf("seed %d", m.seed))

	if err := m.open(c, m.out); err != nil {
		return err
	}

	done, err := m.solvable(ctx, c.Args[0], mirror.NewReport())
	if err != nil {
		return err
	}
	return c.Result(done, done.print, m.report(done))
}

func (m *mirrorWriting) judgeNames() []string {
	if len(m.checks) == 0 {
		return []string{m.writer}
	}
	return m.checks
}

// solvable has the queries of published files checked, and writes those that are solvable as files
// of the same form.
func (m *mirrorWriting) solvable(ctx context.Context, path string, r *mirror.Report) (
	*MirrorWritten, error) {
	read, err := toolbench.Import(path, "")
	if err != nil {
		return nil, err
	}

	var judges []mirror.Judge

	// Each model is a judge of its own: of several, most decide.
	for _, name := range m.judgeNames() {
		model, err := m.model("check", name, "checked", suite.WriterOptions{
			Temperature: judge.Temperature, MaxTokens: judge.MaxTokens,
		})
		if err != nil {
			return nil, err
		}

		judges = append(judges, mirror.Judge{Model: model, Name: name})
	}

	said, err := mirror.CheckSolvable(ctx, judges, read.Collection)
	if err != nil {
		return nil, err
	}

	// What was said of the others is written, too.
	kept, err := m.writeSolvable(read, said)

	done := m.done(m.out, kept, r)
	done.APIs, done.Groups = len(read.Collection.Documents), mirror.CountSolvable(said)
	return done, err
}

// writeSolvable writes the queries that are solvable with their IDs, and what was said of all, and
// returns how many are solvable.
func (m *mirrorWriting) writeSolvable(read *toolbench.Published, said []mirror.Solvability) (
	kept int, err error) {
	ids := keptIDs{}

	var verdicts bytes.Buffer

	lines := disk.NewLineEncoder(&verdicts)

	for _, s := range said {
		if err := lines.Encode(s); err != nil {
			return 0, err
		}

		if ids.add(s.Group, strconv.Itoa(s.ID), s.Status == mirror.Solvable) {
			kept++
		}
	}
	return kept, errors.Join(m.writeKept(read, ids), m.write(verdictsFile, verdicts.Bytes()))
}

// keptIDs are the queries that are kept, by group and ID, as the published files have them.
type keptIDs map[string]map[string]int

// add adds a query of a group if it is kept, and says so.
func (ids keptIDs) add(group, id string, kept bool) bool {
	if ids[group] == nil {
		ids[group] = map[string]int{}
	}

	if kept {
		ids[group][id] = 0
	}
	return kept
}

// writeKept writes the files of IDs, and, unless read is nil, those of the queries.
func (m *mirrorWriting) writeKept(read *toolbench.Published, ids keptIDs) error {
	files := map[string]json.RawMessage{}

	if read != nil {
		// The files keep the published form: whole queries are selected, and none is changed.
		var err error
		if files, err = read.Select(func(group string, id int) bool {
			_, kept := ids[group][strconv.Itoa(id)]
			return kept
		}); err != nil {
			return err
		}
	}

	for group, text := range files {
		// Of this group nothing was checked.
		if ids[group] == nil {
			continue
		}

		if err := m.write(filepath.Join(queriesFolder, group+".json"), text); err != nil {
			return err
		}
	}

	// IDs are written even without queries, whose files may be kept elsewhere.
	for group, listed := range ids {
		text, err := json.Marshal(listed)
		if err != nil {
			return err
		}

		if err := m.write(filepath.Join(idsFolder, group+".json"), text); err != nil {
			return err
		}
	}
	return nil
}
