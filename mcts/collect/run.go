package collect

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/store"
)

// Run collects until every question has its trees, or enough of them. It returns the context's
// error when it was stopped, an UnresolvedError when trees were given up, a CannotActError when the
// model writes no action, and any other error when it could not go on; what was done is stored in
// every case. Once ctx has ended no call to the model is begun; those that a server is answering
// end with ctx, or, where it was interrupted ([mcts.Interruptible]), with an answer, which is
// logged.
func Run(ctx context.Context, o Options) (Snapshot, error) {
	if err := o.validate(); err != nil {
		return Snapshot{}, err
	}

	if o.Progress == nil {
		o.Progress = &Progress{}
	}

	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}

	c := &collector{Options: o, states: make([]state, len(o.Questions))}
	if err := c.readGivenUp(ctx); err != nil {
		return Snapshot{}, err
	}

	// Outside of the retries: that the model cannot act is not a step to take again.
	c.Env = c.watchFirstTurns(o.Retry.Environment(o.Env))
	c.open = len(o.Questions)
	o.Progress.count(func(s *Snapshot) {
		s.Questions, s.TreesPlanned = int64(len(o.Questions)), int64(len(o.Questions)*o.Search.Trees)
	})

	err := c.grow(ctx)
	// Only a run that reached its end can tell these; otherwise its own error comes first.
	if err == nil {
		err = cmp.Or(c.cannotAct(), c.unresolved(ctx))
	}

	return o.Progress.Snapshot(), err
}

type collector struct {
	Options
	gate  Gate
	again map[string]bool // questions of which an earlier pass gave a tree up

	mu       sync.Mutex // guards what follows
	states   []state
	open     int // questions with lanes that have not ended
	failures []failure

	acts       bool          // an action was read from a first turn
	firstTurns int           // without an action, while none had one
	examples   []envs.Action // the first and the last of them
}

// state is what is known of a question while lanes of it are in progress.
type state struct {
	found *mcts.Found // of the trees resolved; nil before the first lane and after the last
	ended int         // lanes
	asked bool        // the model, by this process
}

type failure struct {
	question, tree int
	err            error
	givenUp        *store.GivenUp // nil where more than a request of the tree failed
}

// lane is a sequence of trees of one question, grown in order.
type lane struct {
	question, first, count int

	away *Grown // what came of it elsewhere; nil before it was sent there
}

// readGivenUp reads of which questions an earlier pass gave a tree up.
func (c *collector) readGivenUp(ctx context.Context) error {
	all, err := c.Store.GivenUp(ctx)

	c.again = map[string]bool{}
	for _, g := range all {
		c.again[g.Question] = true
	}
	return err
}

// lanes yields the lanes in the order of the questions; those of which an earlier pass gave a tree
// up come last.
func (c *collector) lanes(yield func(lane) bool) {
	count := c.laneLength()

	for _, again := range []bool{false, true} {
		for q := range c.Questions {
			if c.again[c.Questions[q].Task.ID] != again {
				continue
			}

			first, trees := c.span(q)
			for t := first; t < first+trees; t += count {
				if !yield(lane{question: q, first: t, count: count}) {
					return
				}
			}
		}
	}
}

// span returns which trees of a question are wanted.
func (c *collector) span(q int) (first, count int) {
	if question := c.Questions[q]; question.Count > 0 {
		return question.First, question.Count
	}
	return 0, c.Search.Trees
}

// laneLength is how many trees form a lane: all of a question where they depend on each other, and
// otherwise one. Elsewhere gets several at once, which share the beginning of their prompts.
func (c *collector) laneLength() int {
	switch {
	case c.Search.InTurn():
		return c.Search.Trees
	case c.Elsewhere == nil:
		return 1
	}

	length := min(c.Search.Trees, mostElsewhere)
	for c.Search.Trees%length > 0 { // all lanes of a question have as many trees
		length--
	}
	return length
}

// mostElsewhere is how many trees that do not depend on each other go elsewhere together, at most:
// a question of many trees is for several machines.
const mostElsewhere = 8

