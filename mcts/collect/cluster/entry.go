package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/klauspost/compress/s2"
	"github.com/nats-io/nats.go"

	"toolevo/mcts/account"
	"toolevo/mcts/store"
)

// kind is what an entry of a log is.
type kind string

const (
	begun kind = "begun" // a worker has begun
	added kind = "added" // calls and trees
	left  kind = "left"  // a worker goes, and another one may go on
	ended kind = "ended" // the last one
)

// entry is an entry of the log of a unit.
type entry struct {
	kind   kind
	worker string // "" is the coordinator, which writes what the run has already

	rows  []store.Row              // of added
	usage map[string]account.Usage // of the models since the entry before, by KIND:MODEL
	body  []byte                   // of ended: the outcome; of left: why, if it was not told to go

	unable string // of left: the machine on which some of the unit failed
}

// The headers of messages.
const (
	headerKind   = "Toolevo-Kind"
	headerWorker = "Toolevo-Worker"
	headerUsage  = "Toolevo-Usage"
	headerUnable = "Toolevo-Unable"
	headerPart   = "Toolevo-Part"  // from 1
	headerParts  = "Toolevo-Parts" // an entry may be larger than a message
)

// messages returns an entry as messages whose data have at most that many bytes.
func (e *entry) messages(subject string, most int) ([]*nats.Msg, error) {
	data := e.body
	if e.kind == added {
		data = s2.Encode(nil, store.PackRows(e.rows))
	}

	usage, err := json.Marshal(e.usage)
	if err != nil {
		return nil, err
	}

	all := split(subject, slices.Clone(data), most) // cloned: the client keeps what it sends
	for _, m := range all {
		m.Header.Set(headerKind, string(e.kind))
		m.Header.Set(headerWorker, e.worker)
		m.Header.Set(headerUnable, e.unable)
	}

	if len(e.usage) > 0 {
		all[len(all)-1].Header.Set(headerUsage, string(usage))
	}
	return all, nil
}

// split returns data as the parts that an assembler puts together: at least one, of at most that
// many bytes each.
func split(subject string, data []byte, most int) (all []*nats.Msg) {
	parts := max(1, (len(data)+most-1)/most)

	for i := range parts {
		m := nats.NewMsg(subject)
		m.Data = data[i*most : min((i+1)*most, len(data))]
		m.Header.Set(headerPart, strconv.Itoa(i+1))
		m.Header.Set(headerParts, strconv.Itoa(parts))
		all = append(all, m)
	}
	return all
}

// mostEntry bounds what an entry of a log unpacks to: a tree of many long turns has some megabytes.
const mostEntry = 256 << 20

// assembler puts the messages of one log, or of one request or answer, together again. A message
// that begins another entry drops what the one before lacked: its worker died.
type assembler struct {
	data []byte
	next int // the part that is to come
}

// add takes the next message of a log. It returns nil if more parts are to come.
func (a *assembler) add(h nats.Header, data []byte) (*entry, error) {
	part, err1 := strconv.Atoi(h.Get(headerPart))
	parts, err2 := strconv.Atoi(h.Get(headerParts))

	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("an entry of a log cannot be read: %w", err)
	}

	// Whatever came before: its worker died within an entry.
	if part == 1 {
		a.data, a.next = nil, 1
	}

	if part != a.next || len(a.data)+len(data) > mostEntry {
		return nil, fmt.Errorf("part %d of %d of an entry does not follow", part, parts)
	}

	a.data = append(a.data, data...)
	a.next++

	if part < parts {
		return nil, nil
	}

	e := &entry{
		kind: kind(h.Get(headerKind)), worker: h.Get(headerWorker), unable: h.Get(headerUnable),
		body: a.data,
	}
	a.data = nil

	if usage := h.Get(headerUsage); usage != "" {
		if err := json.Unmarshal([]byte(usage), &e.usage); err != nil {
			return nil, fmt.Errorf("what an entry took cannot be read: %w", err)
		}
	}

	if e.kind != added {
		return e, nil
	}
	return e, e.unpack()
}

// unpack reads the rows of an entry.
func (e *entry) unpack() error {
	if n, err := s2.DecodedLen(e.body); err != nil || n > mostEntry {
		return fmt.Errorf("an entry of %d bytes is not what a worker appends", n)
	}

	text, err := s2.Decode(nil, e.body)
	if err == nil {
		e.rows, err = store.UnpackRows(text)
	}

	e.body = nil
	return err
}
