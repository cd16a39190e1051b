package collect

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"toolevo/envs"
	"toolevo/mcts"
)

// maxShare bounds what sharing the budget may add to one question, as a multiple of Config.Trees: a question that twice
// its trees more did not answer is left alone.
const maxShare = 2

// Run collects until every question has its trees or enough trajectories. It returns ErrDrained or the context's error
// when it was stopped, an UnresolvedError when trees were given up, and any other error when it could not go on; what
// was done is stored in every case.
func Run(ctx context.Context, o Options) (Snapshot, error) {
	if err := o.validate(); err != nil {
		return Snapshot{}, err
	}
	if o.Progress == nil {
		o.Progress = &Progress{}
	}
	c := &collector{Options: o, states: make([]*state, len(o.Questions))}
	c.policy = counted{o.Retry.Policy(o.Policy), o.Progress}
	c.Env = o.Retry.Environment(o.Env)
	for i := range c.states {
		c.states[i] = &state{found: mcts.Found{}}
	}
	o.Progress.questions.Store(int64(len(o.Questions)))

	err := c.passes(ctx)
	if err == nil {
		err = c.unresolved()
	}
	return o.Progress.Snapshot(), err
}

type collector struct {
	Options
	policy mcts.Policy
	states []*state
	gate   gate

	mu       sync.Mutex // guards what follows, and every state
	failures []failure
}

// state is what is known of one question.
type state struct {
	found    mcts.Found
	trees    int // trees resolved
	pending  int // lanes of this pass that have not ended
	extended int // trees it was given beyond Config.Trees
	grown    int // trees that this process grew
}

type failure struct {
	question, tree int
	err            error
}

// lane is a sequence of trees of one question, grown in order.
type lane struct{ question, first, count int }

// passes runs the first pass and, where the budget is shared, further ones until nothing is left to give or to want.
func (c *collector) passes(ctx context.Context) error {
	for lanes := c.firstPass(); len(lanes) > 0; lanes = c.sharedPass() {
		if err := c.pass(ctx, lanes); err != nil {
			return err
		}
		if !c.Search.ShareBudget || len(c.failures) > 0 {
			return nil // what is over is only known when every tree is resolved
		}
	}
	return nil
}

func (c *collector) firstPass() []lane {
	var lanes []lane
	for q := range c.Questions {
		if c.Search.Enough > 0 {
			lanes = append(lanes, lane{q, 0, c.Search.Trees})
			continue
		}
		for t := range c.Search.Trees {
			lanes = append(lanes, lane{q, t, 1})
		}
	}
	return lanes
}

// sharedPass deals the trees left over to the questions that still want trajectories, evenly, in order. It depends on
// resolved trees alone, so it is the same whatever the workers did.
func (c *collector) sharedPass() []lane {
	budget := len(c.Questions) * c.Search.Trees
	var open []int
	for q, s := range c.states {
		budget -= s.trees
		if len(s.found) < c.Search.Enough && s.extended < maxShare*c.Search.Trees {
			open = append(open, q)
		}
	}
	if len(open) == 0 || budget < len(open) {
		return nil
	}
	share := min(budget/len(open), c.Search.Trees)
	lanes := make([]lane, 0, len(open))
	for _, q := range open {
		s := c.states[q]
		count := min(share, maxShare*c.Search.Trees-s.extended)
		lanes = append(lanes, lane{q, s.trees, count})
		s.extended += count
	}
	return lanes
}

