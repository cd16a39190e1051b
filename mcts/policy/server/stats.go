package server

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// counters are what a policy counts.
type counters struct {
	mu     sync.Mutex // guards what follows
	sums   Counts
	causes map[string]int64 // of faults
}

// count changes the sums.
func (c *counters) count(note func(*Counts)) {
	c.mu.Lock()
	defer c.mu.Unlock()

	note(&c.sums)
}

func (c *counters) countReply(r *Reply) {
	c.mu.Lock()
	defer c.mu.Unlock()

	n := &c.sums
	n.Answered++
	n.PromptTokens += int64(r.PromptTokens)
	n.CachedTokens += int64(r.CachedTokens)
	n.CompletionTokens += int64(r.CompletionTokens)
	n.Completions += int64(len(r.Choices))

	for _, choice := range r.Choices {
		if choice.Finish == FinishLength {
			n.Truncated++
		}

		// What is empty has nothing to score: it is asked for again, whatever the server says of
		// it.
		if choice.lost() {
			n.Empty++
		} else if _, ok := choice.mean(); !ok && !choice.blank() {
			n.Unscored++
		}
	}
}

func (c *counters) countFault(f *Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()

	switch f.Kind {
	case TooLong:
		c.sums.TooLong++
	case Refused, OutOfQuota:
		c.sums.Refused++
	case BadRequest:
		c.sums.BadRequests++
	default:
		c.sums.Transient++
	}

	if c.causes == nil {
		c.causes = map[string]int64{}
	}
	c.causes[f.cause()]++
}

// blank reports whether there is nothing to read in the sample.
func (c Choice) blank() bool { return strings.TrimSpace(c.Text+c.Reasoning) == "" }

// lost reports whether the text of the sample is missing. It is not where reasoning that the server
// keeps to itself used up the tokens: the next time it would do so again.
func (c Choice) lost() bool { return c.blank() && !(c.Reasoned && c.Finish == FinishLength) }

// unread reports whether the server lost the text of the reply, because it could not read a call in
// it.
func (r *Reply) unread() bool { return len(r.Choices) > 0 && r.Choices[0].Unread }

// Counts are what a policy, or one server of it, has counted. When nothing is in flight,
// Requests = Answered + Transient + TooLong + Refused + BadRequests + Cancelled.
type Counts struct {
	Requests int64 `json:"requests"` // attempts that were sent
	Answered int64 `json:"answered"` // of those, the ones with a usable reply
	// faults that may pass: time-outs, lost connections, HTTP 5xx, spoiled replies
	Transient   int64 `json:"transient"`
	TooLong     int64 `json:"too_long"`     // faults: prompts beyond the context window
	Refused     int64 `json:"refused"`      // faults: a key or a model that the server refuses
	BadRequests int64 `json:"bad_requests"` // faults: requests that the server does not take
	Cancelled   int64 `json:"cancelled"`    // ended by our own context

	Retries   int64 `json:"retries"`   // attempts after the first of their request
	Failovers int64 `json:"failovers"` // replies from another server than the question's own
	Short     int64 `json:"short"`     // replies with fewer samples than asked for; each was asked for again by itself

	Completions int64 `json:"completions"` // samples
	Truncated   int64 `json:"truncated"`   // of those, cut by max_tokens or the end of the context window
	Empty       int64 `json:"empty"`       // without text, and so asked for again by their seeds
	// without text however often, or for reasoning that the server keeps to itself: the model's
	// own, of which nothing grows
	Silent   int64 `json:"silent"`
	Unscored int64 `json:"unscored"` // not empty, without usable log-probabilities
	// of those, the ones that a stop text ended in their reasoning, and that were asked for
	// again without
	PastReasoning int64 `json:"past_reasoning,omitempty"`
	CallsBehind   int64 `json:"calls_behind,omitempty"` // native calls behind the first one of a sample, which are cut

	PromptTokens     int64 `json:"prompt_tokens"`     // as the servers count them
	CachedTokens     int64 `json:"cached_tokens"`     // of those, found in a prefix cache
	CompletionTokens int64 `json:"completion_tokens"` // as the servers count them
}

// Failed is how many requests ended with a fault.
func (c Counts) Failed() int64 { return c.Transient + c.TooLong + c.Refused + c.BadRequests }

// counts returns the sums, and a copy of the causes.
func (c *counters) counts() (Counts, map[string]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sums, maps.Clone(c.causes)
}

// hasAnswered reports whether there was a usable reply.
func (c *counters) hasAnswered() bool {
	n, _ := c.counts()
	return n.Answered > 0
}

