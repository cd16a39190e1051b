package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"toolevo/envs"
	"toolevo/mcts"
)

// ErrNotLogged is what a replaying policy answers for a call that the log does not hold.
var ErrNotLogged = errors.New("the call is not in the log")

// Policy returns the policy of one tree: it answers from the log what the log holds, asks next for the rest, and
// returns an answer only when it is committed. With next nil it replays and never asks anybody (ErrNotLogged).
//
// Text is made valid UTF-8 before it is logged, so that what is used now and what is read back later are the same bytes.
func (s *Store) Policy(ctx context.Context, question string, tree int, next mcts.Policy) (*Policy, error) {
	p := &Policy{store: s, next: next, logged: map[callKey]logged{}}
	rows, err := s.read.QueryContext(ctx,
		`SELECT path, first, n, seed, proposals FROM calls WHERE question = ? AND tree = ?`, question, tree)
	if err != nil {
		return nil, envs.Fail(envs.StageStore, fmt.Sprintf("read calls of %s/%d", question, tree), err)
	}
	defer rows.Close()
	for rows.Next() {
		var k callKey
		var l logged
		var seed int64
		if err := rows.Scan(&k.path, &k.first, &l.n, &seed, &l.proposals); err != nil {
			return nil, envs.Fail(envs.StageStore, fmt.Sprintf("read calls of %s/%d", question, tree), err)
		}
		l.seed = uint64(seed)
		p.logged[k] = l
	}
	return p, envs.Fail(envs.StageStore, fmt.Sprintf("read calls of %s/%d", question, tree), rows.Err())
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

type logged struct {
	n         int
	seed      uint64
	proposals []byte
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
	l, ok := p.logged[callKey{r.Node.Path, r.First}]
	if ok {
		p.replayed++
	}
	p.mu.Unlock()
	if ok {
		return l.answer(r)
	}
	if p.next == nil {
		return nil, envs.Fail(envs.StageStore, "replay "+r.Node.String(), ErrNotLogged)
	}
	proposals, err := p.next.Propose(ctx, r)
	if err != nil {
		return nil, err
	}
	for i := range proposals {
		if math.IsNaN(proposals[i].LogProb) || math.IsInf(proposals[i].LogProb, 0) {
			return nil, envs.Fail(envs.StagePolicy, r.Node.String(), fmt.Errorf("log-probability %v of sample %d", proposals[i].LogProb, i))
		}
		proposals[i].Text = strings.ToValidUTF8(proposals[i].Text, "\uFFFD")
	}
	if err := p.store.logCall(ctx, r, proposals); err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.asked++
	p.mu.Unlock()
	return proposals, nil
}

func (l logged) answer(r mcts.Request) ([]mcts.Proposal, error) {
	if l.n != r.N || l.seed != r.Seed {
		return nil, envs.Fail(envs.StageStore, "replay "+r.Node.String(), fmt.Errorf(
			"the log has %d samples from seed %d, the search asks for %d from %d: it belongs to another configuration",
			l.n, l.seed, r.N, r.Seed))
	}
	var proposals []mcts.Proposal
	if err := json.Unmarshal(l.proposals, &proposals); err != nil {
		return nil, envs.Fail(envs.StageStore, "replay "+r.Node.String(), err)
	}
	return proposals, nil
}

func (s *Store) logCall(ctx context.Context, r mcts.Request, proposals []mcts.Proposal) error {
	text, err := json.Marshal(proposals)
	if err == nil {
		// An answer that was paid for is kept even when the user has just pressed Ctrl-C.
		err = s.write(context.WithoutCancel(ctx), func(tx *sql.Tx) error {
			_, err := tx.Exec(`INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?)`,
				r.Node.Question, r.Node.Tree, r.Node.Path, r.First, r.N, int64(r.Seed), text)
			return err
		})
	}
	return envs.Fail(envs.StageStore, "log call "+r.Node.String(), err)
}

// CallCount returns how many model calls the log holds.
func (s *Store) CallCount(ctx context.Context) (int, error) {
	var n int
	err := s.read.QueryRowContext(ctx, `SELECT count(*) FROM calls`).Scan(&n)
	return n, envs.Fail(envs.StageStore, "count calls", err)
}
