package server

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts/account"
	"toolevo/mcts/policy/chat"
)

// Options say what to ask, whom, and how hard to try. Zero values of Retry, Limit and Timeout mean
// the defaults below.
type Options struct {
	Backends []Backend // at least one; their addresses differ

	// Render writes the prompt, Messages the messages of a chat. Exactly one of them is set, or
	// neither if only Complete is called. Both must be functions of the history alone, and safe for
	// concurrent use.
	Render   func(envs.History) string
	Messages func(envs.History) []chat.Message
	// Tools are sent beside Messages, as a JSON list of functions: samples are messages in the
	// codec [action.Tools] then. nil sends none.
	Tools func(envs.History) string
	// ReadCalls reads the native calls in a text of the model's, and says where in it the first one
	// ends. With it samples are messages in that codec, whether a server parsed them or not.
	ReadCalls func(h envs.History, text string) (m action.Message, end int)
	// MostCalls is how many calls of a reply are played, 0 being one. Of a single call
	// log-probabilities count up to its end, of several all do.
	MostCalls int
	// Break breaks the control tokens in a message without a call, so that prompts and samples can
	// hold what a model wrote in place of one; nil leaves them.
	Break func(text string) string
	// ServerCalls says that the servers find the calls: their texts are not searched for any.
	ServerCalls bool
	// Lead is the end of Render's prompts that is the beginning of the model's own text. Samples
	// get it back, except those that begin with it anyway.
	Lead string

	// Reasoning says what becomes of the reasoning in samples; "" is action.Show.
	Reasoning action.Reasoning

	Sampling Sampling
	// Closing are those of Sampling.Stop that end a reply wherever they occur. The others are about
	// its content: in reasoning they end nothing.
	Closing []string

	// LogProbs says that the servers report log-probabilities: a reply without them is garbled
	// then, and tried again, so that a missing field cannot change a prior. Without it such a reply
	// is used, unscored.
	LogProbs bool
	// Unneeded says that the run can do without them: a server that refuses them, or has none, is
	// then no longer asked for them.
	Unneeded bool

	// TokenIDs says that the servers report the ids of tokens, which proposals keep. A server that
	// reports none is refused.
	TokenIDs bool

	// Single says that the servers draw one sample a request. Then each sample is asked for, and
	// tried again, by itself.
	Single bool

	// AllTaken says that the servers know all parameters, and have defaults of their own for those
	// that are not sent: none is left out unasked.
	AllTaken bool

	// LeaveOut are parameters that are not sent, each one of [Parameters].
	LeaveOut []string

	// Slots is how many prompts each server keeps, for as many conversations at a time; 0 asks the
	// servers that can tell ([Slotted]).
	Slots int

	Account *account.Account // what replies took is noted there, if it is not nil

	Retry   Retry
	Limit   Limit
	Timeout time.Duration // of one attempt, the server's queue included

	// Log gets one record when a server stops answering, and one when it is back. nil discards
	// them.
	Log *slog.Logger
}

// Retry bounds what is done about transient faults. The wait before another attempt doubles from
// Base to Max, less up to a half at random, and is never shorter than what the server asked for, at
// most a minute.
type Retry struct {
	// of one request at a server that answers; waiting for one that does not counts as none
	Attempts int           `yaml:"attempts"`
	Base     time.Duration `yaml:"base"`
	Max      time.Duration `yaml:"max"`
	Patience time.Duration `yaml:"patience"` // how long servers may be gone before requests fail; below 0 is not at all
}

// Limit bounds the sequences in flight at each server.
type Limit struct {
	Sequences int `yaml:"sequences"` // fixed; 0 finds it (auto.go says how)
	Start     int `yaml:"start"`     // where finding it starts
	Max       int `yaml:"max"`       // and what it never exceeds
}

// The defaults.
const (
	defaultAttempts = 12
	defaultBase     = 250 * time.Millisecond
	defaultMax      = 30 * time.Second
	DefaultPatience = 15 * time.Minute
	DefaultTimeout  = 10 * time.Minute
	defaultStart    = 8
	defaultLimit    = 1024
)

// downAfter is the number of consecutive transient faults, of any requests, after which a server
// counts as down.
const downAfter = 5

// Check reports what [New] would refuse.
func (o Options) Check() error {
	_, err := o.withDefaults()
	return err
}

