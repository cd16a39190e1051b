package simserver

import (
	"container/list"
	"slices"
)

// prefixCache remembers which prompts were read before, in whole blocks of tokens: each block under
// a hash of itself and of all that precedes it, as vLLM does. The oldest unused blocks are
// forgotten when there are too many.
type prefixCache struct {
	block    int // tokens in a block
	capacity int // blocks; 0 is without limit
	entries  map[uint64]*list.Element
	order    *list.List // of hashes, the latest used first
}

func newPrefixCache(block, capacity int) *prefixCache {
	return &prefixCache{block: block, capacity: capacity, entries: map[uint64]*list.Element{}, order: list.New()}
}

// chain returns the hash of each full block.
func (c *prefixCache) chain(ids []uint32) []uint64 {
	hashes := make([]uint64, 0, len(ids)/c.block)

	h := uint64(14695981039346656037)
	for i, id := range ids {
		h = (h ^ uint64(id)) * 1099511628211

		h ^= h >> 29
		if (i+1)%c.block == 0 {
			hashes = append(hashes, h)
		}
	}

	return hashes
}

// match returns how many blocks from the first on are known.
func (c *prefixCache) match(chain []uint64) int {
	for i, h := range chain {
		if _, ok := c.entries[h]; !ok {
			return i
		}
	}

	return len(chain)
}

// add remembers the blocks. The first counts as used last: without it the others could not be
// found.
func (c *prefixCache) add(chain []uint64) {
	for _, h := range slices.Backward(chain) {
		if e, ok := c.entries[h]; ok {
			c.order.MoveToFront(e)
			continue
		}

		c.entries[h] = c.order.PushFront(h)
		if c.capacity > 0 && c.order.Len() > c.capacity {
			delete(c.entries, c.order.Remove(c.order.Back()).(uint64))
		}
	}
}
