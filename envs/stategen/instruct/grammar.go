package instruct

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// join joins parts of a sentence: "a", "a and b", "a, b and c".
func join(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}

	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

var ordinals = []string{
	"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
}

// ordinal returns the ordinal of an element's index in a list.
func ordinal(index int) string {
	if index < len(ordinals) {
		return ordinals[index]
	}

	n, suffix := index+1, "th"

	if n%100/10 != 1 && n%10 > 0 && n%10 < 4 {
		suffix = []string{"st", "nd", "rd"}[n%10-1]
	}
	return fmt.Sprint(n, suffix)
}

// counted writes a small number.
func counted(n int) string {
	if n == 2 {
		return "two"
	}
	return fmt.Sprint(n)
}

// capital begins a sentence.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// quoted writes a name as it is.
func quoted(name string) string { return "`" + name + "`" }

func quotedAll(names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = quoted(name)
	}
	return all
}
