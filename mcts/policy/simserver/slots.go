package simserver

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// similarPrompt is the share of a prompt above which llama.cpp's server chooses a slot for what it
// holds.
const similarPrompt = 0.1

// slotPrompts are the prompts that slots keep, one each: that of the last sequence there, and what
// it wrote.
type slotPrompts struct {
	similar float64 // the share of a prompt above which a slot is chosen for what it holds
	oldest  bool    // if none is, the one that was freed first is chosen, not the first

	held     [][]uint32  // the tokens that each slot keeps
	freed    []time.Time // when each was freed last; zero is never
	released []int       // slots that were freed, for which no waiting task was tried yet
}

func newSlotPrompts(o *Options) *slotPrompts {
	k := &slotPrompts{held: make([][]uint32, o.Slots), freed: make([]time.Time, o.Slots)}
	if o.llamaCpp() {
		k.similar, k.oldest = similarPrompt, true
	}
	return k
}

// common returns how many of the tokens a slot holds, from the first on.
func (k *slotPrompts) common(slot int, ids []uint32) int { return common(k.held[slot], ids) }

// common is the length of the beginning that both share.
func common[E comparable](a, b []E) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// choose returns the slot for a prompt that asks for none: the one that holds the longest beginning
// of it, else the oldest. The free slots are in their order; there is at least one.
func (k *slotPrompts) choose(ids []uint32, free []int) int {
	best, most := free[0], 0
	for _, slot := range free {
		if n := k.common(slot, ids); n > most && float64(n) > k.similar*float64(len(ids)) {
			best, most = slot, n
		}
	}

	if most > 0 || !k.oldest {
		return best
	}

	// Of slots that were never used llama.cpp's server takes the last.
	for _, slot := range free {
		if k.freed[slot].IsZero() || k.freed[slot].Before(k.freed[best]) {
			best = slot
		}
	}

	return best
}

// release keeps what a sequence that ends now leaves in its slot. The slots of sequences that end
// together are freed in their order, so one that has run to its end counts from when that was due.
func (k *slotPrompts) release(s *sequence, now time.Time) {
	ran := now.Sub(s.since)
	k.held[s.slot] = s.remains(ran)
	k.freed[s.slot] = s.since.Add(min(ran, s.prefill+s.decode))
	k.released = append(k.released, s.slot)
}

// remains returns what a sequence that ran for a time leaves in its slot: the tokens that went
// through the model, which the last one written did not. One that copied its prompt leaves nothing,
// and what an aborted one wrote is not modelled.
func (s *sequence) remains(ran time.Duration) []uint32 {
	ids := s.prompt.tokens.ids

	switch {
	case s.parent != nil:
		return nil
	case ran < s.prefill:
		missing := float64(s.unread) * (1 - float64(ran)/float64(s.prefill))
		return ids[:len(ids)-int(math.Ceil(missing))]
	case ran < s.prefill+s.decode:
		return ids
	}

	return slices.Concat(ids, s.completion[:max(0, len(s.completion)-1)])
}

// dispatchTasks starts what has become possible if slots keep prompts, as llama.cpp's server does:
// one task for each slot that was freed, and new ones. A task is the sequences of one request,
// which start together: one reads the prompt and the others copy it. A task that does not find its
// slots goes to the end of the queue, and others overtake it.
func (e *engine) dispatchTasks() {
	for !e.paused {
		task := e.nextTask()
		if task == nil {
			break
		}

		if e.place(task) {
			continue
		}

		for _, s := range task {
			s.tried = true
		}

		e.waiting = append(e.waiting, task...)
	}

	e.figures.MaxWaiting = max(e.figures.MaxWaiting, len(e.waiting))
}

// nextTask takes a task to try out of the queue: for a slot that was freed the first that asks for
// it by number, else the first of all.
func (e *engine) nextTask() []*sequence {
	k := e.prompts

	for len(k.released) > 0 {
		slot := k.released[0]
		k.released = k.released[1:]

		if len(e.waiting) > 0 {
			asks := func(s *sequence) bool { return s.wanted != nil && *s.wanted == slot }
			return e.takeTask(max(0, slices.IndexFunc(e.waiting, asks)))
		}
	}

	if i := slices.IndexFunc(e.waiting, func(s *sequence) bool { return !s.tried }); i >= 0 {
		return e.takeTask(i)
	}
	return nil
}

// takeTask takes the task that begins at an index out of the queue.
func (e *engine) takeTask(begin int) []*sequence {
	first := e.waiting[begin]
	end := begin + 1
	for end < len(e.waiting) && e.waiting[end].batch == first.batch {
		end++
	}

	task := slices.Clone(e.waiting[begin:end])
	e.waiting = slices.Delete(e.waiting, begin, end)
	return task
}

// place starts a task if the slots for it are free. Numbers of slots beyond the last begin again at
// 0.
func (e *engine) place(task []*sequence) bool {
	if len(e.free) < len(task) {
		return false
	}

	var slot int

	free := slices.Sorted(slices.Values(e.free))
	if wanted := task[0].wanted; wanted != nil {
		slot = *wanted % e.o.Slots
	} else {
		slot = e.prompts.choose(task[0].prompt.tokens.ids, free)
	}

	// A request waits for the slot that it names, even if others are free.
	i, ok := slices.BinarySearch(free, slot)
	if !ok {
		return false
	}

	// All are looked up before one starts: a sequence that takes no time ends at once, and changes
	// what its slot holds.
	free = slices.Delete(free, i, i+1)
	for i, s := range task {
		if s.slot = slot; i > 0 {
			s.parent, s.slot = task[0], free[i-1]
		}

		e.lookUp(s)
	}

	// Sequences that end at the same time end in the order of their slots.
	slices.SortFunc(task, func(a, b *sequence) int { return cmp.Compare(a.slot, b.slot) })

	for _, s := range task {
		e.start(s)
	}
	return true
}

// retryTasks has every waiting task tried again.
func (e *engine) retryTasks() {
	e.prompts.released = nil
	for _, s := range e.waiting {
		s.tried = false
	}
}
