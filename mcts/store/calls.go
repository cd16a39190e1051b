package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"toolevo/envs"
	"toolevo/mcts"
)

var (
	// ErrNotLogged is what a replaying policy returns for a call that the log does not hold.
	ErrNotLogged = errors.New("the call is not in the log")

	// ErrHistory means that a logged answer belongs to another history than the one at hand: the
	// program, its data or its tools now show the model something else.
	ErrHistory = errors.New("the log has an answer to something other than the model would see now")
)

// Policy returns the policy of one tree: it answers from the log what the log holds, asks next for
// the rest, and returns an answer only when it is committed. With next nil it only replays
// (ErrNotLogged). An answer to another history is refused (ErrHistory), and so is a row that is not
// as it was written (ErrDamaged).
//
// Text is made valid UTF-8 before it is logged, so that what is used now and what is read back
// later are the same bytes.
func (s *Store) Policy(ctx context.Context, question string, tree int, next mcts.Policy) (*Policy, error) {
	op := fmt.Sprintf("read calls of %s/%d", question, tree)
	p := &Policy{store: s, next: next, logged: map[callKey]logged{}}

	var c callRow

	err := eachRow(ctx, s.read, callsOfTree, []any{question, tree}, c.into(), func() (err error) {
		p.logged[c.callKey], err = c.read()
		return err
	})
	return p, fail(op, err)
}

// Policy is the policy of one tree; see Store.Policy. It is safe for concurrent use.
type Policy struct {
	store *Store
	next  mcts.Policy

	mu       sync.Mutex // guards what follows
	logged   map[callKey]logged
	asked    int
	replayed int
}

type callKey struct {
	path  string
	first int
}

// logged is a row of calls, without its key.
type logged struct {
	n         int
	seed      uint64
	history   uint64 // see envs.History.Hash
	proposals []byte // packed
}

// callsOfTree selects the calls of a tree of a question.
const callsOfTree = `SELECT path, first, n, seed, history, proposals, hash, name, tree
	FROM calls JOIN questions ON id = question WHERE name = ? AND tree = ?`

// callRow is a row of calls as SQLite has it.
type callRow struct {
	callKey
	question            string
	tree, n             int
	seed, history, hash int64
	proposals           []byte
}

// into are the columns of the row, in the order of the queries.
func (c *callRow) into() []any {
	return []any{&c.path, &c.first, &c.n, &c.seed, &c.history, &c.proposals, &c.hash, &c.question, &c.tree}
}

// read compares the hash of the row.
func (c *callRow) read() (logged, error) {
	l := logged{c.n, uint64(c.seed), uint64(c.history), c.proposals}
	if c.hash != l.hash(c.question, c.tree, c.callKey) {
		return l, damaged("the call at %s is not as it was written", c.path)
	}
	return l, nil
}

func (l *logged) hash(question string, tree int, k callKey) int64 {
	return hashOf("calls").text(question).number(uint64(tree)).text(k.path).number(uint64(k.first)).
		number(uint64(l.n)).number(l.seed).number(l.history).bytes(l.proposals).column()
}

// Counts returns how many calls went to the model and how many the log answered.
func (p *Policy) Counts() (asked, replayed int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked, p.replayed
}

// Propose implements mcts.Policy.
func (p *Policy) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	p.mu.Lock()

	l, first, ok := p.find(r.Node.Path, r.First)
	if ok {
		p.replayed++
	}
	p.mu.Unlock()

	// Without the lock: for samples that the log lacks adjust comes back here.
	if ok {
		proposals, err := p.store.answer(ctx, l, first, r)
		if err != nil {
			return nil, fail("replay "+r.Node.String(), err)
		}

		before := r.First - first // samples that were drawn here already
		return p.adjust(ctx, proposals[min(before, len(proposals)):], l.n-before, r)
	}

	if p.next == nil {
		return nil, fail("replay "+r.Node.String(), ErrNotLogged)
	}

	proposals, unanswered := p.next.Propose(ctx, r)
	if unanswered != nil && len(proposals) == 0 {
		return nil, unanswered
	}

	if unanswered != nil { // the rest is asked for when the call is made again
		r.N = len(proposals)
	}

	// What is logged comes back at every replay, so it has to be in order before: log-probabilities
	// that are numbers, and text that is the same bytes when it is read back.
	for i := range proposals {
		if math.IsNaN(proposals[i].LogProb) || math.IsInf(proposals[i].LogProb, 0) {
			return nil, envs.Fail(envs.StagePolicy, r.Node.String(),
				fmt.Errorf("log-probability %v of sample %d", proposals[i].LogProb, i))
		}

		proposals[i].Text = strings.ToValidUTF8(proposals[i].Text, "\uFFFD")
	}

	// An answer that was paid for is kept even when the user has just pressed Ctrl-C.
	ctx = context.WithoutCancel(ctx)

	kept, err := p.shorten(ctx, r.Node.Path, proposals)
	if err != nil {
		return nil, fail("log call "+r.Node.String(), err)
	}

	l, err = p.store.logCall(ctx, r, kept)
	if err != nil {
		return nil, err
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	p.asked++
	if hasIDs(kept) || unanswered != nil { // later prompts are kept as differences to this one
		p.logged[callKey{r.Node.Path, r.First}] = l
	}
	return proposals, unanswered
}