// Load is how busy a server, or all of them together, is kept.
type Load struct {
	Limit    int `json:"limit"`     // sequences that may be in flight
	Slots    int `json:"slots"`     // that the servers have; 0 when they have none that are known
	InFlight int `json:"in_flight"` // sequences that are
	Waiting  int `json:"waiting"`   // sequences that wait for the limit, on our side

	// Since the first request, without the times when the server was down. Slot-time is the limit
	// times time: 10 s at a limit of 64 are 640 s.
	Busy time.Duration `json:"busy_ns"` // slot-time in use
	Idle time.Duration `json:"idle_ns"` // slot-time that the server waited for us
}

// Utilization is the share of the slot-time that was used, 0..1; 1 before the first request.
func (l Load) Utilization() float64 {
	if l.Busy+l.Idle == 0 {
		return 1
	}
	return l.Busy.Seconds() / (l.Busy + l.Idle).Seconds()
}

// Known is how many sequences the server is known to work on at once, up to the limit: its slots,
// or the limit that its own figures led to. It is 0 if the limit is a guess, which may be above
// what the server has.
func (s *ServerSnapshot) Known() int {
	switch {
	case s.Slots > 0:
		return min(s.Limit, s.Slots)
	case s.Gauges != nil:
		return s.Limit
	}

	return 0
}

// Snapshot is a policy at one moment. Rates are differences of two snapshots.
type Snapshot struct {
	Counts                   // of all servers
	Load                     // of all servers
	Faults  map[string]int64 `json:"faults,omitempty"` // of all servers
	Servers []ServerSnapshot `json:"servers"`          // each by itself
}

// ServerSnapshot is one server at one moment.
type ServerSnapshot struct {
	Address string `json:"address"`           // without credentials
	Dialect string `json:"dialect,omitempty"` // how its requests differ from those to a server that takes everything
	Counts
	Load
	Left   bool      `json:"left,omitempty"`   // it is off the list of servers
	Down   bool      `json:"down"`             // it does not answer, or has left
	Since  time.Time `json:"since,omitzero"`   // since when it does not; zero while it does
	Gauges *Gauges   `json:"gauges,omitempty"` // its own figures, when it told them within the last seconds
	Names  []string  `json:"names,omitempty"`  // that its replies bore, in alphabetical order

	// Faults are the transient ones, the refusals, the bad requests and the prompts that were too
	// long, by what was seen: "HTTP 503" and the like, "timeout", "connection" (refused or lost),
	// "spoiled reply" (it could not be used), "too long".
	Faults map[string]int64 `json:"faults,omitempty"`
}

// Names returns the models' names in the replies of all servers, in alphabetical order.
func (s Snapshot) Names() []string {
	var all []string
	for _, server := range s.Servers {
		all = append(all, server.Names...)
	}

	slices.Sort(all)
	return slices.Compact(all)
}

// Snapshot reads the counters. It may be called at any time.
func (p *Policy) Snapshot() Snapshot {
	all := p.pool.ever()
	total := Snapshot{Servers: make([]ServerSnapshot, len(all))}
	total.Counts, _ = p.calls.counts()

	for i, s := range all {
		now := ServerSnapshot{Address: s.backend.Address(), Load: s.limiter.load(), Gauges: s.gauges.Load()}
		now.Counts, now.Faults = s.counts()
		now.Dialect = strings.Trim(s.dialect.Load().String()+"; "+s.concessions.String(), "; ")
		s.names.Range(func(name, _ any) bool {
			now.Names = append(now.Names, name.(string))
			return true
		})
		slices.Sort(now.Names)

		// Under one lock, because whether it is down and since when change together.
		p.pool.mu.Lock()
		if now.Left = s.left; s.left {
			now.Limit, now.Slots, now.Gauges = 0, 0, nil // nothing of it is there to be used
		}
		if now.Down = s.down; s.down {
			now.Since = s.since
		}
		p.pool.mu.Unlock()

		for cause, n := range now.Faults {
			if total.Faults == nil {
				total.Faults = map[string]int64{}
			}

			total.Faults[cause] += n
		}

		sum(&total.Counts, now.Counts)
		sum(&total.Load, now.Load)
		total.Servers[i] = now
	}
	return total
}

// sum adds the fields of one struct of whole numbers to those of another.
func sum[T any](to *T, from T) {
	total, more := reflect.ValueOf(to).Elem(), reflect.ValueOf(from)
	for i := range total.NumField() {
		total.Field(i).SetInt(total.Field(i).Int() + more.Field(i).Int())
	}
}

// Room returns how many more conversations the servers could serve right now, if each request is
// for that number of samples. A server with slots has room for as many as it has free seats; any
// other for what its limit leaves, and one request that waits until the next is through, so that no
// slot stays empty meanwhile. A server that is down has none. Starting work only while there is
// room keeps the servers busy with as little work begun as that takes.
func (p *Policy) Room(samples int) int {
	room := 0
	for _, s := range p.pool.present() {
		if s.seats.exist() {
			room += s.seats.room()
		} else {
			room += (s.limiter.room() + samples - 1) / samples
		}
	}

	return room
}
