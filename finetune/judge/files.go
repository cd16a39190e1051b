package judge

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench/answers"
	"toolevo/finetune"
)

// The folders of StableToolBench's result files.
const (
	PassRateFolder   = "pass_rate_results"
	PreferenceFolder = "preference_results"
)

// indent is that of the result files.
const indent = "    "

// published is a query in a pass-rate file.
type published struct {
	Query     string            `json:"query"`
	Functions []string          `json:"tool_names"`
	Steps     string            `json:"answer_steps"`
	Final     string            `json:"final_step"`
	Solved    map[string]string `json:"is_solved"` // by pass
}

// WriteFiles writes the judgements into a folder as StableToolBench's judges do, and returns the
// paths: for each agent and group the statuses, AGENT/GROUP_AGENT.json and .csv, and for each pair
// and group the votes. Queries without an answer are left out, and so are passes that could not be
// read.
func (d *Judged) WriteFiles(dir string) (paths []string, err error) {
	files, named := map[string][]byte{}, map[string]finetune.Contender{}

	for _, j := range d.Judgements {
		// Not every character of an agent's name may be in a file name, so two agents may share
		// one: the second would replace the first one's file.
		name := fileName(j.Agent)
		if other, ok := named[name]; ok && other != j.Agent {
			return nil, fmt.Errorf("judge: %s and %s have one file name, %s: judge them one by one",
				other, j.Agent, name)
		}

		named[name] = j.Agent
	}

	if err := d.passRates(files); err != nil {
		return nil, err
	}

	if err := d.preferences(files); err != nil {
		return nil, err
	}

	// All are made before one is written: an error above leaves the folder as it was.
	for _, path := range slices.Sorted(maps.Keys(files)) {
		at := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return nil, err
		}

		if err := disk.Write(at, files[path]); err != nil {
			return nil, err
		}

		paths = append(paths, at)
	}
	return paths, nil
}

// passRates adds the pass-rate files.
func (d *Judged) passRates(files map[string][]byte) error {
	type place struct{ agent, group string }

	queries, lines := map[place]map[string]published{}, map[place][][]string{}

	for _, j := range d.Judgements {
		// Only what was judged is listed, as in the published files.
		if j.Given == nil || j.Passes == nil {
			continue
		}

		p, err := j.published()
		if err != nil {
			return fmt.Errorf("judge: %s: %w", j, err)
		}

		at := place{fileName(j.Agent), j.Group}
		if queries[at] == nil {
			queries[at] = map[string]published{}
			lines[at] = [][]string{{
				"query", "available_tools", "model_intermediate_steps", "model_final_step", "model",
				"query_id", "is_solved",
			}}
		}

		// The JSON is by query, so a map does; the lines of the CSV keep the order of the
		// judgements.
		queries[at][j.ID] = p
		lines[at] = append(lines[at], []string{
			p.Query, pytext.Repr(envs.Listed(p.Functions)), p.Steps, p.Final, at.agent, j.ID,
			j.asPython(),
		})
	}

	for at, all := range queries {
		path := filepath.Join(PassRateFolder, at.agent, at.group+"_"+at.agent)

		var err error
		if files[path+".json"], err = answers.EncodeValue(all, indent); err != nil {
			return err
		}

		var b bytes.Buffer

		w := csv.NewWriter(&b)

		// The published files are called .csv, but are separated by tabs.
		w.Comma, w.UseCRLF = '\t', false

		if err := w.WriteAll(lines[at]); err != nil {
			return err
		}

		files[path+".csv"] = b.Bytes()
	}
	return nil
}

// published returns the judgement as it is in a pass-rate file.
func (j *Judgement) published() (p published, err error) {
	steps, final := j.Given.Steps()
	p = published{Query: j.Given.Query, Steps: strings.Join(steps, "\n"), Final: final,
		Solved: map[string]string{}}

	for pass, s := range j.Passes {
		if s != Lost {
			p.Solved[strconv.Itoa(pass)] = pythonStatus(s)
		}
	}

	p.Functions, err = j.Given.FunctionNames()
	return p, err
}

// asPython returns the statuses as Python prints a dictionary of them.
func (j *Judgement) asPython() string {
	var items []string

	for pass, s := range j.Passes {
		if s != Lost {
			items = append(items, fmt.Sprintf("%d: %s", pass, pytext.Repr(pythonStatus(s))))
		}
	}

	return "{" + strings.Join(items, ", ") + "}"
}

// enumeration is what Python prints before a status.
const enumeration = "AnswerStatus."

// pythonStatus returns a status as Python prints the published enumeration.
func pythonStatus(s Status) string { return enumeration + s.String() }

// preferences adds the preference files.
func (d *Judged) preferences(files map[string][]byte) error {
	queries := map[string]map[string]envs.Args{}

	for _, m := range d.Matches {
		reference, candidate := fileName(m.Reference.Agent), fileName(m.Candidate.Agent)
		path := filepath.Join(PreferenceFolder,
			m.Candidate.Group+"_"+reference+"_"+candidate+".json")

		if queries[path] == nil {
			queries[path] = map[string]envs.Args{}
		}

		first, second, _ := m.Votes()

		// A Python dictionary keeps its order, which a map would lose.
		votes := envs.Args{
			{Name: reference, Value: envs.Number(strconv.Itoa(first))},
			{Name: candidate, Value: envs.Number(strconv.Itoa(second))},
		}

		// The published files mark a round that was judged; one that could not be read has no mark.
		for round, p := range m.Rounds {
			if p != NoPreference {
				votes = append(votes, envs.Arg{Name: "round_" + strconv.Itoa(round),
					Value: "complete"})
			}
		}

		queries[path][m.Candidate.ID] = votes
	}

	for path, all := range queries {
		// Encoded one by one, because only pytext keeps the order of the votes.
		ordered := map[string]json.RawMessage{}
		for id, votes := range all {
			ordered[id] = pytext.AppendJSON(nil, votes)
		}

		var err error
		if files[path], err = answers.EncodeValue(ordered, indent); err != nil {
			return err
		}
	}

	return nil
}

// fileName names an agent in files.
func fileName(c finetune.Contender) string {
	if c.API == "" {
		return answers.FileName(c.Policy)
	}
	return answers.FileName(c.Policy + " " + c.API)
}
