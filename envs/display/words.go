package display

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Ordinal returns "1st", "2nd", "3rd", "4th" …
func Ordinal(n int) string {
	suffix := "th"
	if last := n % 10; n/10%10 != 1 && last >= 1 && last <= 3 {
		suffix = [...]string{"st", "nd", "rd"}[last-1]
	}
	return strconv.Itoa(n) + suffix
}

// Capital begins a text with a capital, as a sentence begins.
func Capital(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + text[size:]
}
