package account

import (
	"fmt"
	"time"
)

// Stops are limits of work. The zero Stops have none.
type Stops struct {
	After        time.Duration // of the work of this process
	At           string        // the next time of day, HH:MM
	Tokens       int64         // of prompts and completions, as servers report them
	Cost         float64       // by the prices
	Trajectories int64         // that training takes
}

// Limit is a limit that is reached, or that cannot be kept.
type Limit struct {
	Option string // that set it, e.g. "max-cost"
	Unkept bool   // it cannot be kept: nothing shows when it is reached
	why    string
}

// Error names the limit, by its option in ‹quotes›, and says what was reached or is wrong.
func (l *Limit) Error() string { return "‹" + l.Option + "› " + l.why }

// Check rejects limits that make no sense.
func (s Stops) Check() error {
	switch {
	case s.After < 0:
		return &Limit{Option: "stop-after", why: fmt.Sprintf("%v: want a time, such as 8h", s.After)}
	case s.Tokens < 0:
		return &Limit{Option: "max-total-tokens", why: fmt.Sprintf("%d: want at least 1", s.Tokens)}
	case !(s.Cost >= 0):
		return &Limit{Option: "max-cost", why: fmt.Sprintf("%v: want a sum above 0", s.Cost)}
	case s.Trajectories < 0:
		return &Limit{Option: "max-trajectories", why: fmt.Sprintf("%d: want at least 1", s.Trajectories)}
	}

	_, err := s.end(time.Now())
	return err
}

// end returns when work that begins now has to end, and by which limit; nil means never.
func (s Stops) end(now time.Time) (*deadline, error) {
	var first *deadline

	if s.After > 0 {
		first = &deadline{now.Add(s.After), Limit{Option: "stop-after", why: fmt.Sprintf("%v is over", s.After)}}
	}

	if s.At == "" {
		return first, nil
	}

	clock, err := time.Parse("15:04", s.At)
	if err != nil {
		return nil, &Limit{Option: "stop-at", why: s.At + ": want a time of day, such as 07:00"}
	}

	on := func(day int) time.Time {
		return time.Date(now.Year(), now.Month(), day, clock.Hour(), clock.Minute(), 0, 0, now.Location())
	}

	next := on(now.Day())
	if !next.After(now) {
		// Not 24 hours later: a day on which the clocks change is longer or shorter.
		next = on(now.Day() + 1)
	}

	// With both set the work ends by the earlier, which is also the one to name.
	if first == nil || next.Before(first.at) {
		first = &deadline{next, Limit{Option: "stop-at", why: s.At + " has come"}}
	}
	return first, nil
}

type deadline struct {
	at    time.Time
	limit Limit
}

// reached returns the first limit that is reached, or nil. all is what every pass took; calls is
// what this process took.
func (s Stops) reached(all, calls Usage, trajectories int64) *Limit {
	counts := s.Tokens > 0 || s.Cost > 0

	option := "max-cost"
	if s.Tokens > 0 {
		option = "max-total-tokens"
	}

	// Limits that are reached come first: a run that is over anyway need not hear what is missing.
	switch {
	case s.Cost > 0 && all.Cost >= s.Cost:
		return &Limit{Option: "max-cost", why: fmt.Sprintf("%v is reached: %s was spent", s.Cost, Money(all.Cost))}
	case s.Tokens > 0 && all.Tokens() >= s.Tokens:
		return &Limit{
			Option: "max-total-tokens",
			why:    fmt.Sprintf("%d is reached: there were %d", s.Tokens, all.Tokens()),
		}
	case s.Trajectories > 0 && trajectories >= s.Trajectories:
		return &Limit{
			Option: "max-trajectories",
			why:    fmt.Sprintf("%d is reached: %d are accepted", s.Trajectories, trajectories),
		}
	// The counts lack such calls, so nothing would show when the limit is reached. Only this
	// process's: a run whose server now reports tokens may continue.
	case counts && calls.Untold > 0:
		return &Limit{option, true, "cannot be kept: a server reports no tokens (usage) with its replies; " +
			"‹stop-after› needs none"}
	case s.Cost > 0 && calls.Unpriced > 0:
		return &Limit{"max-cost", true, noPrices}
	}

	return nil
}

// noPrices is what is wrong with a limit of cost if it is unknown what calls cost.
const noPrices = "needs to know what calls cost: add ‹prices› PROMPT,CACHED,COMPLETION, per million tokens"
