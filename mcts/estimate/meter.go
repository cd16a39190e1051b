package estimate

import (
	"context"
	"sync"

	"toolevo/envs"
	"toolevo/mcts"
)

// Meter is a policy that measures what another is asked and answers. It is safe for concurrent use.
type Meter struct {
	Next   mcts.Policy
	Prompt func(envs.History) string // what a model would be shown
	Tokens func(text string) float64 // counts tokens, or estimates their number
	Single bool                      // a model would be sent the prompt for each sample

	mu   sync.Mutex
	used map[string]Usage // by question
}

// Propose implements mcts.Policy. The prompt of a request counts once, however many samples it asks
// for, unless each is a request of its own.
func (m *Meter) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	return m.measure(ctx, m.Next, r)
}

// Converse implements mcts.Converser.
func (m *Meter) Converse() (mcts.Policy, func()) {
	next, end := mcts.Converse(m.Next)
	return metered{m, next}, end
}

// metered is a conversation that a meter measures.
type metered struct {
	meter *Meter
	next  mcts.Policy
}

// Propose implements mcts.Policy.
func (c metered) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	return c.meter.measure(ctx, c.next, r)
}

// measure has a policy answer a request.
func (m *Meter) measure(ctx context.Context, next mcts.Policy, r mcts.Request) (
	[]mcts.Proposal, error) {
	proposals, err := next.Propose(ctx, r)
	if err != nil {
		return nil, err
	}

	prompt, completion := m.Tokens(m.Prompt(r.History)), 0.0

	// Each of those requests is paid for whole.
	if m.Single {
		prompt *= float64(len(proposals))
	}

	for _, p := range proposals {
		completion += m.tokensOf(p)
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	if m.used == nil {
		m.used = map[string]Usage{}
	}

	u := m.used[r.Node.Question]
	u.Calls++
	u.PromptTokens += prompt
	u.CompletionTokens += completion
	m.used[r.Node.Question] = u

	return proposals, nil
}

// tokensOf is the server's count where it has one.
func (m *Meter) tokensOf(p mcts.Proposal) float64 {
	if p.Tokens > 0 {
		return float64(p.Tokens)
	}
	return m.Tokens(p.Text)
}

// Used returns what some questions took, in their order.
func (m *Meter) Used(questions []string) []Usage {
	m.mu.Lock()
	defer m.mu.Unlock()

	all := make([]Usage, len(questions))
	for i, q := range questions {
		all[i] = m.used[q]
	}
	return all
}

// Spread returns n of some things, evenly from the first to the last, or all if there are no more.
// What is ordered by kind is represented by kind.
func Spread[T any](all []T, n int) []T {
	if n >= len(all) {
		return all
	}

	chosen := make([]T, n)
	for i := range chosen {
		chosen[i] = all[(2*i+1)*len(all)/(2*n)]
	}
	return chosen
}

// Calibrate scales the prompts of a sample to the tokens that the servers counted in all of them; 0
// is no count.
func Calibrate(sample []Usage, promptTokens int64) {
	counted := 0.0
	for _, u := range sample {
		counted += u.PromptTokens
	}

	if promptTokens <= 0 || counted == 0 {
		return
	}

	for i := range sample {
		sample[i].PromptTokens *= float64(promptTokens) / counted
	}
}