// grow grows every lane.
func (c *collector) grow(ctx context.Context) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(c.Workers)

	var room func() int
	if c.Room != nil {
		room = func() int { return c.Room(c.Search.Samples) }
	}

	for l := range c.lanes {
		if c.gate.Wait(groupCtx, room); groupCtx.Err() != nil {
			break
		}

		// Here, not in the goroutine: conversations are served in the order in which they began,
		// which is then that of the lanes.
		arrived := c.gate.Start()
		model, endConversation := mcts.Converse(c.Policy)
		policy := lanePolicy{c.Retry.Policy(model), arrived, c.Progress}

		group.Go(func() error {
			defer c.gate.End()
			defer arrived()
			defer endConversation()

			// The policy has to know: a second failure here says nothing about the server.
			if c.again[c.Questions[l.question].Task.ID] {
				return c.run(mcts.Again(groupCtx), l, policy)
			}
			return c.run(groupCtx, l, policy)
		})
	}

	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err() // no lane fails if ctx ended before the next one began
}

// run grows a lane.
func (c *collector) run(ctx context.Context, l lane, policy mcts.Policy) error {
	found := c.begin(l.question)

	for i := l.first; i < l.first+l.count; i++ {
		if c.done(found) {
			skipped := l.first + l.count - i
			c.Progress.count(func(s *Snapshot) { s.TreesDone += int64(skipped) })

			break
		}

		if err := ctx.Err(); err != nil {
			return err
		}

		if err := c.tree(ctx, &l, i, found, policy); err != nil {
			return err
		}

		c.Progress.count(func(s *Snapshot) { s.TreesDone++ })
	}

	c.ended(l.question)
	return nil
}

// begin returns what was found so far for the question of a lane that begins.
func (c *collector) begin(q int) *mcts.Found {
	c.mu.Lock()
	defer c.mu.Unlock()

	s := &c.states[q]
	if s.found == nil {
		s.found = mcts.NewFound(c.Questions[q].Task, c.Accept)
	}
	return s.found
}

func (c *collector) done(found *mcts.Found) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return found.Done(c.Search)
}

// ended notes that a lane has ended. After the last of a question nothing of it is kept, so memory
// does not grow with the number of questions.
func (c *collector) ended(q int) {
	c.mu.Lock()
	defer c.mu.Unlock()

	s := &c.states[q]
	if _, trees := c.span(q); s.ended+1 < trees/c.laneLength() {
		s.ended++
		return
	}

	s.found = nil
	c.open--
	c.Progress.count(func(now *Snapshot) {
		now.QuestionsDone = int64(len(c.Questions) - c.open)
		if !s.asked {
			now.QuestionsReplayed++
		}
	})
}

// load loads a stored tree. Where another process grows trees, the first one of a lane that is
// missing has it grow the lane; a tree that is missing then is given up.
func (c *collector) load(ctx context.Context, l *lane, i int) (record *mcts.TreeRecord, ok bool, err error) {
	question := c.Questions[l.question].Task.ID

	record, ok, err = c.Store.LoadTree(ctx, question, i)
	if ok || err != nil || c.Elsewhere == nil {
		return record, ok, err
	}

	if l.away == nil {
		if err := c.dropAfter(ctx, question, i); err != nil {
			return nil, false, err
		}

		// Counted as they come: the process that ends a lane need not be the one that began it.
		grown, err := c.Elsewhere(ctx, question, l.first, l.count, func(calls, samples int) {
			c.noteAsked(l.question, calls > 0)
			c.Progress.count(func(s *Snapshot) {
				s.Asked += int64(calls)
				s.Samples += int64(samples)
			})
		})
		if err != nil {
			return nil, false, err
		}

		l.away = &grown
		c.Progress.count(func(s *Snapshot) { s.Replayed += int64(grown.Replayed) })
	}

	return c.Store.LoadTree(ctx, question, i)
}

// dropAfter removes what an earlier run stored beyond a tree that it gave up, and that was grown
// without knowing that tree. It goes before this tree is stored: wherever this run is stopped in
// turn, no outdated tree stays.
func (c *collector) dropAfter(ctx context.Context, question string, i int) error {
	if !c.Search.InTurn() {
		return nil
	}
	return c.Store.DropTrees(ctx, question, i)
}

// tree loads a stored tree or grows and stores it.
func (c *collector) tree(ctx context.Context, l *lane, i int, found *mcts.Found, policy mcts.Policy) error {
	q := l.question
	question := c.Questions[q]

	record, ok, err := c.load(ctx, l, i)
	if err != nil {
		return err
	}

	switch {
	case ok && l.away == nil:
		c.Progress.count(func(s *Snapshot) { s.TreesLoaded++ })
		fallthrough
	case ok:
		c.resolved(found, record)
		return c.readFirstTurns(l, record)
	case l.away != nil:
		return c.failed(ctx, q, i, cmp.Or(l.away.Missing[i], errNotGrown))
	}

	if err := c.dropAfter(ctx, question.Task.ID, i); err != nil {
		return err
	}

	// A failure may be this tree's alone, and then its siblings continue.
	record, err = c.growTree(ctx, q, i, found, policy)
	if err != nil {
		return c.failed(ctx, q, i, err)
	}

	if err := c.Store.SaveTree(ctx, record); err != nil {
		return err
	}

	c.Log.Debug("tree grown", "question", question.Task.ID, "tree", i, "nodes", len(record.Nodes),
		"calls", record.Calls, "correct", record.Correct())

	c.resolved(found, record)
	return nil
}

