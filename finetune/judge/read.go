package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/envs/toolapi"
	"toolevo/envs/toolbench/answers"
	"toolevo/finetune"
	"toolevo/finetune/facts"
	"toolevo/trajectories"
)

// fileExtension is the extension of converted files and ID files.
const fileExtension = ".json"

// OfEpisode returns an episode of the suite toolbench as an answer. api is what reports call the
// version that it met.
func OfEpisode(e *trajectories.Episode, api string, deployed *toolapi.Version) (Answer, error) {
	// Brought into the form of published answers, so that one scorer judges both.
	as := answers.Episode{
		QuestionID: e.QuestionID, Question: e.Question, Tools: e.Tools,
		Policy: e.Policy, API: e.DeployedAPI,
	}
	for _, t := range e.Turns {
		as.Turns = append(as.Turns, answers.Turn{
			Action: t.Action, API: t.API, Key: t.Key,
			Observation: t.Observation, Outcome: t.Outcome,
		})
	}

	group, id, err := as.Query()
	if err != nil {
		return Answer{}, err
	}

	a := Answer{
		Key:   facts.Of(e, api, deployed).Key,
		Agent: finetune.Contender{Policy: e.Policy, API: api}, Group: group, ID: id,
		Exposure: e.Labels[envs.LabelDifficulty], Lost: e.Lost != "",
	}

	// What a lost episode did up to its failure says nothing about the agent.
	if a.Lost {
		return a, nil
	}

	a.Conduct, a.Right = ConductOf(e, deployed), e.Official
	a.Given, err = as.Answer()
	return a, err
}

// IDs are the queries of groups, by ID file.
type IDs map[string][]string

// ReadIDs reads the ID files of a folder, GROUP.json.
func ReadIDs(dir string) (IDs, error) {
	paths, err := jsonFiles(dir)
	if err != nil {
		return nil, err
	}

	all := IDs{}

	for _, path := range paths {
		text, err := disk.ReadJSON(path)
		if err != nil {
			return nil, err
		}

		var file map[string]any
		if err := json.Unmarshal(text, &file); err != nil {
			return nil, fmt.Errorf("%s is no ID file, an object of query IDs: %w", path, err)
		}

		all[groupOf(path)] = slices.SortedFunc(maps.Keys(file), byNumber)
	}
	return all, nil
}

// Converted is what was read of converted files.
type Converted struct {
	Answers []Answer
	Others  int     // answers to queries that the ID files do not list, which are left out
	Unread  []error // unreadable files and answers; those to queries that ID files list are lost
}

// ReadConverted reads a converted file, AGENT/GROUP.json, or all of a folder AGENT. If the
// group has an ID file, its queries are those that count: one without an answer is missing, and so
// are all where a folder has no file of the group. It is an error if a file that is named, or every
// file of a folder, cannot be read.
func ReadConverted(path string, ids IDs) (c Converted, err error) {
	paths, files, failed := []string{path}, 1, 0

	if info, err := os.Stat(path); err != nil {
		return c, err
	} else if info.IsDir() {
		if paths, err = jsonFiles(path); err != nil {
			return c, err
		}

		files = len(paths)

		// A group that was not answered at all counts, too, so it has a path.
		for group := range ids {
			paths = append(paths, filepath.Join(path, group+fileExtension))
		}

		slices.Sort(paths)
		paths = slices.Compact(paths)
	}

	for _, path := range paths {
		if err := c.add(path, ids); err != nil {
			failed++
			c.Unread = append(c.Unread, fmt.Errorf("%s: %w", path, err))
		}
	}

	if failed == files {
		return c, fmt.Errorf("%w: want converted files, as `toolevo toolbench convert` writes them",
			c.Unread[0])
	}
	return c, nil
}

// add adds the answers of a file. If it does not exist, the queries of its group have no answers,
// as far as they are listed.
func (c *Converted) add(path string, ids IDs) error {
	var given map[string]*answers.Answer
	var unread map[string]error

	text, failure := disk.ReadJSON(path)
	if failure == nil {
		given, unread, failure = answers.Decode(text)
	}

	group := groupOf(path)

	// The ID files say which queries are solvable; the others stay out, as in the published scores.
	queries, listed := ids[group]

	if listed && errors.Is(failure, fs.ErrNotExist) {
		failure = nil
	}

	for _, id := range slices.SortedFunc(maps.Keys(unread), byNumber) {
		// Without an ID file the file itself is the list of queries, so what cannot be read stays
		// in it: it is lost, not missing.
		given[id] = nil
		c.Unread = append(c.Unread, fmt.Errorf("%s: %w", path, unread[id]))
	}

	if !listed {
		queries = slices.SortedFunc(maps.Keys(given), byNumber)
	}

	// The folder names the agent, also where the path is only GROUP.json.
	whole, err := filepath.Abs(path)
	if err != nil {
		return err
	}

	agent := finetune.Contender{Policy: filepath.Base(filepath.Dir(whole))}

	for _, id := range queries {
		c.Answers = append(c.Answers, Answer{
			Agent: agent, Group: group, ID: id, Given: given[id],
			Lost: failure != nil || unread[id] != nil,
		})
		delete(given, id)
	}

	c.Others += len(given)
	return failure
}

// Input is the answers of an evaluation or of files.
type Input struct {
	Name    string // e.g. of its run directory
	Answers []Answer
}

// Join returns the answers of all inputs. An agent that occurs in several is called POLICY@NAME in
// all of them, as in comparisons of evaluations. Two answers of one agent to a query are an error.
func Join(inputs []Input) ([]Answer, error) {
	has := map[finetune.Contender]map[int]bool{}

	// An agent's name depends on all inputs, so they are read twice.
	for i, in := range inputs {
		for _, a := range in.Answers {
			if has[a.Agent] == nil {
				has[a.Agent] = map[int]bool{}
			}

			has[a.Agent][i] = true
		}
	}

	var all []Answer

	seen := map[string]bool{}

	for _, in := range inputs {
		for _, a := range in.Answers {
			if len(has[a.Agent]) > 1 {
				a.Agent.Policy += "@" + in.Name
			}

			// A query that counted twice would weigh double, in scores and in their intervals.
			if seen[a.String()] {
				return nil, fmt.Errorf("there are two answers of %s: name each once", &a)
			}

			seen[a.String()] = true

			all = append(all, a)
		}
	}
	return all, nil
}

// jsonFiles returns the JSON files of a folder, in the order of their names.
func jsonFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}

	var paths []string

	for _, e := range entries {
		if filepath.Ext(e.Name()) == fileExtension {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}

	if len(paths) == 0 {
		return nil, fmt.Errorf("%w: no GROUP%s in %s", fs.ErrNotExist, fileExtension, dir)
	}
	return paths, nil
}

// groupOf returns the group of a file.
func groupOf(path string) string { return strings.TrimSuffix(filepath.Base(path), fileExtension) }

// byNumber orders IDs of queries, which are numbers.
func byNumber(a, b string) int {
	m, errM := strconv.Atoi(a)
	n, errN := strconv.Atoi(b)

	if errM == nil && errN == nil && m != n {
		return m - n
	}
	return strings.Compare(a, b)
}
