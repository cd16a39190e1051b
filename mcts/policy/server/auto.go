package server

import (
	"math"
	"time"
)

// How the limit finds itself
//
// A server that batches has a number of sequences beyond which more of them bring nothing: its
// slots are full, or the cache is, or arithmetic has become the bottleneck. Below that number
// throughput is lost. Beyond it, requests wait in the server's queue instead of here; more trees
// share the prefix cache and push each other out of it; time-outs come near; and a server that runs
// out of cache puts sequences aside and computes them again. So what is wanted is the smallest
// limit with about the highest throughput, and nobody knows it beforehand: it depends on the
// machine, the model, the length of the prompts, and who else is there.
//
// What is measured. By Little's law the throughput of a server is X = L·w/t, where L sequences are
// in flight on average and finished requests brought w tokens (or bytes) in t sequence-seconds.
// That is counted over requests that began after the limit was last changed, until they replaced
// every sequence in flight. Counting what finishes per second instead would take far longer for the
// same certainty, because requests that began together end together. Latency alone is the same
// measurement: when twice the sequences take twice as long, the second half bought nothing. A
// window in which the limit was not reached for more than a tenth of the time measures our demand
// and not the server: it decides nothing, except that it ends a trial or a doubling.
//
// Ramp. The limit doubles from window to window while that gains at least rampGain. A doubling that
// gains less than keepGain is taken back. For a server of S slots, whose throughput is min(L,S),
// that ends between S and 2S. For one whose step time grows with its batch, X = L/(a+bL), a
// doubling that gains less than rampGain leads to at least 0.92 of what no limit would give. From 8
// sequences, 256 are reached after five windows, each about as long as one request.
//
// Cruise. Then the limit stays, and from time to time a trial is made, up by a quarter and down by
// a fifth in turn. Up is kept if it gains more than 15 % of what it adds; down is kept if it loses
// less than 10 % of what it takes. For a change by a fifth that is a difference of 2 or 3 % in
// throughput, so a trial counts at least 128 requests. Between the two lies a range in which every
// trial fails and the limit rests. Each trial that fails doubles the number of windows until the
// next, up to restMost; after one that succeeds the next follows at once, in the same direction. So
// the limit comes down from the 2S of the ramp to S, follows a server that changes (one that does
// so by a fifth is tried at once), and otherwise spends a few percent of the time on trials, of
// which the upward ones cost nothing.
//
// Gauges. A server that reports how many sequences run and wait saves all the guessing. Four times
// a second during the ramp, and once a second later: more wait there than a quarter of what runs,
// and than two requests have, so the limit falls by the excess, a quarter at most, and the ramp is
// over, unless it is the first such reading, for what has just been sent may not have been begun;
// no more do, and we are at the limit, so the ramp doubles it; after the ramp it grows by an eighth
// while fewer wait than an eighth of what runs, or than one request has; sequences have been put
// aside because the cache was full, so the last doubling is taken back, or a sixteenth, and growth
// rests. That short queue is on purpose: sequences end and begin in packs, each step of the server
// must find some to begin with, and those that have just come wait for the next step even if slots
// are empty. While there are such readings nothing else is looked at.
//
// Overload. A reply of 429 or 503, or none in time, takes three tenths off, once for all requests
// that were in flight then.
const (
	rampGain  = 0.10
	keepGain  = 0.03
	upShare   = 0.15
	downShare = 0.10
	restMost  = 8    // windows, or readings
	changed   = 0.20 // difference in throughput by which a server counts as another one

	slackMost   = 0.10                   // of a window that counts
	windowLeast = 250 * time.Millisecond // of a window
	gaugesLast  = 5 * time.Second        // how long a reading of the gauges rules
	fullCache   = 0.98                   // of the key-value cache: no growth beyond
)

// tuner finds a limit as described above. It has no clock and no goroutine: its limiter tells it
// what happens.
type tuner struct {
	limit int
	start int
	max   int
	phase phase
	base  int     // the limit before the trial or doubling in progress; without one, limit
	rate  float64 // at base; 0 when it has not been measured
	rest  int     // windows until the next trial
	fails int     // trials in a row that failed
	down  bool    // the direction of the next trial
	cut   time.Time
	window

	pack        int       // the largest n of a request
	read        time.Time // of the last gauges
	preemptions int64     // their count then
	since       usage     // since then
	quiet       int       // readings without growth
	crowded     bool      // too many waited at the last reading
}

type phase int

const (
	ramping phase = iota
	resting
	trying
)

// window is one measurement.
type window struct {
	begin     time.Time // the first request after the change; zero before it
	usage     usage
	sequences int
	output    int
	latency   time.Duration // of all sequences
}

// usage is how much of the limit was used.
type usage struct {
	time, slack time.Duration // in all, and below the limit
	load        time.Duration // sequence-time in flight
}

func (u usage) bound() bool { return float64(u.slack) <= slackMost*float64(u.time) }

func newTuner(start, most int) *tuner {
	return &tuner{limit: start, start: start, base: start, max: most, pack: 1}
}

// started notes that a request was let in.
func (t *tuner) started(now time.Time) {
	if t.begin.IsZero() {
		t.begin = now
	}
}

// passed notes how many sequences were in flight for how long.
func (t *tuner) passed(d time.Duration, inFlight int) {
	for _, u := range []*usage{&t.usage, &t.since} {
		u.time += d

		u.load += d * time.Duration(inFlight)
		if inFlight < t.limit {
			u.slack += d
		}
	}
}