func (c *collector) pass(ctx context.Context, lanes []lane) error {
	planned := 0
	for _, l := range lanes {
		planned += l.count
		c.states[l.question].pending++
	}
	c.Progress.treesPlanned.Add(int64(planned))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(c.Workers)
	for _, l := range lanes {
		if c.waitForRoom(groupCtx); c.draining() || groupCtx.Err() != nil {
			break
		}
		arrived := c.gate.start()
		group.Go(func() error {
			defer c.gate.end()
			defer arrived()
			return c.run(groupCtx, l, arriving{c.policy, arrived})
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.draining() && c.open() {
		return ErrDrained
	}
	return nil
}

func (c *collector) open() bool {
	return slices.ContainsFunc(c.states, func(s *state) bool { return s.pending > 0 })
}

func (c *collector) draining() bool {
	select {
	case <-c.Drain:
		return true
	default:
		return false
	}
}

// run grows a lane.
func (c *collector) run(ctx context.Context, l lane, policy mcts.Policy) error {
	for i := l.first; i < l.first+l.count; i++ {
		if c.enough(l.question) {
			c.skip(l.question, l.first+l.count-i)
			break
		}
		if c.draining() {
			return nil
		}
		if err := c.tree(ctx, l.question, i, policy); err != nil {
			return err
		}
		c.Progress.treesDone.Add(1)
	}
	c.ended(l.question)
	return nil
}

// skip counts trees that a question does not need any more.
func (c *collector) skip(q, trees int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.states[q].grown == 0 {
		c.Progress.treesBefore.Add(int64(trees))
	}
	c.Progress.treesDone.Add(int64(trees))
}

func (c *collector) enough(q int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Search.Enough > 0 && len(c.states[q].found) >= c.Search.Enough
}

func (c *collector) ended(q int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.states[q].pending--; c.states[q].pending == 0 {
		c.Progress.questionsDone.Store(int64(c.questionsDone()))
	}
}

func (c *collector) questionsDone() int {
	n := 0
	for _, s := range c.states {
		if s.pending == 0 {
			n++
		}
	}
	return n
}

// tree loads a stored tree or grows and stores it.
func (c *collector) tree(ctx context.Context, q, i int, policy mcts.Policy) error {
	question := c.Questions[q]
	record, ok, err := c.Store.LoadTree(ctx, question.Task.ID, i)
	if err != nil {
		return err
	}
	if ok {
		c.Progress.treesLoaded.Add(1)
		c.Progress.treesBefore.Add(1)
		c.resolved(q, record)
		return nil
	}
	var found mcts.Found // without Enough, trees do not depend on each other
	if c.Search.Enough > 0 {
		found = c.states[q].found
		// What an earlier run stored beyond a tree it gave up was grown without knowing that tree. It goes before the
		// tree is there: whenever this run is stopped in turn, no tree stays that is out of date.
		if err := c.Store.DropTrees(ctx, question.Task.ID, i); err != nil {
			return err
		}
	}
	record, err = c.grow(ctx, question, i, found, policy)
	if err != nil {
		return c.failed(ctx, q, i, err)
	}
	if err := c.Store.SaveTree(ctx, record); err != nil {
		return err
	}
	c.mu.Lock()
	c.states[q].grown++
	c.mu.Unlock()
	c.resolved(q, record)
	return nil
}

func (c *collector) grow(ctx context.Context, q Question, i int, found mcts.Found, model mcts.Policy) (*mcts.TreeRecord, error) {
	policy, err := c.Store.Policy(ctx, q.Task.ID, i, model)
	if err != nil {
		return nil, err
	}
	t, err := c.search(q, policy).Grow(ctx, q.Task, i, found)
	_, replayed := policy.Counts()
	c.Progress.replayed.Add(int64(replayed))
	if err != nil {
		return nil, err
	}
	return t.Record(), nil
}

func (c *collector) resolved(q int, t *mcts.TreeRecord) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.states[q]
	before := len(s.found)
	s.found.AddRecord(t)
	s.trees++
	c.Progress.accepted.Add(int64(len(s.found) - before))
	if before == 0 && len(s.found) > 0 {
		c.Progress.solved.Add(1)
	}
}

// failed notes a tree that was given up, and passes on what must end the run: the user's wish, and what no further try can
// help: a store that cannot be written, a key that is refused.
func (c *collector) failed(ctx context.Context, q, i int, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := envs.FailedStage(err); !ok || envs.IsFinal(err) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures = append(c.failures, failure{q, i, err})
	c.Progress.unresolved.Add(1)
	return nil
}

func (c *collector) unresolved() error {
	if len(c.failures) == 0 {
		return nil
	}
	slices.SortFunc(c.failures, func(a, b failure) int {
		return cmp.Or(cmp.Compare(a.question, b.question), cmp.Compare(a.tree, b.tree))
	})
	return &UnresolvedError{Trees: len(c.failures), First: c.failures[0].err}
}