// withDefaults fills in what was left out and reports what makes no sense.
func (o Options) withDefaults() (Options, error) {
	o.Retry = o.Retry.withDefaults()
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.Limit.Max = cmp.Or(o.Limit.Max, max(defaultLimit, o.Limit.Start))
	o.Limit.Start = cmp.Or(o.Limit.Start, min(defaultStart, o.Limit.Max))

	o.Log = orDiscard(o.Log)

	o.Single = o.Single || slices.Contains(o.LeaveOut, "n")
	o.LogProbs = o.LogProbs && !slices.Contains(o.LeaveOut, "logprobs")
	return o, o.validate()
}

// orDiscard returns log, or one that discards everything if it is nil.
func orDiscard(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}

// withDefaults fills in what was left out.
func (r Retry) withDefaults() Retry {
	r.Attempts = cmp.Or(r.Attempts, defaultAttempts)
	r.Base = cmp.Or(r.Base, defaultBase)
	r.Max = cmp.Or(r.Max, max(defaultMax, r.Base))
	r.Patience = cmp.Or(r.Patience, DefaultPatience)
	return r
}

func (o Options) validate() error {
	seen := make(map[string]bool, len(o.Backends))
	for _, b := range o.Backends {
		// One server would have two limits, and be down and up at once.
		if seen[b.Address()] {
			return fmt.Errorf("server: %s is named twice", b.Address())
		}

		seen[b.Address()] = true
	}

	// Neither Render nor Messages is no mistake: Complete needs none of them.
	switch {
	case len(o.Backends) == 0:
		return errors.New("server: no server")
	case o.Render != nil && o.Messages != nil:
		return errors.New("server: want either Render or Messages")
	case o.Retry.Attempts < 1:
		return fmt.Errorf("server: attempts is %d, want at least 1", o.Retry.Attempts)
	case o.Retry.Base < 0 || o.Retry.Max < o.Retry.Base:
		return fmt.Errorf("server: retries wait %v to %v", o.Retry.Base, o.Retry.Max)
	case o.Timeout < 0:
		return fmt.Errorf("server: timeout is %v", o.Timeout)
	case o.Slots < 0:
		return fmt.Errorf("server: slots is %d, want at least 1, or 0 to ask the servers", o.Slots)
	case o.Limit.Sequences < 0:
		return fmt.Errorf("server: limit is %d sequences, want at least 1, or 0 for auto", o.Limit.Sequences)
	case o.Limit.Start < 1 || o.Limit.Max < o.Limit.Start:
		return fmt.Errorf("server: the limit starts at %d and ends at %d", o.Limit.Start, o.Limit.Max)
	}

	if err := CheckLeaveOut(o.LeaveOut); err != nil {
		return fmt.Errorf("server: %w", err)
	}
	return o.Sampling.Validate()
}

// CheckLeaveOut rejects names of parameters that a request always has, or never.
func CheckLeaveOut(names []string) error {
	for _, name := range names {
		if !slices.Contains(Parameters(), name) {
			return fmt.Errorf("%q cannot be left out: want some of %s", name, strings.Join(Parameters(), ", "))
		}
	}

	return nil
}

// Validate reports the first parameter that no server accepts.
func (s Sampling) Validate() error {
	for _, p := range []struct {
		name     string
		value    float64
		low, top float64
		open     bool // low itself is not allowed
	}{
		{"temperature", s.Temperature, 0, 2, false},
		{"top_p", s.TopP, 0, 1, true},
		{"min_p", s.MinP, 0, 1, false},
		{"frequency_penalty", s.FrequencyPenalty, -2, 2, false},
		{"presence_penalty", s.PresencePenalty, -2, 2, false},
		{"repetition_penalty", s.RepetitionPenalty, 0, math.MaxFloat64, true},
	} {
		// Not p.value < p.low, which a NaN would pass.
		if !(p.value >= p.low && p.value <= p.top) || p.open && p.value == p.low {
			return fmt.Errorf("server: %s is %v, want %v..%v", p.name, p.value, p.low, p.top)
		}
	}

	switch {
	case s.TopK < 0:
		return fmt.Errorf("server: top_k is %d, want at least 0", s.TopK)
	case s.MaxTokens < 1:
		return fmt.Errorf("server: max_tokens is %d, want at least 1", s.MaxTokens)
	}

	// It would end every completion before it begins.
	if slices.Contains(s.Stop, "") {
		return errors.New("server: a stop text is empty")
	}

	return nil
}