// finished notes a request that was answered.
func (t *tuner) finished(now, started time.Time, n, output int) {
	t.pack = max(t.pack, n)
	if t.begin.IsZero() || started.Before(t.begin) || !t.read.IsZero() && now.Sub(t.read) < gaugesLast {
		return
	}

	t.sequences += n
	t.output += output

	t.latency += now.Sub(started) * time.Duration(n)
	if t.sequences < t.enough() || now.Sub(t.begin) < windowLeast {
		return
	}

	switch {
	case t.usage.bound():
		t.decide(t.throughput())
	case t.limit > t.base: // nothing can be learnt at more than is asked for
		t.fail()
	}

	t.window = window{}
}

// enough is how many sequences a window needs: each one in flight replaced once; four times, and
// those of 128 requests, where small differences count.
func (t *tuner) enough() int {
	if t.phase == ramping {
		return max(t.limit, 16)
	}
	return max(4*t.limit, 128*t.pack)
}

// throughput is X, per second.
func (w *window) throughput() float64 {
	inFlight := w.usage.load.Seconds() / w.usage.time.Seconds()
	return inFlight * float64(w.output) / w.latency.Seconds()
}

// output is how much a server wrote: tokens, or bytes if it does not count them, since long
// completions take long in either unit. It is at least 1.
func (r *Reply) output() int {
	if r.CompletionTokens > 0 {
		return r.CompletionTokens
	}

	bytes := 1
	for _, c := range r.Choices {
		bytes += len(c.Text)
	}
	return bytes
}

// decide moves the limit after a measurement at it.
func (t *tuner) decide(rate float64) {
	switch t.phase {
	case ramping:
		t.double(rate)
	case resting:
		if t.rate > 0 && math.Abs(rate/t.rate-1) > changed {
			t.fails, t.rest = 0, 0
		}

		t.rate = rate
		if t.rest--; t.rest <= 0 {
			t.try()
		}
	case trying:
		t.judge(rate)
	}
}

// double continues the ramp or ends it.
func (t *tuner) double(rate float64) {
	gain := rampGain
	if t.rate > 0 {
		gain = rate/t.rate - 1
	}

	switch {
	case gain < keepGain:
		t.settle(t.base, t.rate)
	case gain < rampGain || t.limit == t.max:
		t.settle(t.limit, rate)
	default:
		t.base, t.rate = t.limit, rate
		t.set(2 * t.limit)
	}
}

// try begins a trial in the direction whose turn it is.
func (t *tuner) try() {
	if t.base == 1 {
		t.down = false
	} else if t.base == t.max {
		t.down = true
	}

	t.phase = trying
	if t.down {
		t.set(t.base - max(1, t.base/5))
	} else {
		t.set(t.base + max(1, t.base/4))
	}

	if t.limit == t.base { // the limit can only be 1
		t.phase = resting
	}
}

// judge ends a trial.
func (t *tuner) judge(rate float64) {
	gain := rate/t.rate - 1

	change := float64(t.limit-t.base) / float64(t.base)
	if change > 0 && gain > upShare*change || change < 0 && gain > downShare*change {
		t.base, t.rate, t.fails = t.limit, rate, 0
		t.try()
		return
	}

	t.fail()
}

// fail takes a trial or a doubling back.
func (t *tuner) fail() {
	t.fails++
	t.down = !t.down
	t.settle(t.base, t.rate)
	t.rest = min(1<<min(t.fails, 10), restMost)
}

// settle ends a ramp or a trial at a limit with a known rate.
func (t *tuner) settle(limit int, rate float64) {
	t.set(limit)
	t.phase, t.base, t.rate, t.rest = resting, t.limit, rate, 1
}

// set changes the limit. What was being measured is void.
func (t *tuner) set(limit int) {
	if limit = min(max(limit, 1), t.max); limit != t.limit {
		t.limit = limit
		t.window = window{}
	}
}

// overloaded notes a request that the server turned away or did not answer in time.
func (t *tuner) overloaded(now, started time.Time, inFlight int) {
	if !started.After(t.cut) {
		return
	}

	t.cut = now
	t.settle(min(t.limit, inFlight)*7/10, 0)
	t.rest = restMost / 2
}

// restart voids what was being measured: the server was away.
func (t *tuner) restart() {
	if t.phase != ramping {
		t.settle(t.base, t.rate)
	}

	t.window, t.since, t.read = window{}, usage{}, time.Time{}
}

// observe steers by the server's own figures.
func (t *tuner) observe(now time.Time, g Gauges) {
	preempted := !t.read.IsZero() && g.Preemptions > t.preemptions
	bound := t.since.time > 0 && t.since.bound()
	first := t.read.IsZero()
	t.read, t.preemptions, t.since = now, g.Preemptions, usage{}

	// A count alone says nothing: what matters is how much it grew since the reading before.
	if first {
		return
	}

	t.quiet = max(t.quiet-1, 0)
	wanted, tolerated := max(t.pack, g.Running/8), max(2*t.pack, g.Running/4)
	again := t.crowded
	t.crowded = g.Waiting > tolerated

	floor := min(t.start, t.limit)
	switch limit := t.limit; {
	case preempted && t.phase == ramping:
		t.settle(max(floor, min(t.base, limit-limit/16)), 0)
		t.quiet = restMost
	case preempted:
		t.settle(max(floor, limit-max(1, limit/16)), 0)
		t.quiet = restMost
	// What has just been sent may not have been begun, so one such reading is not believed.
	case t.crowded && t.phase == ramping && !again:
	case t.crowded:
		t.settle(max(floor, limit-min(g.Waiting-tolerated, limit/4)), 0)
	case !bound || g.KVUsage > fullCache || t.quiet > 0:
	case t.phase == ramping:
		t.base, t.rate = limit, 0
		t.set(2 * limit)
	case g.Waiting < wanted:
		t.settle(limit+max(1, limit/8), 0)
	}
}
