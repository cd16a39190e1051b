package kept

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
)

// The readers of this file take what a judge decided, and never what it quotes: the answers that
// are judged may hold the words of a verdict.

// errQuoted is that a verdict may be another's.
var errQuoted = errors.New("its verdict may be a quotation: nothing but a reason stands behind one")

// Decision returns a member of the JSON object that a reply is, or of the arguments of the function
// that it calls, as text. Reasoning before the reply is skipped, and so are objects within others.
// Where several objects have the member, its values have to be the same, and where what stands
// behind the last names another one of some words than the value, that is a doubt.
func Decision(reply, member string, words ...string) (string, error) {
	_, content := action.Part(reply)

	var (
		said   []string
		behind string
	)

	for o, rest := range objects(content, func(envs.Args) bool { return true }) {
		for _, value := range decisions(o, member) {
			said, behind = append(said, pytext.Str(value)), rest
		}
	}

	switch {
	case len(said) == 0:
		return "", ErrNoObject
	case len(slices.Compact(said)) > 1 || namesAnother(behind, said[0], words):
		return "", ErrVariants
	}

	return said[0], nil
}

// callParts are the members in which an object that is a call has its arguments.
var callParts = []string{"tool_calls", "function_call", "function", "arguments", "parameters"}

// decisions returns the values of a member of an object, or of the arguments of a call.
func decisions(v any, member string) (all []any) {
	switch v := v.(type) {
	case envs.Args:
		if value, ok := v.Get(member); ok {
			return []any{value}
		}

		for _, name := range callParts {
			part, _ := v.Get(name)
			all = append(all, decisions(part, member)...)
		}
	case []any:
		for _, one := range v {
			all = append(all, decisions(one, member)...)
		}
	case string: // arguments, as servers send them
		if o, rest, err := pytext.DecodeObject(v); err == nil && strings.TrimSpace(rest) == "" {
			return decisions(o, member)
		}
	}

	return all
}

// namesAnother reports whether a text has one of some words which is not the one that was said.
func namesAnother(text, said string, words []string) bool {
	return len(words) > 0 && slices.ContainsFunc(anyOf(words).FindAllString(text, -1), func(word string) bool {
		return !strings.EqualFold(word, said)
	})
}

// anyOf matches any of some words.
func anyOf(words []string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(words, "|") + `)\b`)
}

// reason is how what follows a verdict begins.
var reason = regexp.MustCompile(`(?i)^[\W_]*(?:reason|explanation|rationale|justification)`)

// verdictAlone returns a function that finds the verdict of a line, "" where it is not alone there.
func verdictAlone(verdicts []string) func(line string) string {
	any := anyOf(verdicts)
	whole := regexp.MustCompile(`(?i)^[\W_]*(?:(?:[\pL*_]+ ?){1,2}:[\W_]*)?(` +
		strings.Join(verdicts, "|") + `)\b[\s*_"'>)]*(?:$|[` + "`.:;!–—-])")
	return func(line string) string {
		found := whole.FindStringSubmatch(line)
		if found == nil || len(any.FindAllString(line, 2)) > 1 {
			return ""
		}
		return strings.ToLower(found[1])
	}
}

// Verdict returns which of some verdicts, in small letters, a reply gives: on its first line, or on
// a line that begins with a title, or on the one below the title. The verdict is whole words, and
// the only one of its line; marks may stand around it, a short name before it ("Status:"), and a
// remark behind it after a full stop, colon or dash. Several have to be the same. Reasoning before
// the reply is skipped.
func Verdict(reply, title string, verdicts ...string) (string, error) {
	_, content := action.Part(reply)
	lines := slices.DeleteFunc(strings.Split(content, "\n"), func(line string) bool {
		return strings.Trim(line, "` \t\r") == ""
	})

	titled := regexp.MustCompile(`(?i)^[\s*_#-]*` + strings.ReplaceAll(title, " ", "[ _]") + `[\s*_]*(:|$)`)
	alone := verdictAlone(verdicts)
	any := anyOf(verdicts)

	said := ""

	for i, line := range lines {
		at, isTitle := i, titled.MatchString(line)

		switch {
		case isTitle && !any.MatchString(line):
			at = min(i+1, len(lines)-1)
		case !isTitle && i > 0:
			continue
		}

		switch verdict := alone(lines[at]); {
		case verdict == "" && !isTitle: // a sentence
		case verdict == "":
			return "", fmt.Errorf("%q is not one of: %s", title, strings.Join(verdicts, ", "))
		case said != "" && said != verdict:
			return "", ErrVariants
		case i > 0 && at+1 < len(lines) && !reason.MatchString(lines[at+1]):
			return "", errQuoted // between other sentences
		default:
			said = verdict
		}
	}

	if said == "" {
		return "", fmt.Errorf("its first line is not one of: %s", strings.Join(verdicts, ", "))
	}
	return said, nil
}
