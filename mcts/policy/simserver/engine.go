package simserver

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// errFull is the error of a request that finds the queue full.
var errFull = errors.New("the queue is full")

// sequence is one completion for the engine to spend time on.
type sequence struct {
	prompt     *input
	completion []uint32  // its tokens
	placement            // what its request says about slots, if they keep prompts
	parent     *sequence // the sequence whose prompt it copies, if slots keep prompts; nil reads its own

	unread          int           // tokens of the prompt that it reads once it runs
	prefill, decode time.Duration // what it spends on either once it runs

	batch *batch
	slot  int  // -1 while it waits
	tried bool // it did not find the slots it needs, if slots keep prompts
	since time.Time
	timer *time.Timer
	ended bool
}

// batch are the sequences of one request.
type batch struct {
	sequences []*sequence
	left      int
	done      chan struct{} // closed when none is left
}

func (s *sequence) size() int { return s.prompt.tokens.len() + len(s.completion) }

// engine decides when sequences run, and keeps the figures. What is written was decided before.
type engine struct {
	o *Options

	mu      sync.Mutex
	free    []int // slots, the next one to use last
	waiting []*sequence
	running map[*sequence]struct{}
	kv      int // tokens of the running sequences
	paused  bool
	cache   *prefixCache
	prompts *slotPrompts // nil for a server with a prefix cache
	figures Stats        // without those of this moment
}

func newEngine(o *Options) *engine {
	e := &engine{o: o, running: map[*sequence]struct{}{}, cache: newPrefixCache(o.CacheBlock, o.CacheBlocks)}
	if o.PromptPerSlot {
		e.prompts = newSlotPrompts(o)
	}

	for slot := o.Slots - 1; slot >= 0; slot-- {
		e.free = append(e.free, slot)
	}

	e.figures.Busy = make([]time.Duration, o.Slots)
	e.figures.Faults = map[Fault]int{}
	return e
}

// run spends the time that the sequences of one request take. It returns when the last has ended,
// or with the context's error when that ends first; then the sequences leave their slots and the
// queue.
func (e *engine) run(ctx context.Context, sequences []*sequence) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	b := &batch{sequences: sequences, left: len(sequences), done: make(chan struct{})}
	if err := e.admit(b); err != nil {
		return err
	}

	select {
	case <-b.done:
		return nil
	case <-ctx.Done():
		e.abort(b)
		return ctx.Err()
	}
}

func (e *engine) admit(b *batch) error {
	e.mu.Lock()
	defer e.mu.Unlock()

	if e.o.MaxWaiting > 0 && len(e.waiting)+len(b.sequences)-len(e.free) > e.o.MaxWaiting {
		e.figures.Rejected++
		return errFull
	}

	for _, s := range b.sequences {
		s.batch, s.slot = b, -1
	}

	e.waiting = append(e.waiting, b.sequences...)
	e.figures.Sequences += len(b.sequences)
	e.dispatch()
	return nil
}

// dispatch starts what is waiting while there are slots and memory. What is too large for the
// memory runs alone.
func (e *engine) dispatch() {
	if e.prompts != nil {
		e.dispatchTasks()
		return
	}

	for len(e.waiting) > 0 && len(e.free) > 0 && !e.paused {
		s := e.waiting[0]
		if e.o.KVTokens > 0 && e.kv > 0 && e.kv+s.size() > e.o.KVTokens {
			break
		}

		e.waiting = e.waiting[1:]
		s.slot = e.free[len(e.free)-1]
		e.lookUp(s)
		e.start(s)
	}

	e.figures.MaxWaiting = max(e.figures.MaxWaiting, len(e.waiting))
}

// start runs a sequence in its slot.
func (e *engine) start(s *sequence) {
	s.since = time.Now()
	e.free = slices.DeleteFunc(e.free, func(slot int) bool { return slot == s.slot })
	e.running[s] = struct{}{}
	e.kv += s.size()
	e.figures.MaxRunning = max(e.figures.MaxRunning, len(e.running))

	reading := s.unread
	if s.parent != nil {
		reading = s.parent.unread // it waits until that has been read
	}

	prefill, decode := e.o.Latency.times(reading, len(s.completion), len(e.running))

	s.prefill, s.decode = e.o.scaled(prefill), e.o.scaled(decode)
	if d := s.prefill + s.decode; d > 0 {
		s.timer = time.AfterFunc(d, func() { e.timeUp(s) })
	} else {
		e.finish(s)
	}
}

