package bpe

import (
	"container/heap"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Encode returns the ids of a text, without those that a post-processor would add. Bytes that are
// not UTF-8 count as U+FFFD.
func (t *Tokenizer) Encode(text string) []int {
	var ids []int

	t.walk(text, func(id int) { ids = append(ids, id) })
	return ids
}

// Count returns the number of tokens of a text.
func (t *Tokenizer) Count(text string) int {
	n := 0

	t.walk(text, func(int) { n++ })
	return n
}

// walk cuts the text at its added tokens and encodes what lies between.
func (t *Tokenizer) walk(text string, emit func(int)) {
	text = strings.ToValidUTF8(text, "\uFFFD")

	for t.added != nil {
		at := t.added.FindStringIndex(text)
		if at == nil {
			break
		}

		t.plain(text[:at[0]], emit)
		emit(t.ids[text[at[0]:at[1]]])

		text = text[at[1]:]
	}

	t.plain(text, emit)
}

// plain encodes text without added tokens.
func (t *Tokenizer) plain(text string, emit func(int)) {
	if t.nfc {
		text = norm.NFC.String(text)
	}

	t.split(text, t.splits, emit)
}

// split cuts the text by the first splitter, each piece by the next, and encodes the final pieces.
func (t *Tokenizer) split(text string, by []splitter, emit func(int)) {
	if len(by) == 0 {
		if text != "" {
			t.piece(text, emit)
		}
		return
	}

	for text != "" {
		n := by[0].next(text)
		t.split(text[:n], by[1:], emit)
		text = text[n:]
	}
}

// symbol is a part of a piece, in a list linked by indices, so that a merge is two assignments.
type symbol struct{ id, prev, next int }

// candidate is a possible merge at a place. It is stale once either part has changed.
type candidate struct {
	merge
	at          int
	left, right int // the ids when it was found
}

type candidates []candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	return c[i].rank < c[j].rank || c[i].rank == c[j].rank && c[i].at < c[j].at
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)   { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// piece encodes one piece. It repeats the merge of the lowest rank, leftmost first, until no merge
// is possible.
func (t *Tokenizer) piece(text string, emit func(int)) {
	if t.ignoreMerges {
		if id, ok := t.vocab[spell(text)]; ok {
			emit(id)
			return
		}
	}

	// With a queue a long piece takes n log n steps; looking for the lowest rank each time takes
	// n².
	symbols := t.symbols(text)
	var queue candidates

	push := func(at int) {
		if at < 0 || symbols[at].next < 0 {
			return
		}

		p := pair{symbols[at].id, symbols[symbols[at].next].id}
		if m, ok := t.merges[p]; ok {
			heap.Push(&queue, candidate{merge: m, at: at, left: p.left, right: p.right})
		}
	}
	for i := range symbols {
		push(i)
	}

	for len(queue) > 0 {
		c := heap.Pop(&queue).(candidate)

		// A candidate whose part another merge took stays in the queue until here.
		s := &symbols[c.at]
		if s.id != c.left || s.next < 0 || symbols[s.next].id != c.right {
			continue
		}

		gone := s.next
		s.id, s.next = c.id, symbols[gone].next

		// No token has this ID, so candidates that begin here are stale.
		symbols[gone].id = -1
		if s.next >= 0 {
			symbols[s.next].prev = c.at
		}

		push(s.prev)
		push(c.at)
	}

	for i := 0; i >= 0 && len(symbols) > 0; i = symbols[i].next {
		emit(symbols[i].id)
	}
}

// symbols returns the bytes of a piece as a linked list. A byte that the vocabulary lacks becomes
// the unknown token or, without one, nothing, as in the original.
func (t *Tokenizer) symbols(text string) []symbol {
	symbols := make([]symbol, 0, len(text))
	fuse := false // whether the last symbol was unknown, and would take in the next one

	for i := range len(text) {
		id := t.bytes[text[i]]

		unknown := id < 0
		if unknown {
			id = t.unknown
		}

		fused := fuse && unknown
		fuse = unknown && t.fuseUnknown

		if id >= 0 && !fused {
			symbols = append(symbols, symbol{id: id, prev: len(symbols) - 1, next: len(symbols) + 1})
		}
	}

	if len(symbols) > 0 {
		symbols[len(symbols)-1].next = -1
	}
	return symbols
}