// find returns the logged call that has a sample drawn at a node, and the first sample of that
// call. The samples of one request may have been drawn in several here, or the other way round.
func (p *Policy) find(path string, sample int) (l logged, first int, ok bool) {
	for first = sample; first >= 0; first-- {
		if l, ok = p.logged[callKey{path, first}]; ok {
			return l, first, first+l.n > sample
		}
	}

	return logged{}, 0, false
}

// adjust makes what the log has, n samples, an answer to a request for more or for fewer. A regrown
// tree asks for another number if a tree before it failed then and is stored now: how much a
// question has found decides how many samples its trees draw. Samples have seeds of their own, so
// it does not matter how many are drawn at once.
func (p *Policy) adjust(ctx context.Context, logged []mcts.Proposal, n int, r mcts.Request) ([]mcts.Proposal, error) {
	if r.N <= n {
		return logged[:min(r.N, len(logged))], nil
	}

	rest := r
	rest.First, rest.N, rest.Seed = r.First+n, r.N-n, r.Seed+uint64(n)
	more, err := p.Propose(ctx, rest)
	return append(logged, more...), err
}

// answer returns what the log has for a node, from sample first on, if it is an answer to what the
// model would see there now.
func (s *Store) answer(ctx context.Context, l logged, first int, r mcts.Request) ([]mcts.Proposal, error) {
	if seed := r.Seed - uint64(r.First-first); l.seed != seed {
		return nil, fmt.Errorf("the log has samples from seed %d, the search asks for some from %d: "+
			"it belongs to another configuration", l.seed, seed)
	}

	if l.history != r.History.Hash() {
		return nil, fmt.Errorf("%w. Continue with the version, the data and the tools that the run was started with, "+
			"or collect into another folder", ErrHistory)
	}
	return s.proposals(ctx, l)
}

// proposals reads the answer of a logged call.
func (s *Store) proposals(ctx context.Context, l logged) ([]mcts.Proposal, error) {
	raw, err := s.unpack(ctx, l.proposals)
	if err != nil {
		return nil, err
	}

	proposals, _, err := readRows[mcts.Proposal](raw)
	if err != nil {
		return nil, damaged("%w", err)
	}
	return proposals, nil
}

// CompletionTokens returns how many tokens the logged completions of a tree have, 0 when their
// server reported none.
func (s *Store) CompletionTokens(ctx context.Context, question string, tree int) (n int, err error) {
	p, err := s.Policy(ctx, question, tree, nil)
	if err != nil {
		return 0, err
	}

	for _, l := range p.logged {
		proposals, err := s.proposals(ctx, l)
		if err != nil {
			return 0, fail(fmt.Sprintf("read calls of %s/%d", question, tree), err)
		}

		for _, proposal := range proposals {
			n += proposal.Tokens
		}
	}
	return n, nil
}

func (s *Store) logCall(ctx context.Context, r mcts.Request, proposals []mcts.Proposal) (logged, error) {
	l := logged{n: r.N, seed: r.Seed, history: r.History.Hash()}
	raw := appendRows(nil, proposals)

	insert, err := s.insertCall(ctx, r.Node, r.First, &l, raw)
	if err == nil {
		err = s.change(ctx, insert)
	}

	if err == nil {
		s.tell(Row{
			Question: r.Node.Question, Tree: r.Node.Tree, Path: r.Node.Path, First: r.First, N: l.n, Seed: l.seed,
			History: l.history, Value: string(raw),
		})
	}
	return l, fail("log call "+r.Node.String(), err)
}

// insertCall returns what writes a row of calls, and packs its proposals, which are raw.
func (s *Store) insertCall(ctx context.Context, id mcts.NodeID, first int, l *logged, raw []byte) (
	insert func(*sql.Tx) error, err error) {
	if l.proposals, err = s.pack(ctx, raw); err != nil {
		return nil, err
	}

	hash := l.hash(id.Question, id.Tree, callKey{id.Path, first})
	return func(tx *sql.Tx) error {
		return insertOf(tx, id.Question,
			`INSERT INTO calls SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM questions WHERE name = ?`,
			id.Tree, id.Path, first, l.n, int64(l.seed), int64(l.history), l.proposals, hash)
	}, nil
}

// insertOf inserts a row about a question, whose name is the last parameter of the statement. A
// question gets its number with its first row.
func insertOf(tx *sql.Tx, question, insert string, args ...any) error {
	args = append(args, question)

	result, err := tx.Exec(insert, args...)
	if err != nil {
		return err
	}

	if n, err := result.RowsAffected(); n > 0 || err != nil {
		return err
	}

	if _, err := tx.Exec(`INSERT INTO questions (name) VALUES (?)`, question); err != nil {
		return err
	}

	_, err = tx.Exec(insert, args...)
	return err
}

// CallCount returns how many model calls the log holds.
func (s *Store) CallCount(ctx context.Context) (int, error) { return s.count(ctx, "calls") }

// count returns how many rows a table has.
func (s *Store) count(ctx context.Context, table string) (n int, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT count(*) FROM `+table).Scan(&n)
	return n, fail("count "+table, err)
}