// lookUp finds out how many tokens of the sequence's prompt must be read, and counts them.
func (e *engine) lookUp(s *sequence) {
	p := s.prompt
	n := p.tokens.len()

	cached := e.cached(s)
	s.unread = n - cached

	e.figures.PromptTokens += n
	e.figures.PromptTokensRead += s.unread
	if !e.o.wrong(NoPrefixCache) {
		e.figures.QueriedTokens += n
		e.figures.HitTokens += cached
	}

	e.figures.PromptChars += p.first(len(p.text))
	if cached > 0 {
		e.figures.CachedChars += p.first(p.tokens.ends[cached-1])
		p.cached += p.first(cached)
	}

	p.seen = true
}

// cached returns how many tokens of the sequence's prompt were read before. A prefix cache
// remembers the prompt from now on. The last token of a prompt is always read.
func (e *engine) cached(s *sequence) int {
	p := s.prompt
	n := p.tokens.len()

	switch {
	case s.parent != nil:
		return n
	case e.o.wrong(NoPrefixCache) || s.afresh:
		return 0
	case e.prompts != nil:
		return min(e.prompts.common(s.slot, p.tokens.ids), max(0, n-1))
	}

	if p.chain == nil {
		p.chain = e.cache.chain(p.tokens.ids)
	}

	blocks := min(e.cache.match(p.chain), max(0, n-1)/e.o.CacheBlock)
	e.cache.add(p.chain)
	return blocks * e.o.CacheBlock
}

// times returns how long a sequence takes to read its prompt, and to write.
func (l Latency) times(prompt, completion, running int) (prefill, decode time.Duration) {
	decode = l.PerCompletion
	if l.PrefillPerSecond > 0 {
		prefill = time.Duration(float64(prompt) / l.PrefillPerSecond * float64(time.Second))
	}

	if l.DecodePerSecond > 0 {
		decode += time.Duration(float64(completion) / l.DecodePerSecond *
			(1 + l.Crowding*float64(running-1)) * float64(time.Second))
	}
	return prefill, decode
}

func (e *engine) timeUp(s *sequence) {
	e.mu.Lock()
	defer e.mu.Unlock()

	if !s.ended {
		e.finish(s)
		e.dispatch()
	}
}

// finish ends a sequence that has run to its end.
func (e *engine) finish(s *sequence) {
	e.leave(s)

	e.figures.Completed++
	e.figures.CompletionTokens += len(s.completion)

	if e.prompts == nil && !e.o.wrong(NoPrefixCache) {
		e.cache.add(e.cache.chain(slices.Concat(s.prompt.tokens.ids, s.completion)))
	}

	if s.batch.left--; s.batch.left == 0 {
		close(s.batch.done)
	}
}

// leave gives the slot of a running sequence back.
func (e *engine) leave(s *sequence) {
	s.ended = true
	e.figures.Last = time.Now()
	e.figures.Busy[s.slot] += e.figures.Last.Sub(s.since)
	e.free = append(e.free, s.slot)
	if e.prompts != nil {
		e.prompts.release(s, e.figures.Last)
	}

	e.kv -= s.size()
	delete(e.running, s)
}

func (e *engine) abort(b *batch) {
	e.mu.Lock()
	defer e.mu.Unlock()

	for _, s := range b.sequences {
		if s.ended {
			continue
		}
		e.figures.Aborted++

		if s.slot < 0 {
			s.ended = true
			continue
		}

		if s.timer != nil {
			s.timer.Stop()
		}

		e.leave(s)
	}

	e.waiting = slices.DeleteFunc(e.waiting, func(s *sequence) bool { return s.batch == b })
	e.dispatch()
}

// pause keeps waiting sequences from starting until it is called with false.
func (e *engine) pause(paused bool) {
	e.mu.Lock()
	defer e.mu.Unlock()

	e.paused = paused
	if e.prompts != nil && !paused {
		e.retryTasks()
	}

	e.dispatch()
}
