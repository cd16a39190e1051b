package account

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"toolevo/envs/display"
)

// Usage is what calls to models took.
type Usage struct {
	Calls            int64 `json:"calls"`             // requests that servers answered
	PromptTokens     int64 `json:"prompt_tokens"`     // as the servers count them
	CachedTokens     int64 `json:"cached_tokens"`     // of those, found in a prefix cache
	CompletionTokens int64 `json:"completion_tokens"` // of all samples
	// calls of those above, of which no tokens are known, as their server tells none
	Untold int64 `json:"calls_without_tokens,omitempty"`
	// in the currency of the prices; the calls for which there were none cost nothing here
	Cost     float64 `json:"cost,omitempty"`
	Unpriced int64   `json:"calls_without_price,omitempty"` // of the calls
}

// Tokens are those of prompts and completions together.
func (u Usage) Tokens() int64 { return u.PromptTokens + u.CompletionTokens }

// Minus returns what u has beyond an earlier count of the same.
func (u Usage) Minus(earlier Usage) Usage {
	return Usage{
		Calls: u.Calls - earlier.Calls, PromptTokens: u.PromptTokens - earlier.PromptTokens,
		CachedTokens:     u.CachedTokens - earlier.CachedTokens,
		CompletionTokens: u.CompletionTokens - earlier.CompletionTokens, Untold: u.Untold - earlier.Untold,
		Cost: u.Cost - earlier.Cost, Unpriced: u.Unpriced - earlier.Unpriced,
	}
}

func (u *Usage) add(v Usage) {
	u.Calls += v.Calls
	u.PromptTokens += v.PromptTokens
	u.CachedTokens += v.CachedTokens
	u.CompletionTokens += v.CompletionTokens
	u.Untold += v.Untold
	u.Cost += v.Cost
	u.Unpriced += v.Unpriced
}

// String is a line for people: "48 calls, 12k prompt tokens (8k cached), 2k completion tokens, cost
// 0.42".
func (u Usage) String() string {
	count := func(n int64, what string) string { return display.Count(float64(n)) + " " + what }

	prompt := count(u.PromptTokens, "prompt tokens")
	if u.CachedTokens > 0 {
		prompt += " (" + count(u.CachedTokens, "cached") + ")"
	}

	parts := []string{count(u.Calls, "calls"), prompt, count(u.CompletionTokens, "completion tokens")}
	if u.Unpriced < u.Calls {
		parts = append(parts, "cost "+Money(u.Cost))
	}

	if u.Unpriced > 0 && u.Unpriced < u.Calls {
		parts = append(parts, count(u.Unpriced, "calls without a price"))
	}

	if u.Untold > 0 {
		parts = append(parts, "tokens unknown for "+count(u.Untold, "calls, whose server reports none"))
	}
	return strings.Join(parts, ", ")
}

// Money is a sum in any currency: cents, or the first digits of what is less.
func Money(sum float64) string {
	if sum >= 1 || sum == 0 {
		return fmt.Sprintf("%.2f", sum)
	}
	return fmt.Sprintf("%.3g", sum)
}

// Prices are what a million tokens cost, in any currency.
type Prices struct {
	Prompt     float64 `json:"prompt"`     // of prompt tokens
	Cached     float64 `json:"cached"`     // of prompt tokens that were found in a prefix cache
	Completion float64 `json:"completion"` // of completion tokens
}

// PriceList are the prices of models.
type PriceList struct {
	Others *Prices           // of the models that are not named; nil where they are not known
	Models map[string]Prices // by their names, KIND:MODEL or MODEL
}

// Of returns the prices of a model, KIND:MODEL, or nil if they are not known.
func (l PriceList) Of(model string) *Prices {
	_, name, _ := strings.Cut(model, ":")

	for _, name := range []string{model, name} {
		if p, ok := l.Models[name]; ok {
			return &p
		}
	}

	return l.Others
}

// isEmpty reports whether there is no price.
func (l PriceList) isEmpty() bool { return l.Others == nil && len(l.Models) == 0 }

// ParsePrices reads the prices of prompt and completion tokens, or of prompt, cached prompt and
// completion tokens. A number behind "MODEL=" begins the prices of that model alone.
func ParsePrices(list []string) (l PriceList, err error) {
	type group struct {
		model   string // "" is all others
		numbers []float64
	}

	groups := []group{{}}

	for _, text := range list {
		// The last "=", for a model's name may have some itself.
		if i := strings.LastIndex(text, "="); i >= 0 {
			groups = append(groups, group{model: strings.TrimSpace(text[:i])})
			text = text[i+1:]
		}

		// Not n < 0, which a NaN would pass.
		n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(n >= 0) || math.IsInf(n, 0) {
			return PriceList{}, fmt.Errorf("%q is not a price: want a number of at least 0", text)
		}

		last := &groups[len(groups)-1]
		last.numbers = append(last.numbers, n)
	}

	// A list that begins with "MODEL=" has no numbers before it: what other models cost is unknown.
	if groups[0].numbers == nil {
		groups = groups[1:]
	}

	l.Models = map[string]Prices{}

	for _, g := range groups {
		p, err := pricesOf(g.numbers)
		if err != nil {
			return PriceList{}, err
		}

		if g.model == "" {
			l.Others = p
		} else {
			l.Models[g.model] = *p
		}
	}
	return l, nil
}

// pricesOf reads the numbers of a model.
func pricesOf(numbers []float64) (*Prices, error) {
	switch len(numbers) {
	case 2:
		return &Prices{numbers[0], numbers[0], numbers[1]}, nil
	case 3:
		return &Prices{numbers[0], numbers[1], numbers[2]}, nil
	}

	return nil, errors.New("want what a million tokens cost, of prompts and of completions, or of prompts, " +
		"cached prompts and completions, e.g. 0.5,1.5 or 0.5,0.05,1.5; and behind them those of another model, e.g. " +
		"openai:judge=2,8")
}

// Of is what calls cost.
func (p Prices) Of(u Usage) float64 {
	return (float64(u.PromptTokens-u.CachedTokens)*p.Prompt + float64(u.CachedTokens)*p.Cached +
		float64(u.CompletionTokens)*p.Completion) / 1e6
}

// price notes what the calls cost, or that their price is unknown.
func (u *Usage) price(p *Prices) {
	if u.Cost, u.Unpriced = 0, u.Calls; p != nil {
		u.Cost, u.Unpriced = p.Of(*u), 0
	}
}
