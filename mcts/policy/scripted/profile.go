package scripted

import (
	"embed"
	"fmt"
	"slices"

	"toolevo/envs/action"
	"toolevo/envs/names"
	"toolevo/envs/yamltext"
)

// Profile is how a scripted policy behaves.
type Profile struct {
	Name string

	// ReadsNotices is whether a deprecation notice changes what is called. Without it the policy
	// keeps calling what the prompt lists.
	ReadsNotices bool `yaml:"reads_notices"`

	// QuotesNotices is whether a thought says a notice's example before the call that follows it. A
	// small model that learns from such thoughts copies names first, and fills in values then.
	QuotesNotices bool `yaml:"quotes_notices"`

	// ReadsHints is whether notes above answers, and documents that the policy is shown, change
	// what is called and how answers are understood. Without it every answer is trusted.
	ReadsHints bool `yaml:"reads_hints"`

	// Knowing is whether the policy is told how its calls are written in the deployed version; see
	// [Policy.In].
	Knowing bool

	// NoUpdateTool is set if the prompt does not offer UpdateTool (prompt.Prompt.NoUpdateTool).
	NoUpdateTool bool `yaml:"-"`

	// Codec is what actions are written in; nil is ReAct.
	Codec action.Codec `yaml:"-"`

	// Patience is after how many errors in a row on one step the policy finishes with "unknown". A
	// deprecation that can be read is not an error here.
	Patience int

	// Rephrase is the probability that a sample words its thought in another way than the
	// likeliest.
	Rephrase float64

	Rates Rates

	// Hopeless is the share of questions, chosen by a hash of their text, that the policy never
	// solves: it works as on any other, and always ends with "unknown".
	Hopeless float64

	// Greedy is the share of Rates that applies in greedy decoding. Which steps go wrong then
	// depends only on the question and the number of turns.
	Greedy float64
}

// Rates are the probabilities of mistakes, each per sample in which that mistake is possible. A
// sample makes at most one.
type Rates struct {
	Column       float64 // names another of the columns that an observation listed
	Arithmetic   float64 // a wrong digit in Python code or in the final answer, another aggregate in SQL
	EarlyAnswer  float64 `yaml:"early_answer"` // finishes before the solution is complete
	Malformed    float64 // Action Input is not JSON: a missing brace, or single quotes
	NoAction     float64 `yaml:"no_action"`     // leaves the Action line out
	OldParams    float64 `yaml:"old_params"`    // calls the new name with the old parameters
	IgnoreNotice float64 `yaml:"ignore_notice"` // calls the deprecated name once more
	ForgetUpdate float64 `yaml:"forget_update"` // goes on without calling UpdateTool
	RepeatUpdate float64 `yaml:"repeat_update"` // calls UpdateTool a second time
	ExtraCall    float64 `yaml:"extra_call"`    // repeats the last call though it succeeded
	GiveUp       float64 `yaml:"give_up"`       // finishes with "unknown"
}

//go:embed habits.yaml
var files embed.FS

// habits are the built-in profiles, and the sentences of thoughts.
var habits = yamltext.Once[struct {
	Profiles []Profile
	Openers  [][]string // by situation
	Closers  []string
}](files, "habits.yaml")

// Profiles returns the built-in profiles, in alphabetical order.
func Profiles() []Profile { return slices.Clone(habits().Profiles) }

// ParseProfile returns the built-in profile called name; the error of an unknown name lists the
// valid ones.
func ParseProfile(name string) (Profile, error) {
	var valid []string

	for _, p := range Profiles() {
		if p.Name == name {
			return p, nil
		}

		valid = append(valid, p.Name)
	}
	return Profile{}, fmt.Errorf("policy: %w", names.Unknown("scripted profile", name, valid))
}

// Validate reports the first value that makes no sense.
func (p Profile) Validate() error {
	if p.Patience < 1 {
		return fmt.Errorf("policy: profile %s: patience is %d, want at least 1", p.Name, p.Patience)
	}

	all := []float64{p.Rephrase, p.Greedy, p.Hopeless}

	_, _, _, slips := p.Rates.slips()
	for _, s := range slips {
		all = append(all, s.rate)
	}

	if i := slices.IndexFunc(all, func(x float64) bool { return !(x >= 0 && x <= 1) }); i >= 0 {
		return fmt.Errorf("policy: profile %s: rate %v is not in 0..1", p.Name, all[i])
	}
	return nil
}
