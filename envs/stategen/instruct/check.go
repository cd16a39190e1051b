package instruct

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// Check returns what is wrong with a task's instruction: a variable that is not named, or whose
// value is shown. What the program states itself, and the types of variables, may be shown.
func Check(t *stategen.Task) error { return check(t, t.Instruction) }

func check(t *stategen.Task, made stategen.Instruction) error {
	var wrong []error

	used := map[string]bool{}
	for _, e := range t.Program.Exprs() {
		used[e.Var] = true
	}

	text := made.Variables + "\n" + made.Text
	open := openValues(&t.Program)
	covered := cover(text, open)
	sentences := endPattern.Split(covered, -1)

	// Programs that others wrote may have variables that no statement uses.
	for _, v := range t.Program.Init {
		switch {
		case !hasWord(made.Variables, v.Name):
			wrong = append(wrong, fmt.Errorf("the definitions do not name the variable %s", v.Name))
		case used[v.Name] && !hasWord(made.Text, v.Name):
			wrong = append(wrong, fmt.Errorf("the task does not name the variable %s", v.Name))
		}

		for _, value := range hiddenValues(t, v) {
			if !open[value] && shows(covered, sentences, v.Name, value) {
				wrong = append(wrong, fmt.Errorf("the value of %s is shown: %q", v.Name, value))
				// One value is reason enough to reject the draft.
				break
			}
		}
	}

	// All at once: a writer has few drafts to mend them in.
	return errors.Join(wrong...)
}

// hiddenValues returns the values of a variable in all cases, as texts.
func hiddenValues(t *stategen.Task, v stategen.Variable) []string {
	all := leaves(nil, v.Value.Any)

	for _, c := range t.Cases {
		if set, ok := c.Set[v.Name]; ok {
			all = leaves(all, set.Any)
		}
	}

	// An object of the service is known by the name of its variable.
	return slices.DeleteFunc(all, func(value string) bool { return value == v.Name })
}

// leaves appends the texts and numbers of a value.
func leaves(all []string, v any) []string {
	envs.Map(v, func(part any) (any, bool) {
		switch part := part.(type) {
		case string:
			all = append(all, part)
		case envs.Number:
			all = append(all, string(part))
		}
		return part, false
	})
	return all
}

// openValues returns the values that an instruction may show: those in the program, and the numbers
// of types.
func openValues(p *stategen.Program) map[string]bool {
	open := map[string]bool{}

	for _, e := range p.Exprs() {
		if e.Value != nil {
			for _, text := range leaves(nil, e.Value.Any) {
				open[text] = true
			}
		}

		for _, step := range e.Path {
			open[step] = true
		}
	}

	for _, v := range p.Init {
		for _, n := range numberPattern.FindAllString(v.Type, -1) {
			open[n] = true
		}
	}

	return open
}

var (
	numberPattern = regexp.MustCompile(`\d+(?:\.\d+)?`)
	// The mark before an item of a list is no value.
	pointPattern = regexp.MustCompile(`(?m)^\s*(?:\d+[.)]|[-*])\s`)
	endPattern   = regexp.MustCompile(`[.!?]\s|\n`)
)

// cover removes from a text the marks of lists, and the values that may be shown, unless they could
// be there by accident.
func cover(text string, open map[string]bool) string {
	text = pointPattern.ReplaceAllString(text, "\n")

	for value := range open {
		if isTelling(value) {
			text = strings.ReplaceAll(text, value, "")
		}
	}

	return text
}

// isTelling reports whether a value cannot be in a text by accident.
func isTelling(value string) bool {
	return len(value) >= 4 && strings.ContainsFunc(value, func(r rune) bool {
		return r == '_' || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.'
	})
}

// shows reports whether a text shows the value of a variable. A single word or a number counts only
// in quotes, or in one sentence with its variable: "2" in "call it twice, 2 times in all" is not
// the constant 2.
func shows(text string, sentences []string, name, value string) bool {
	if value = strings.TrimSpace(value); value == "" {
		return false
	}

	if isTelling(value) {
		return strings.Contains(strings.ToLower(text), strings.ToLower(value))
	}

	for _, quote := range []string{"`%s`", `"%s"`, "'%s'", "“%s”"} {
		if strings.Contains(text, fmt.Sprintf(quote, value)) {
			return true
		}
	}

	if len(value) == 1 && strings.ToLower(value) != strings.ToUpper(value) {
		return false // a letter: "a" is a word
	}
	return slices.ContainsFunc(sentences, func(sentence string) bool {
		return hasWord(sentence, name) && hasWord(sentence, value)
	})
}

// hasWord reports whether a text has a word, other than as part of a longer one or of a decimal
// number.
func hasWord(text, word string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}

		start := from + at
		from = start + len(word)

		if !continues(text, start-1, -1) && !continues(text, from, 1) {
			return true
		}
	}
}

// continues reports whether a word continues at an index, in one direction: with a letter, a digit,
// or a point next to a digit.
func continues(text string, at, step int) bool {
	in := func(i int, chars func(c byte) bool) bool { return i >= 0 && i < len(text) && chars(text[i]) }
	isPoint := func(c byte) bool { return c == '.' }
	return in(at, isWord) || in(at, isPoint) && in(at+step, isDigit)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}
