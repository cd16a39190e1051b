package trajectories

import (
	"cmp"
	"slices"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/trajectories/internal/pq"
)

// SchemaVersion is the version of the columns of [Row]. It grows when a column is added, removed or
// changes its meaning.
const SchemaVersion = 6

// Row is one trajectory with its lineage; those in a file ended with the right answer. SCHEMA.md
// describes the columns.
type Row struct {
	SchemaVersion int

	RunID         string            // of this run alone
	RunHash       string            // shared by runs that grow the same trees from the same answers
	Labels        map[string]string // the question's, none of them empty; shared, so nobody may change them
	Split         string            // "train", "dev", "test" or "own"
	QuestionIndex int               // place in the split, from 0
	QuestionID    string
	Question      string
	Tools         string // of this question alone, see [envs.Task]
	Gold          string // lineage for people; in no export

	Preset      string
	Policy      string
	PromptAPI   string
	DeployedAPI string
	Seed        uint64 // the run's
	ConfigHash  string
	Software    string  // the version that wrote the row
	Makers      []Maker // what made parts of it

	Tree     int
	TreeSeed uint64
	Node     int    // ID of the leaf in its tree
	NodePath string // ordinals from the root, e.g. "0.1.0"
	Key      string // of the actions, see [Key]

	Turns    []Turn
	Answer   string
	Official bool
	Strict   bool
	Visits   int     // N of the leaf
	Value    float64 // Q of the leaf

	TurnCount    int // length of Turns
	Deprecations int // turns that met a deprecated API
	Recovered    int // those of them whose tool was called with success later on
	Updates      int // successful UpdateTool turns
	Errors       int // turns that met an invocation error (section 2.2) other than a deprecation
	Cuts         int // turns cut by the limit on a completion's length before their action was whole
}

// IsCorrect reports whether the trajectory ended with the right answer, by the matcher that gave
// its run the rewards.
func (r *Row) IsCorrect() bool {
	return len(r.Turns) > 0 && r.Turns[len(r.Turns)-1].Outcome == envs.Correct
}

// Task returns what the agent was asked.
func (r *Row) Task() envs.Task {
	return envs.Task{ID: r.QuestionID, Labels: r.Labels, Question: r.Question, Tools: r.Tools}
}

// Histories returns what a policy saw before each turn, and after the last. Every notice announces
// the deployed version, whether or not the environment of the run did.
func (r *Row) Histories() []envs.History {
	all := []envs.History{envs.NewHistory(r.Task())}

	for i := range r.Turns {
		t := &r.Turns[i]
		h := all[i].Append(envs.Turn{
			Action:      envs.Action(t.Action),
			Call:        envs.Call{Tool: t.Tool, Name: t.API},
			Observation: t.Observation,
			Outcome:     t.Outcome,
		})

		if text, ok := t.Description(); ok {
			h = h.Learn(text)
		}

		if t.Outcome == envs.Deprecated {
			h = h.Announce(r.DeployedAPI)
		}

		all = append(all, h)
	}
	return all
}

// Reward returns what the search learnt from the trajectory (equation 1): 1, or -1 for a wrong
// answer or a limit that the agent ran into. limit is what stopped it, or "". ok is false if its
// worth is unknown.
func (r *Row) Reward(limit mcts.Limit) (reward float64, ok bool) {
	switch {
	case r.IsCorrect():
		return 1, true
	case stopped(limit), len(r.Turns) > 0 && r.Turns[len(r.Turns)-1].Outcome.Ends():
		return -1, true
	}

	return 0, false
}

// MarshalJSON returns the row as an object whose keys are its columns.
func (r Row) MarshalJSON() ([]byte, error) {
	return pq.AppendJSON(nil, &r, rowColumns())
}

// Turn is one turn of a row.
type Turn struct {
	Action      string // the model's text
	Thought     string // its Thought, or ""
	Tool        string // the tool meant, by its name in the prompt version, or ""
	API         string // the API name as written
	Key         string // canonical form of the action
	Observation string
	Outcome     envs.Outcome
	Prior       float64
	Visits      int
	Value       float64 // Q(s,a); 0 when there were no visits
	Limit       string  // which limit truncated the node; "" otherwise
}

// Compare orders rows canonically: dataset, difficulty, split, place of the question, question, its
// other labels by name, run hash, tree, node. Rows that are still equal come from runs whose models
// answered differently; they are ordered by their turns, so that no order depends on the ID that a
// run happened to get.
func Compare(a, b *Row) int {
	if order := comparePlaces(a, b); order != 0 {
		return order
	}
	return cmp.Or(slices.CompareFunc(a.Turns, b.Turns, compareTurns), cmp.Compare(a.RunID, b.RunID))
}

// comparePlaces orders by question, its other labels, run hash, tree and node.
func comparePlaces(a, b *Row) int {
	return cmp.Or(
		CompareQuestions(a, b),
		slices.Compare(LabelPairs(a.Labels), LabelPairs(b.Labels)),
		cmp.Compare(a.RunHash, b.RunHash),
		cmp.Compare(a.Tree, b.Tree),
		cmp.Compare(a.Node, b.Node),
	)
}

func compareTurns(a, b Turn) int {
	return cmp.Or(cmp.Compare(a.Action, b.Action), cmp.Compare(a.Observation, b.Observation))
}

// CompareQuestions orders by question. The text counts, too: two runs may have different questions
// with one ID. Other labels do not: runs may differ in them, as in their feedback.
func CompareQuestions(a, b *Row) int {
	return cmp.Or(
		cmp.Compare(a.Labels[envs.LabelDataset], b.Labels[envs.LabelDataset]),
		cmp.Compare(a.Labels[envs.LabelDifficulty], b.Labels[envs.LabelDifficulty]),
		cmp.Compare(a.Split, b.Split),
		cmp.Compare(a.QuestionIndex, b.QuestionIndex),
		cmp.Compare(a.QuestionID, b.QuestionID),
		cmp.Compare(a.Question, b.Question),
	)
}