// errNotGrown is why a tree is missing of which the process that was to grow it says nothing.
var errNotGrown = envs.Fail(envs.StagePolicy, "grow elsewhere", errors.New("no tree came back, and no reason"))

func (c *collector) growTree(ctx context.Context, q, i int, found *mcts.Found,
	model mcts.Policy) (*mcts.TreeRecord, error) {
	question := c.Questions[q]

	policy, err := c.Store.Policy(ctx, question.Task.ID, i, model)
	if err != nil {
		return nil, err
	}

	t, err := c.search(question, policy).Grow(ctx, question.Task, i, c.known(found))
	asked, replayed := policy.Counts()
	c.noteAsked(q, asked > 0 || err != nil)
	c.Progress.count(func(s *Snapshot) { s.Replayed += int64(replayed) })

	if err != nil {
		return nil, err
	}
	return t.Record(), nil
}

// noteAsked notes whether a tree of a question took the model's time: one that the log answers does
// not, one that failed did.
func (c *collector) noteAsked(q int, asked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.states[q].asked = c.states[q].asked || asked
}

// resolved counts a tree that is stored.
func (c *collector) resolved(found *mcts.Found, t *mcts.TreeRecord) {
	c.mu.Lock()
	defer c.mu.Unlock()

	before := found.Len()
	found.Add(t)

	// A loaded tree took no step here, so its first turns have not been seen by firstTurn.
	acts := func(n mcts.Record) bool { return n.Depth == 1 && !n.Unreadable() }
	c.acts = c.acts || slices.ContainsFunc(t.Nodes, acts)

	accepted := int64(0)

	c.Progress.count(func(s *Snapshot) {
		s.Trees++
		s.Correct += int64(t.Correct())
		s.Turns += int64(len(t.Nodes) - 1)
		s.Unreadable += int64(t.Unreadable())
		s.Accepted += int64(found.Len() - before)

		if before == 0 && found.Len() > 0 {
			s.Solved++
		}

		accepted = s.Accepted
	})

	// Still under the lock, so that Accepted is never told a count below the one before.
	if c.Accepted != nil && found.Len() > before {
		c.Accepted(accepted)
	}
}

// failed notes a tree that was given up, and returns what must end the run: an interruption, and
// what no retry can mend, such as a store that cannot be written or a key that is refused.
func (c *collector) failed(ctx context.Context, q, i int, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}

	if _, ok := envs.FailedStage(err); !ok || envs.IsFinal(err) {
		return err
	}

	c.Log.Warn("tree given up", "question", c.Questions[q].Task.ID, "tree", i, "because", err)

	f := failure{question: q, tree: i, err: err}

	if reason, ok := envs.GivenUp(err); ok {
		// Noted at once: a run that is killed before its end has given the tree up, too.
		f.givenUp = &store.GivenUp{Question: c.Questions[q].Task.ID, Tree: i, Reason: reason}
		if err := c.Store.NoteGivenUp(ctx, *f.givenUp); err != nil {
			return err
		}
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	c.failures = append(c.failures, f)
	c.Progress.count(func(s *Snapshot) { s.Unresolved++ })
	return nil
}

// unresolved forgets what was given up before and is no longer wanted, and returns the error of a
// run that lacks trees.
func (c *collector) unresolved(ctx context.Context) error {
	slices.SortFunc(c.failures, func(a, b failure) int {
		return cmp.Or(cmp.Compare(a.question, b.question), cmp.Compare(a.tree, b.tree))
	})

	e := &UnresolvedError{Trees: len(c.failures)}
	if len(c.Questions) == 1 {
		e.Missing = map[int]error{}
	}

	for _, f := range c.failures {
		if e.Missing != nil {
			e.Missing[f.tree] = f.err
		}

		if f.givenUp != nil {
			e.GivenUp = append(e.GivenUp, *f.givenUp)
		}
	}

	if err := c.Store.KeepGivenUp(ctx, e.GivenUp); err != nil || e.Trees == 0 {
		return err
	}

	e.First = c.failures[0].err
	return e
}
