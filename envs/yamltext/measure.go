package yamltext

import "github.com/goccy/go-yaml/token"

// measure follows a text token by token and adds up what the parser will do with it. The parser
// keeps the path of each value as a text, and copies the rest of a mapping's entries for each entry
// in block style, so its work grows with the square of both.
type measure struct {
	open     []collection // outermost first
	path     int          // bytes of the path to what comes next
	marks    int          // tags and anchors in a row, for which the parser nests as well
	work     int          // bytes that the parser copies
	start    int          // column where the entry that comes next begins
	previous *token.Token

	directive     int  // the line of the last one
	begun, closed bool // the document
}

// collection is a mapping or a list that has not ended.
type collection struct {
	flow, list bool
	column     int // of its entries in block style
	entries    int
	key        int // bytes that the path to the last entry has here
}

// entrySize is the size of an entry in a copy of the rest of its mapping.
const entrySize = 8

// add adds the next token.
func (m *measure) add(t *token.Token) error {
	if t.Type == token.CommentType {
		return nil
	}

	if err := m.document(t); err != nil {
		return err
	}

	// An entry begins with its first token, but only a later one shows that it is an entry.
	m.begin(t)

	switch t.Type {
	case token.SequenceStartType, token.MappingStartType:
		m.push(collection{flow: true, key: entrySize})
	case token.SequenceEndType, token.MappingEndType:
		m.closeFlow()
	case token.SequenceEntryType:
		m.enter(t.Position.Column, true, entrySize)
	case token.MappingValueType:
		m.enter(m.start, false, keyLength(m.previous))
	}

	// Tags and anchors nest only what comes right after them.
	if m.marks++; t.Type != token.TagType && t.Type != token.AnchorType {
		m.marks = 0
	}

	m.previous = t
	m.work += m.path
	return m.check(t)
}

// document refuses the tokens of a second document: for each document the parser copies the rest of
// the text, and nobody reads more than one.
func (m *measure) document(t *token.Token) error {
	switch {
	case t.Type == token.DirectiveType:
		m.directive = t.Position.Line
	case t.Position.Line == m.directive:
	case t.Type == token.DocumentEndType:
		m.closed = true
	case m.closed, m.begun && t.Type == token.DocumentHeaderType:
		return errorAt(t, "%w", ErrDocuments)
	default:
		m.begun = true
	}

	return nil
}

// begin notes where an entry begins: with a line, or after the sign of another entry.
func (m *measure) begin(t *token.Token) {
	p := m.previous
	if p == nil || p.Position.Line != t.Position.Line || p.Type == token.SequenceEntryType ||
		p.Type == token.MappingKeyType || p.Type == token.MappingValueType {
		m.start = t.Position.Column
	}
}

func (m *measure) check(t *token.Token) error {
	switch {
	case len(m.open)+m.marks > maxNesting:
		return errorAt(t, "%w: more than %d levels of nesting", ErrTooMuch, maxNesting)
	case m.work > maxWork:
		return errorAt(t, "%w: write fewer keys into one mapping, or shorter ones", ErrTooMuch)
	}

	return nil
}

// keyLength returns the length of the key that a token ends.
func keyLength(t *token.Token) int {
	if t == nil {
		return entrySize
	}
	return len(t.Value) + entrySize
}

// enter begins an entry of a mapping or a list.
func (m *measure) enter(column int, list bool, key int) {
	// In flow style columns mean nothing: the entry is one of the innermost collection.
	if n := len(m.open); n > 0 && m.open[n-1].flow {
		m.path += key - m.open[n-1].key
		m.open[n-1].key = key
		return
	}

	for n := len(m.open); n > 0; n = len(m.open) {
		// A list may begin in the column of its key.
		if top := m.open[n-1]; top.flow || top.column < column ||
			top.column == column && (top.list == list || list) {
			break
		}

		m.pop()
	}

	if n := len(m.open); n == 0 || m.open[n-1].flow || m.open[n-1].column < column ||
		m.open[n-1].list != list {
		m.push(collection{column: column, list: list})
	}

	c := &m.open[len(m.open)-1]
	m.path += key - c.key
	c.key = key

	// For each entry of a mapping, the parser copies the others.
	if c.entries++; !list {
		m.work += c.entries * entrySize
	}
}

// closeFlow ends the innermost collection in flow style.
func (m *measure) closeFlow() {
	for n := len(m.open); n > 0; n = len(m.open) {
		flow := m.open[n-1].flow
		m.pop()

		if flow {
			return
		}
	}
}

func (m *measure) push(c collection) {
	m.open = append(m.open, c)
	m.path += c.key
}

func (m *measure) pop() {
	last := len(m.open) - 1
	m.path -= m.open[last].key
	m.open = m.open[:last]
}
