package simserver

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"toolevo/envs"
	"toolevo/envs/names"
)

// Fault is something that goes wrong with one request for a completion, or with the server from
// then on.
type Fault string

// The faults. None is the zero Fault.
const (
	None          Fault = ""
	InternalError Fault = "500"     // an error of the engine
	BadGateway    Fault = "502"     // a proxy's page of HTML
	Unavailable   Fault = "503"     // too much is waiting
	TooMany       Fault = "429"     // with a Retry-After
	Hang          Fault = "hang"    // no answer until the client goes away
	Reset         Fault = "reset"   // the connection is reset in the middle of the answer
	Drip          Fault = "drip"    // the right answer, a few bytes at a time
	Garbage       Fault = "garbage" // half an answer, with status 200
	// one choice too few or, for n = 1, too many; Ollama answers without being done
	WrongN       Fault = "wrong-n"
	LostLogProbs Fault = "lost-logprobs" // no log-probabilities this time
	Empty        Fault = "empty"         // completions without text
	Flap         Fault = "flap"          // every connection is cut for Faults.DownFor, without an answer
	Die          Fault = "die"           // the port closes, for Faults.DownFor or until Revive
)

// faultKinds lists the faults, without None.
func faultKinds() []Fault {
	return []Fault{InternalError, BadGateway, Unavailable, TooMany, Hang, Reset, Drip, Garbage, WrongN, LostLogProbs,
		Empty, Flap, Die}
}

// Faults say which requests for completions meet which fault.
type Faults struct {
	Script []Fault           // of the first requests, in the order they arrive; None lets one through
	Rates  map[Fault]float64 // the probability of each fault, of requests after the script; together at most 1
	Seed   uint64            // of the draws

	RetryAfter time.Duration // what TooMany and Unavailable ask for, in whole seconds; 0 sends no header
	DripEvery  time.Duration // the time between two pieces of Drip, at speed 1; 0 is none
	DownFor    time.Duration // how long Flap and Die last, at speed 1; 0 is until Revive
}

// EvenRates gives every fault except Flap and Die the same share of a total probability.
func EvenRates(total float64) map[Fault]float64 {
	rates := map[Fault]float64{}

	for _, f := range faultKinds() {
		if f != Flap && f != Die {
			rates[f] = 0
		}
	}

	for f := range rates {
		rates[f] = total / float64(len(rates))
	}
	return rates
}

func (f Faults) check() error {
	total := 0.0

	for kind, rate := range f.Rates {
		if _, err := names.Parse("fault", string(kind), faultKinds()); err != nil {
			return err
		}

		if !(rate >= 0 && rate <= 1) {
			return fmt.Errorf("simserver: fault %s at rate %v: want one from 0 to 1", kind, rate)
		}

		total += rate
	}

	if total > 1+1e-9 {
		return fmt.Errorf("simserver: the rates of faults sum to %v, want at most 1", total)
	}

	for _, kind := range f.Script {
		if kind != None && !slices.Contains(faultKinds(), kind) {
			return names.Unknown("fault", string(kind), faultKinds())
		}
	}

	return nil
}

// faultSource says which fault a request meets.
type faultSource struct {
	faults Faults

	mu      sync.Mutex
	arrived int
	sent    map[uint64]uint64 // how often a body was sent
}

// next returns the fault of a request with a body.
func (s *faultSource) next(body []byte) Fault {
	if len(s.faults.Rates) == 0 && len(s.faults.Script) == 0 {
		return None
	}

	sum := envs.Hash(string(body))

	s.mu.Lock()
	n := s.arrived

	s.arrived++
	if n < len(s.faults.Script) {
		s.mu.Unlock()
		return s.faults.Script[n]
	}

	times := s.sent[sum]
	s.sent[sum]++
	s.mu.Unlock()

	x := rand.New(rand.NewPCG(s.faults.Seed^sum, times)).Float64()
	for _, kind := range faultKinds() {
		if x -= s.faults.Rates[kind]; x < 0 {
			return kind
		}
	}

	return None
}
