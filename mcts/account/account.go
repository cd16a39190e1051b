package account

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"toolevo/envs/disk"
	"toolevo/envs/display"
	"toolevo/mcts"
)

// File is the name of the file that keeps the passes of a folder's account.
const File = "account.json"

// Pass is what one process spent on a run, or on another folder. If the process was killed, it ends
// with the last second before.
type Pass struct {
	Software string    `json:"software"`
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended"`
	Usage
	Models   map[string]Usage `json:"models,omitempty"`            // of those above, by KIND:MODEL
	Prices   *Prices          `json:"prices,omitempty"`            // of models without their own; nil where not known
	Accepted int64            `json:"distinct_accepted,omitempty"` // trajectories, as many as there were at its end
}

// Total is what all passes took.
type Total struct {
	Usage
	Seconds float64 `json:"seconds"` // of all passes
}

// String is a line for people: the time, and what calls took, if there were any.
func (t Total) String() string {
	text := display.Duration(time.Duration(t.Seconds * float64(time.Second)))
	if t.Calls > 0 {
		text += ": " + t.Usage.String()
	}
	return text
}

// Sum adds passes up.
func Sum(passes []Pass) (t Total) {
	for _, p := range passes {
		t.add(p.Usage)
		t.Seconds += p.Ended.Sub(p.Started).Seconds()
	}
	return t
}

// Read returns the passes of a folder. It wraps fs.ErrNotExist if the folder has none.
func Read(dir string) (passes []Pass, err error) {
	text, err := disk.ReadFile(filepath.Join(dir, File))
	if err == nil {
		err = json.Unmarshal(text, &passes)
	}
	return passes, err
}

// Account counts what is spent. It is safe for concurrent use; in a nil Account nothing is noted.
type Account struct {
	parent *Account
	whole  bool // it knows all earlier passes; those of its children are among them

	model string // KIND:MODEL, where the account is of a single model

	mu      sync.Mutex // guards what follows
	earlier []Pass
	now     Pass
	prices  PriceList
	carried Total // of earlier passes of children
	stops   Stops
	reached *Limit // the first one; nil before that
	stop    func(*Limit)
}

// New returns the account of a command, whose pass begins now.
func New(software string) *Account {
	return &Account{now: Pass{Software: software, Started: time.Now()}}
}

// Open returns the account of a run that a command makes or continues. Without prices of its own it
// has those of a.
func (a *Account) Open(prices PriceList) *Account {
	if a == nil {
		a = New("")
	}

	child := New(a.now.Software)

	a.mu.Lock()
	defer a.mu.Unlock()

	if prices.isEmpty() {
		prices = a.prices
	}

	child.parent, child.prices, child.now.Prices = a, prices, prices.Others
	return child
}

// Of returns the account of a model, KIND:MODEL, within a.
func (a *Account) Of(model string) *Account {
	if a == nil {
		return nil
	}

	child := a.Open(PriceList{})
	child.model = model
	return child
}

// Price sets the prices, if there are any.
func (a *Account) Price(prices PriceList) {
	if a == nil {
		return
	}

	a.mu.Lock()
	defer a.mu.Unlock()

	if !prices.isEmpty() {
		a.prices, a.now.Prices = prices, prices.Others
	}
}

// Resume adds earlier passes. Calls that had no price are charged by the prices of now.
func (a *Account) Resume(passes []Pass) {
	if a == nil {
		return
	}

	a.mu.Lock()
	passes = slices.Clone(passes)

	for i := range passes {
		passes[i].charge(a.prices)
		a.now.Accepted = max(a.now.Accepted, passes[i].Accepted)
	}

	a.earlier, a.whole = passes, true
	before, accepted, parent := Sum(passes), a.now.Accepted, a.parent
	a.mu.Unlock()

	if parent != nil {
		parent.carry(before, accepted)
	}

	a.check()
}

// charge prices the calls of a pass that had no price, as far as one is known now.
func (p *Pass) charge(prices PriceList) {
	if p.Unpriced == 0 {
		return
	}

	if len(p.Models) == 0 { // nobody noted whose calls they are
		if prices.Others != nil {
			p.Prices = prices.Others
			p.price(p.Prices)
		}
		return
	}

	p.Models = maps.Clone(p.Models)
	p.Cost, p.Unpriced = 0, 0

	for model, u := range p.Models {
		// What was charged in part stays so until there are prices for all of it.
		if now := prices.Of(model); now != nil && u.Unpriced > 0 {
			u.price(now)
		}

		p.Models[model] = u
		p.Cost += u.Cost
		p.Unpriced += u.Unpriced
	}
}

func (a *Account) carry(before Total, accepted int64) {
	a.mu.Lock()
	if !a.whole {
		a.carried.add(before.Usage)
		a.carried.Seconds += before.Seconds
		a.now.Accepted += accepted
	}
	a.mu.Unlock()

	a.check()
}

