package envs

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// Turn is an action and the environment's answer to it.
type Turn struct {
	Action      Action
	Call        Call // what was understood of the action; the zero Call when it is Malformed
	Observation string
	Outcome     Outcome
	Maker       string // see Result; no agent sees it
	Calls       []Turn // of an action of several calls those that were played, else nil; see Played
}

// Played returns the calls of the turn that were played, in order and each with its own answer: the
// turn itself, unless its action has several. Call and Outcome of the turn are the last one's.
func (t Turn) Played() []Turn {
	if t.Calls != nil {
		return t.Calls
	}
	return []Turn{t}
}

// History is everything an agent may see: the task, the turns so far, the tool descriptions it has
// learned, and the API version announced to it. It is an immutable value; appending shares what
// came before, so a branch costs one link. The zero History has no task.
type History struct {
	task      *Task
	last      *link
	learned   *learnedTool
	announced string
	advised   bool
}

type link struct {
	prev *link
	n    int
	hash uint64 // of the turns up to this one
	turn Turn
}

type learnedTool struct {
	prev *learnedTool
	n    int
	hash uint64 // of the descriptions up to this one
	text string
}

// NewHistory returns the history of a task before its first turn.
func NewHistory(t Task) History { return History{task: &t} }

// Task returns the task.
func (h History) Task() Task {
	if h.task == nil {
		return Task{}
	}
	return *h.task
}

// Len returns the number of turns.
func (h History) Len() int {
	if h.last == nil {
		return 0
	}
	return h.last.n
}

// Last returns the latest turn, and whether there is one.
func (h History) Last() (Turn, bool) {
	if h.last == nil {
		return Turn{}, false
	}
	return h.last.turn, true
}

// Turns returns the turns, first to last, in a new slice.
func (h History) Turns() []Turn {
	turns := make([]Turn, h.Len())
	for l := h.last; l != nil; l = l.prev {
		turns[l.n-1] = l.turn
	}
	return turns
}

// Append returns the history with one more turn.
func (h History) Append(t Turn) History {
	hash := uint64(0)
	if h.last != nil {
		hash = h.last.hash
	}

	hash = xxh3.HashStringSeed(string(t.Action), hash)
	hash = xxh3.HashStringSeed(t.Observation, hash)

	h.last = &link{prev: h.last, n: h.Len() + 1, hash: hash + uint64(t.Outcome), turn: t}
	return h
}

// Remark returns the history with a remark to the agent at its end: below the last observation, or
// below the question before the first turn. It is for what a controller says rather than an
// environment; no state has such a history.
func (h History) Remark(text string) History {
	if h.last == nil {
		task := h.Task()
		task.Question += "\n\n" + text
		h.task = &task
		return h
	}

	last := h.last.turn
	last.Observation += "\n\n" + text
	h.last = h.last.prev
	return h.Append(last)
}

// Rewrite returns the history with each action rewritten, for prompts that do not show everything a
// model wrote. No state has such a history.
func (h History) Rewrite(rewrite func(Action) Action) History {
	turns := h.Turns()
	h.last = nil

	for _, t := range turns {
		t.Action = rewrite(t.Action)
		h = h.Append(t)
	}
	return h
}

// Advise returns the history of an agent that is also shown rules on how to handle tools that
// change. Like Remark, it is not for environments; no state has such a history.
func (h History) Advise() History {
	h.advised = true
	return h
}

// Advised reports whether the agent is shown those rules.
func (h History) Advised() bool { return h.advised }

// Hash returns a hash of everything an agent may be shown: the task's question and its dataset (no
// other label), the turns with their outcomes, the learned descriptions, and the version announced.
// Histories with equal hashes look the same to a policy; the hash is the same in every process. It
// does not walk through the turns.
func (h History) Hash() uint64 {
	task := h.Task()

	var turns, learned uint64
	if h.last != nil {
		turns = h.last.hash
	}

	if h.learned != nil {
		learned = h.learned.hash
	}

	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], turns)
	binary.LittleEndian.PutUint64(b[8:], learned)

	// What a history lacks adds nothing, so that the stored hashes of those without it stay valid.
	hash := xxh3.HashStringSeed(task.Question, xxh3.HashString(task.Labels[LabelDataset]))
	for _, text := range []string{task.Tools, h.announced} {
		if text != "" {
			hash = xxh3.HashStringSeed(text, hash)
		}
	}

	if h.advised {
		hash = xxh3.HashStringSeed("advised", hash)
	}
	return xxh3.HashSeed(b[:], hash)
}

// Learn returns the history with one more tool description: the tool-update module of section 3.3,
// P_c <- P_c + P_s. Only the histories made from the returned one know it.
func (h History) Learn(description string) History {
	n, hash := 1, uint64(0)
	if h.learned != nil {
		n, hash = h.learned.n+1, h.learned.hash
	}

	h.learned = &learnedTool{
		prev: h.learned,
		n:    n,
		hash: xxh3.HashStringSeed(description, hash),
		text: description,
	}
	return h
}

// Learned returns the tool descriptions learned so far, oldest first, in a new slice; nil when
// there are none.
func (h History) Learned() []string {
	if h.learned == nil {
		return nil
	}

	texts := make([]string, h.learned.n)
	for l := h.learned; l != nil; l = l.prev {
		texts[l.n-1] = l.text
	}
	return texts
}

// Announce returns the history of an agent that sees the tool list of an API version from here on,
// as a client does whose server says that its list has changed. It holds only the version's name:
// whoever shows the list has it.
func (h History) Announce(version string) History {
	h.announced = version
	return h
}

// Announced returns the name of the API version announced last, or "".
func (h History) Announced() string { return h.announced }
