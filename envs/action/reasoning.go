package action

import (
	"slices"
	"strings"
	"unicode"

	"toolevo/envs"
	"toolevo/envs/names"
)

// Reasoning says what becomes of the reasoning of a model: what it writes in tags, or a server
// sends apart, before the content of a reply. In the text of an action it stands in tags at the
// beginning, however it came.
type Reasoning string

// The ways to deal with reasoning.
const (
	Show   Reasoning = "show"   // it is kept, and shown in later prompts
	Once   Reasoning = "once"   // it is kept, and trained in its own turn; later prompts do not show it
	Drop   Reasoning = "drop"   // it is neither kept nor shown
	Refuse Reasoning = "refuse" // a model that reasons ends the run
)

// ParseReasoning returns the way of a name; the error of an unknown one names the valid ones.
func ParseReasoning(name string) (Reasoning, error) {
	return names.Parse("reasoning", name, []Reasoning{Show, Once, Drop, Refuse})
}

// tags are what stands around reasoning.
type tags struct{ begin, end string }

// reasoningTags are those that models write: nearly all of them <think>, Seed-OSS, MiniMax M3,
// Magistral and Gemma 4 their own. In models without tags of their own the others are a habit
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

// Part parts a text that a model wrote into its reasoning, without the tags, and its content. The
// content is an end of the text, and the whole text where that does not begin with tags. Reasoning
// that does not end leaves no content.
func Part(text string) (reasoning, content string) {
	content = text

	var parts []string

	for {
		rest := strings.TrimLeftFunc(content, unicode.IsSpace)

		at := slices.IndexFunc(reasoningTags, func(t tags) bool { return strings.HasPrefix(rest, t.begin) })
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

// Join returns the text of a reply whose content a server sends apart from its reasoning, "" where
// it sends none. Content whose reasoning began in the prompt, so that only the end tag is in it,
// gets the beginning.
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
	return thinkTag + "\n" + reasoning + "\n" + thinkEndTag + "\n\n" + strings.TrimLeftFunc(rest, unicode.IsSpace)
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