// Add notes a reply of a server: one call and its tokens. If all are 0, the server reported none.
func (a *Account) Add(prompt, cached, completion int) {
	if a == nil {
		return
	}

	u := Usage{
		Calls: 1, PromptTokens: int64(prompt), CachedTokens: int64(cached), CompletionTokens: int64(completion),
	}
	if u.Tokens() == 0 {
		u.Untold = 1
	}

	a.Take(u)
}

// Take notes calls and their tokens, at the prices of this account.
func (a *Account) Take(u Usage) {
	if a == nil {
		return
	}

	a.mu.Lock()
	u.price(a.prices.Of(a.model))
	a.mu.Unlock()

	for model := a.model; a != nil; a = a.parent {
		a.mu.Lock()
		a.now.add(u)
		a.now.addModel(model, u)
		a.mu.Unlock()

		a.check()
	}
}

// addModel adds what a model took, where it is known which one.
func (p *Pass) addModel(model string, u Usage) {
	if model == "" {
		return
	}

	if p.Models == nil {
		p.Models = map[string]Usage{}
	}

	all := p.Models[model]
	all.add(u)
	p.Models[model] = all
}

// Accept notes how many trajectories of a run training takes.
func (a *Account) Accept(n int64) {
	if a == nil {
		return
	}

	a.mu.Lock()
	more := n - a.now.Accepted
	if more > 0 {
		a.now.Accepted = n
	}
	a.mu.Unlock()

	if a.check(); more > 0 && a.parent != nil {
		a.parent.Accept(a.parent.accepted() + more)
	}
}

func (a *Account) accepted() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now.Accepted
}

// Total is what this pass and those before took.
func (a *Account) Total() Total {
	t := Sum(a.Passes())
	if a == nil {
		return t
	}

	a.mu.Lock()
	defer a.mu.Unlock()

	t.add(a.carried.Usage)
	t.Seconds += a.carried.Seconds
	return t
}

// Passes are those before and this one, which ends now.
func (a *Account) Passes() []Pass {
	if a == nil {
		return nil
	}

	a.mu.Lock()
	defer a.mu.Unlock()

	now := a.now
	now.Ended, now.Models = time.Now(), maps.Clone(now.Models)
	return append(slices.Clip(a.earlier), now)
}

// Pass is what this process took.
func (a *Account) Pass() Pass {
	passes := a.Passes()
	return passes[len(passes)-1]
}

// Begin sets limits, and returns the context of the work that they bound: the first limit that is
// reached is passed to say and then ends it, as an interruption does. Call end when the work is
// over.
func (a *Account) Begin(ctx context.Context, s Stops, say func(error)) (work context.Context, end func(), err error) {
	last, err := s.end(time.Now())
	if err != nil {
		return ctx, nil, err
	}

	work, interrupt := mcts.Interruptible(ctx)

	a.mu.Lock()
	a.stops = s
	a.stop = func(l *Limit) {
		say(l)
		interrupt()
	}
	a.mu.Unlock()

	end = interrupt

	if last != nil {
		timer := time.AfterFunc(time.Until(last.at), func() { a.reach(&last.limit) })
		end = func() {
			timer.Stop()
			interrupt()
		}
	}

	return work, end, nil
}

// check stops the work where a limit is reached.
func (a *Account) check() {
	a.mu.Lock()

	all := a.carried.Usage
	for _, p := range a.earlier {
		all.add(p.Usage)
	}

	all.add(a.now.Usage)
	l := a.stops.reached(all, a.now.Usage, a.now.Accepted)
	a.mu.Unlock()

	if l != nil {
		a.reach(l)
	}
}

// reach stops the work, once.
func (a *Account) reach(l *Limit) {
	a.mu.Lock()
	stop := a.stop
	first := a.reached == nil && stop != nil

	if first {
		a.reached = l
	}
	a.mu.Unlock()

	if first {
		stop(l)
	}
}

// Reached returns the limit that has stopped the work, of this account or of one above it, or nil.
func (a *Account) Reached() *Limit {
	for ; a != nil; a = a.parent {
		a.mu.Lock()
		l := a.reached
		a.mu.Unlock()

		if l != nil {
			return l
		}
	}
	return nil
}

// Why says what interrupted the work: the limit, or "interrupted" if it was none.
func (a *Account) Why() string {
	if l := a.Reached(); l != nil {
		return l.Error()
	}
	return "interrupted"
}

// Ready rejects limits that this account cannot keep, before any call.
func (a *Account) Ready() error {
	a.mu.Lock()
	unknown := a.prices.isEmpty()
	a.mu.Unlock()

	for ; a != nil; a = a.parent {
		a.mu.Lock()
		cost := a.stops.Cost
		a.mu.Unlock()

		if cost > 0 && unknown {
			return &Limit{"max-cost", true, noPrices}
		}
	}
	return nil
}

// Counts reports whether a limit of tokens or of cost is set, for this account or for one above it.
func (a *Account) Counts() bool {
	for ; a != nil; a = a.parent {
		a.mu.Lock()
		counts := a.stops.Cost > 0 || a.stops.Tokens > 0
		a.mu.Unlock()

		if counts {
			return true
		}
	}
	return false
}
