package action

import (
	"slices"
	"strings"
	"unicode"

	"toolevo/envs"
	"toolevo/envs/names"
)

// Reasoning says what happens to a model's reasoning: what the model writes in tags, or a server
// sends separately, before the content of a reply. In the text of an action it is in tags at the
// beginning in either case.
type Reasoning string

// The ways to deal with reasoning.
const (
	Show   Reasoning = "show"   // it is kept, and shown in later prompts
	Once   Reasoning = "once"   // it is kept, and trained in its own turn; later prompts do not show it
	Drop   Reasoning = "drop"   // it is neither kept nor shown
	Refuse Reasoning = "refuse" // a model that reasons ends the run
)

// ParseReasoning returns the way of a name. The error about an unknown name lists the valid ones.
func ParseReasoning(name string) (Reasoning, error) {
	return names.Parse("reasoning", name, []Reasoning{Show, Once, Drop, Refuse})
}

// tags enclose reasoning.
type tags struct{ begin, end string }

// reasoningTags are the tags that models write: nearly all of them <think>, but Seed-OSS, MiniMax
// M3, Magistral and Gemma 4 their own. Models without tags of their own write the others as a habit
// learnt from prompts.
var reasoningTags = []tags{
	{thinkTag, thinkEndTag},
	{"<seed:think>", "</seed:think>"},
	{"<mm:think>", "</mm:think>"},
	{"[THINK]", "[/THINK]"},
	{"<|channel>thought", "<channel|>"},
	{"<thinking>", "</thinking>"},
	{"<reasoning>", "</reasoning>"},
}

// Part splits a text that a model wrote into its reasoning, without the tags, and its content. The
// content is the end of the text, or the whole text if that does not begin with tags. Reasoning
// that does not end leaves no content.
func Part(text string) (reasoning, content string) {
	content = text

	var parts []string

	for {
		rest := strings.TrimLeftFunc(content, unicode.IsSpace)

		begins := func(t tags) bool { return strings.HasPrefix(rest, t.begin) }

		at := slices.IndexFunc(reasoningTags, begins)
		if at < 0 {
			return strings.Join(parts, "\n\n"), content
		}

		t := reasoningTags[at]
		inner, rest, _ := strings.Cut(rest[len(t.begin):], t.end)
		content = strings.TrimLeftFunc(rest, unicode.IsSpace)

		if inner = strings.TrimSpace(inner); inner != "" {
			parts = append(parts, inner)
		}
	}
}

// MentionsReasoning reports whether a text has a tag of reasoning anywhere.
func MentionsReasoning(text string) bool {
	return slices.ContainsFunc(reasoningTags, func(t tags) bool {
		return strings.Contains(text, t.begin) || strings.Contains(text, t.end)
	})
}

// Join returns the text of a reply whose reasoning a server sends separately, or not at all ("").
// Content whose reasoning began in the prompt has only the end tag, and gets the beginning.
func Join(reasoning, content string) string {
	own, rest := Part(content)

	if before, _, ok := strings.Cut(content, thinkEndTag); ok && rest == content &&
		!strings.Contains(before, thinkTag) {
		content = thinkTag + "\n" + strings.TrimLeftFunc(content, unicode.IsSpace)
		own, rest = Part(content)
	}

	reasoning = strings.TrimSpace(strings.ReplaceAll(reasoning, thinkEndTag, ""))
	if reasoning == "" || reasoning == own {
		return content
	}

	if own != "" {
		reasoning += "\n\n" + own
	}
	return thinkTag + "\n" + reasoning + "\n" + thinkEndTag + "\n\n" +
		strings.TrimLeftFunc(rest, unicode.IsSpace)
}

// Shown returns the history as later prompts show it: with the reasoning of its turns, or without.
func (r Reasoning) Shown(h envs.History) envs.History {
	if r == Show {
		return h
	}
	return h.Rewrite(func(a envs.Action) envs.Action {
		_, content := Part(string(a))
		return envs.Action(content)
	})
}
