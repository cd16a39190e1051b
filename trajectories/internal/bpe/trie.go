package bpe

// trie finds added tokens: at each place the longest one that begins there.
type trie struct{ root *trieNode }

type trieNode struct {
	next map[byte]*trieNode
	id   int // -1 when no token ends here
}

func newTrie() *trie { return &trie{root: &trieNode{id: -1}} }

func (t *trie) insert(token string, id int) {
	n := t.root
	for i := range len(token) {
		if n.next == nil {
			n.next = map[byte]*trieNode{}
		}

		child := n.next[token[i]]
		if child == nil {
			child = &trieNode{id: -1}
			n.next[token[i]] = child
		}

		n = child
	}

	n.id = id
}

// longest returns the id and length of the longest token that text begins with; -1 when there is none.
func (t *trie) longest(text string) (id, length int) {
	id = -1

	n := t.root
	for i := range len(text) {
		if n = n.next[text[i]]; n == nil {
			break
		}

		if n.id >= 0 {
			id, length = n.id, i+1
		}
	}

	return id, length
}
