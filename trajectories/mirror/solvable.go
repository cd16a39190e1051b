package mirror

import (
	"context"
	"errors"
	"slices"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
)

// Whether a query can be solved, in the words of StableToolBench's check_task_solvable.
const (
	Solvable   = "Solvable"
	Unsolvable = "Unsolvable"
	Unsure     = "Unsure"
	Lost       = "Lost" // the answer could not be read
)

// Vote is a model's answer about a query.
type Vote struct {
	By     string `json:"by"`     // the model
	Status string `json:"status"` // Solvable, Unsolvable, Unsure or Lost
	Reason string `json:"reason"` // the model's, or, of a lost vote, what was wrong with it
}

// Solvability is what became of a query.
type Solvability struct {
	Group  string `json:"group"`
	ID     int    `json:"query_id"`
	Query  string `json:"query"`
	Status string `json:"status"` // of most votes that could be read, else Unsure
	Votes  []Vote `json:"votes"`  // in the order of the models
}

// Counts counts the queries of a group by what became of them.
type Counts struct {
	Group      string `json:"group"`      // e.g. "G3_instruction"
	Queries    int    `json:"queries"`    // that were checked
	Solvable   int    `json:"solvable"`   // by most models, and kept
	Unsolvable int    `json:"unsolvable"` // by most models
	Unsure     int    `json:"unsure"`     // by most models, or no status leads
	Lost       int    `json:"lost"`       // no answer about them could be read
}

// CountSolvable counts by group, in the order in which the groups come.
func CountSolvable(all []Solvability) (counts []Counts) {
	for _, s := range all {
		i := slices.IndexFunc(counts, func(c Counts) bool { return c.Group == s.Group })
		if i < 0 {
			i, counts = len(counts), append(counts, Counts{Group: s.Group})
		}

		c := &counts[i]
		c.Queries++
		*map[string]*int{
			Solvable: &c.Solvable, Unsolvable: &c.Unsolvable, Unsure: &c.Unsure, Lost: &c.Lost,
		}[s.Status]++
	}

	return counts
}

// Judge is a model that says whether queries can be solved.
type Judge struct {
	*Model
	Name string // e.g. "openai:gpt-4o"
}

// CheckSolvable asks models whether each query can be solved with the APIs that it offers. The
// result is in the order of the queries.
func CheckSolvable(
	ctx context.Context, judges []Judge, c *toolbench.Collection,
) ([]Solvability, error) {
	all := make([]Solvability, len(c.Queries))

	for _, judge := range judges {
		votes, err := kept.All(ctx, len(c.Queries), judge.Workers, judge.Done,
			func(ctx context.Context, i int) (Vote, error) {
				return judge.vote(ctx, &c.Queries[i], c)
			})
		if err != nil {
			return nil, err
		}

		for i, v := range votes {
			all[i].Votes = append(all[i].Votes, v)
		}
	}

	for i, q := range c.Queries {
		all[i].Group, all[i].ID, all[i].Query = q.Group, q.ID, q.Text
		all[i].Status = majority(all[i].Votes)
	}
	return all, nil
}

// vote asks the model about a query.
func (j *Judge) vote(
	ctx context.Context, q *toolbench.Query, c *toolbench.Collection,
) (Vote, error) {
	var offered []*toolbench.Document

	for _, k := range q.APIs {
		if d, ok := c.Document(k); ok {
			offered = append(offered, d)
		}
	}

	task := pytext.JSON(envs.Object("query", q.Text, "available_tools", shownAPIs(offered)))

	said, err := ask(ctx, j.Model, solvablePrompt, task, 0, solvability)
	if said.refused != nil {
		said.read = Vote{Status: Lost, Reason: said.refused.Error()}
	}

	said.read.By = j.Name
	return said.read, err
}

// solvability reads a model's answer about a query, from an object or from the call of a function.
func solvability(text string) (v Vote, err error) {
	statuses := []string{Solvable, Unsolvable, Unsure}
	if v.Status, err = kept.Decision(text, "task_status", statuses...); err != nil {
		return v, err
	}

	if !slices.Contains(statuses, v.Status) {
		return v, errors.New("task_status is none of Solvable, Unsolvable and Unsure")
	}

	for _, member := range []string{"reason", "content"} {
		if object, err := kept.Object(text, member); err == nil {
			v.Reason, _ = object.Text(member)
		}
	}

	return v, nil
}

// majority returns the status of most votes that could be read.
func majority(votes []Vote) string {
	counts, status, best := map[string]int{}, Lost, 0

	for _, v := range votes {
		if v.Status != Lost {
			counts[v.Status]++
		}
	}

	for s, n := range counts {
		switch {
		case n > best:
			status, best = s, n
		case n == best: // a tie, unless a third status has more votes
			status = Unsure
		}
	}

	return status
}
