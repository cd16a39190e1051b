package mcts

import (
	"context"
	"fmt"
	"strings"

	"toolevo/envs"
)

// Policy is the language model: it proposes actions (equation 3). Implementations are safe for
// concurrent use.
type Policy interface {
	// Propose samples r.N completions. It may return fewer than N only when the server gives fewer.
	// An error is the server's or the network's, never the model's, and names its stage. A prompt
	// that does not fit the model's context window is not an error but one proposal with
	// FinishTooLong: asking again would not help, the node is a dead end. With an error may come
	// the first samples, which were drawn all the same, so that a log can keep them.
	Propose(ctx context.Context, r Request) ([]Proposal, error)
}

// Scripted is the kind of policies that are scripts and not language models: scripted:NAME.
const Scripted = "scripted"

// IsScripted reports whether the policy of a name is a script.
func IsScripted(name string) bool { return strings.HasPrefix(name, Scripted+":") }

// Request asks for samples at one node. History and the numbers are all a policy may decide on;
// Node is a name, for logs and caches.
type Request struct {
	Node    NodeID
	History envs.History
	First   int    // how many samples were drawn at this node before
	N       int    // how many samples to draw now, at least 1
	Seed    uint64 // of the first sample; sample i of this request has Seed+i
	Greedy  bool   // decode greedily (temperature 0); N is 1 then
}

// NodeID names a node across runs.
type NodeID struct {
	Question string // the task's ID
	Tree     int    // the tree's index, from 0
	Path     string // ordinals from the root, e.g. "0.1.0"; the root is "0"
}

// String returns "question/tree/path".
func (id NodeID) String() string { return fmt.Sprintf("%s/%d/%s", id.Question, id.Tree, id.Path) }

// Proposal is one completion.
type Proposal struct {
	Text    string  `json:"text"`    // without the stop marker
	LogProb float64 `json:"logprob"` // mean log-probability of its tokens, finite, at most 0; meaningful when Scored
	Scored  bool    `json:"scored"`  // whether the server gave log-probabilities
	Tokens  int     `json:"tokens"`  // completion tokens, 0 when unknown

	// Finish is why the completion is not what the model would have written: FinishLength,
	// FinishTooLong, or "".
	Finish string `json:"finish,omitempty"`

	// What a run that keeps token ids has of them, else "": those of the prompt as [PackIDs] writes
	// them, of which a log has the difference to the prompt before; and [TokenIDs.PackSampled].
	PromptIDs string `json:"-"`
	Sampled   string `json:"-"`
}

// The ends of a completion that a search or a reader must know of.
const (
	FinishLength  = "length"   // cut by the limit of a completion's length; the text is used as it is
	FinishTooLong = "too-long" // no completion: the prompt does not fit the model's context window
)
