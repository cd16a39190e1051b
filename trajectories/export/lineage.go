package export

import (
	"toolevo/envs"
	"toolevo/trajectories"
)

// Lineage is a line of a lineage file: where a sample comes from. It holds no text and no answer.
type Lineage struct {
	RunID        string            `json:"run_id"`
	Origin       string            `json:"origin,omitempty"` // what it was imported from
	Dataset      string            `json:"dataset"`
	Difficulty   string            `json:"difficulty"`
	Labels       map[string]string `json:"labels,omitempty"` // the question's other ones
	Split        string            `json:"split"`
	QuestionID   string            `json:"question_id"`
	Tree         int               `json:"tree"`
	Node         int               `json:"node"`
	NodePath     string            `json:"node_path"`
	Step         int               `json:"step,omitempty"`          // which action of the trajectory the sample is of, from 1
	RejectedPath string            `json:"rejected_path,omitempty"` // the other leaf of a pair
	RejectedTree *int              `json:"rejected_tree,omitempty"` // and its tree
	Count        int               `json:"count"`                   // how often the trees have the sample
	Key          string            `json:"key"`
	PromptAPI    string            `json:"prompt_api"`
	DeployedAPI  string            `json:"deployed_api"`
	Makers       string            `json:"makers,omitempty"` // what made parts of it, in words
	Turns        int               `json:"turns"`            // of the trajectory
	Deprecations int               `json:"deprecations"`
	Recovered    int               `json:"recovered"`
	Chars        int               `json:"chars"` // of the sample
	Tokens       int               `json:"tokens,omitempty"`
}

func lineageOf(c *candidate, origin string, chars, tokens int) Lineage {
	r := c.row

	l := Lineage{
		Origin:     origin,
		Dataset:    r.Labels[envs.LabelDataset],
		Difficulty: r.Labels[envs.LabelDifficulty],
		Step:       c.step,
		Count:      c.count,
		Makers:     trajectories.InWords(r.Makers),
		Turns:      r.TurnCount,
		Chars:      chars,
		Tokens:     tokens,
	}
	trajectories.Fill(&l, r)
	l.Labels = trajectories.OtherLabels(r.Labels)

	if c.rejected != nil {
		l.RejectedPath, l.RejectedTree = c.rejected.NodePath, &c.rejected.Tree
	}
	return l
}
