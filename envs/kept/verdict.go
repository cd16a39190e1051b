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

// The readers in this file accept what a judge decided, and never what it quotes: the judged
// answers may contain the words of a verdict.

// errQuoted means that a verdict may be quoted from somebody else.
var errQuoted = errors.New("its verdict may be a quotation: nothing but a reason stands behind one")

// Decision returns a member of the JSON object that a reply is, or of the arguments of the function
// that it calls, as text. Reasoning before the reply is skipped, and so are objects within others.
// If several objects have the member, its values must be the same. If the text after the last one
// names another of the words than the value, the decision is doubtful.
func Decision(reply, member string, words ...string) (string, error) {
	_, content := action.Part(reply)

	var (
		values []string
		after  string
	)

	for o, rest := range objects(content, func(envs.Args) bool { return true }) {
		for _, value := range decisions(o, member) {
			values, after = append(values, pytext.Str(value)), rest
		}
	}

	switch {
	case len(values) == 0:
		return "", ErrNoObject
	case len(slices.Compact(values)) > 1 || namesAnother(after, values[0], words):
		return "", ErrVariants
	}

	return values[0], nil
}

// callParts are the members that may contain the arguments of a call.
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
		for _, item := range v {
			all = append(all, decisions(item, member)...)
		}
	case string: // arguments, as servers send them
		if o, rest, err := pytext.DecodeObject(v); err == nil && strings.TrimSpace(rest) == "" {
			return decisions(o, member)
		}
	}

	return all
}

// namesAnother reports whether a text contains one of some words other than the given one.
func namesAnother(text, given string, words []string) bool {
	isOther := func(word string) bool { return !strings.EqualFold(word, given) }
	return len(words) > 0 && slices.ContainsFunc(anyOf(words).FindAllString(text, -1), isOther)
}

// anyOf matches any of some words.
func anyOf(words []string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(words, "|") + `)\b`)
}

// reason fits the beginning of the reason that may follow a verdict.
var reason = regexp.MustCompile(`(?i)^[\W_]*(?:reason|explanation|rationale|justification)`)

// verdictAlone returns a function that finds the verdict of a line, or "" if it is not the only one
// there.
func verdictAlone(verdicts []string) func(line string) string {
	words := anyOf(verdicts)
	whole := regexp.MustCompile(`(?i)^[\W_]*(?:(?:[\pL*_]+ ?){1,2}:[\W_]*)?(` +
		strings.Join(verdicts, "|") + `)\b[\s*_"'>)]*(?:$|[` + "`.:;!–—-])")
	return func(line string) string {
		found := whole.FindStringSubmatch(line)
		if found == nil || len(words.FindAllString(line, 2)) > 1 {
			return ""
		}
		return strings.ToLower(found[1])
	}
}

// Verdict returns which of some verdicts, in lower case, a reply gives: on its first line, on a
// line that begins with a title, or on the line below the title. The verdict consists of whole
// words, and is the only one of its line. It may have marks around it, a short name before it
// ("Status:"), and a remark after it that follows a full stop, colon or dash. Several verdicts must
// be the same. Reasoning before the reply is skipped.
func Verdict(reply, title string, verdicts ...string) (string, error) {
	_, content := action.Part(reply)
	lines := slices.DeleteFunc(strings.Split(content, "\n"), func(line string) bool {
		return strings.Trim(line, "` \t\r") == ""
	})

	titled := regexp.MustCompile(`(?i)^[\s*_#-]*` + strings.ReplaceAll(title, " ", "[ _]") +
		`[\s*_]*(:|$)`)
	verdictOf := verdictAlone(verdicts)
	words := anyOf(verdicts)

	given := ""

	for i, line := range lines {
		at, isTitle := i, titled.MatchString(line)

		// The verdict may be on the line below its title. Any other line after the first may be a
		// quotation.
		switch {
		case isTitle && !words.MatchString(line):
			at = min(i+1, len(lines)-1)
		case !isTitle && i > 0:
			continue
		}

		// The first line may be a sentence; a title must be followed by a verdict. Amid other
		// sentences a verdict may be quoted, so only a reason may follow.
		switch verdict := verdictOf(lines[at]); {
		case verdict == "" && !isTitle:
		case verdict == "":
			return "", fmt.Errorf("%q is not one of: %s", title, strings.Join(verdicts, ", "))
		case given != "" && given != verdict:
			return "", ErrVariants
		case i > 0 && at+1 < len(lines) && !reason.MatchString(lines[at+1]):
			return "", errQuoted
		default:
			given = verdict
		}
	}

	if given == "" {
		return "", fmt.Errorf("its first line is not one of: %s", strings.Join(verdicts, ", "))
	}
	return given, nil
}
