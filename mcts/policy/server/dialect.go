package server

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Dialect says how requests are written for a server that does not take all that others take. The
// zero value leaves out nothing.
type Dialect struct {
	LeaveOut            []string // parameters that are not sent, each one of [Parameters]
	MaxCompletionTokens bool     // the name of max_tokens is max_completion_tokens
	OneLogProb          bool     // logprobs is 1 where 0 would do
	MostSamples         int      // of one request; 0 is any number
}

// Parameters are what can be left out of a request, by the names that OpenAI's protocol and vLLM
// give it.
func Parameters() []string {
	return []string{
		"n", "seed", "stop", "max_tokens", "logprobs", "temperature", "top_p", "top_k", "min_p",
		"frequency_penalty", "presence_penalty", "repetition_penalty", "include_stop_str_in_output",
		"add_special_tokens", "stream",
	}
}

// Omits reports whether a parameter is not sent.
func (d *Dialect) Omits(parameter string) bool { return slices.Contains(d.LeaveOut, parameter) }

// String lists what differs from requests to servers that take everything, or "".
func (d *Dialect) String() string {
	var all []string
	if d.MostSamples > 0 {
		all = append(all, fmt.Sprintf("n at most %d", d.MostSamples))
	}

	if d.MaxCompletionTokens {
		all = append(all, "max_completion_tokens for max_tokens")
	}

	if d.OneLogProb {
		all = append(all, "logprobs 1 for 0")
	}

	for _, parameter := range d.LeaveOut {
		note := ""
		if parameter == "seed" {
			note = " (another run draws other samples)"
		}

		all = append(all, "no "+parameter+note)
	}
	return strings.Join(all, ", ")
}

// lesser is something that some servers refuse, and what they are sent instead.
type lesser struct {
	names   []string // words by which a refusal may name it
	named   bool     // tried only if a refusal names it: others refuse what is sent instead
	samples bool     // it is the number of samples
	// differs says that other requests are not changed with this one unless the server refuses
	// them, too: the change would alter their samples, or make the server refuse them.
	differs bool
	// change makes it part of a dialect. It reports false if it is already, or if the samples would
	// not be those that were asked for.
	change func(*Dialect, Completion) bool
}

// table lists what servers are known to refuse. Only a seed that is left out changes samples: they
// differ from those of the same run at another time.
var table = []lesser{
	{names: []string{"n", "choice", "choices", "best_of"}, samples: true, change: fewerSamples},
	without("top_k", func(s Sampling) bool { return s.TopK == 0 }),
	without("min_p", func(s Sampling) bool { return s.MinP == 0 }),
	without("repetition_penalty", func(s Sampling) bool { return s.RepetitionPenalty == 1 }),
	without("include_stop_str_in_output", always),
	without("add_special_tokens", always),
	without("stream", always),
	without("frequency_penalty", func(s Sampling) bool { return s.FrequencyPenalty == 0 }),
	without("presence_penalty", func(s Sampling) bool { return s.PresencePenalty == 0 }),
	without("top_p", func(s Sampling) bool { return s.TopP == 1 }),
	without("stop", func(s Sampling) bool { return len(s.Stop) > 0 }), // backends cut the text
	withoutSeed(),
	{names: figureNames, named: true, change: oneLogProb},
	{names: figureNames, change: noLogProbs},
	{
		names: []string{"max_tokens", "max_completion_tokens"}, named: true, differs: true,
		change: maxCompletionTokens,
	},
}

// figureNames are words for log-probabilities.
var figureNames = []string{"logprobs", "top_logprobs", "probabilities"}

// without leaves out a parameter, if that changes no samples.
func without(name string, harmless func(Sampling) bool) lesser {
	return lesser{names: []string{name}, change: func(d *Dialect, c Completion) bool {
		if d.Omits(name) || !harmless(c.Sampling) {
			return false
		}

		d.LeaveOut = append(slices.Clone(d.LeaveOut), name)
		return true
	}}
}

func always(Sampling) bool { return true }

func withoutSeed() lesser {
	l := without("seed", always)
	l.differs = true
	return l
}

func fewerSamples(d *Dialect, c Completion) bool {
	if c.N == 1 || d.MostSamples > 0 && d.MostSamples < c.N {
		return false
	}

	d.MostSamples = c.N - 1
	return true
}

func oneLogProb(d *Dialect, _ Completion) bool {
	changed := !d.OneLogProb && !d.Omits("logprobs")
	d.OneLogProb = d.OneLogProb || changed
	return changed
}

func noLogProbs(d *Dialect, c Completion) bool {
	return c.unneeded && without("logprobs", always).change(d, c)
}

func maxCompletionTokens(d *Dialect, _ Completion) bool {
	changed := !d.MaxCompletionTokens && !d.Omits("max_tokens")
	d.MaxCompletionTokens = d.MaxCompletionTokens || changed
	return changed
}

// rows is a set of rows of the table, a bit for each.
type rows uint

// each yields the rows one by one.
func (r rows) each(yield func(rows) bool) {
	for i := range table {
		if row := r & (1 << i); row != 0 && !yield(row) {
			return
		}
	}
}

// with returns a dialect with rows of the table, as far as they change it.
func (d Dialect) with(some rows, c Completion) Dialect {
	for i, l := range table {
		if some&(1<<i) != 0 {
			l.change(&d, c)
		}
	}

	return d
}

// changing returns the rows that would change the dialect and for which a condition holds.
func (d Dialect) changing(c Completion, holds func(lesser) bool) rows {
	var some rows

	for i, l := range table {
		changed := d
		if holds(l) && l.change(&changed, c) {
			some |= 1 << i
		}
	}

	return some
}

// names reports whether a fault has one of these words.
func (f *Fault) names(words ...string) bool {
	message := strings.FieldsFunc(strings.ToLower(f.Message), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(message, word) })
}
