package pytool

import (
	"regexp"
	"strings"
)

// The address of an object differs from process to process, and Python shows it in the text of an
// object that has no better one, such as "<__main__.Shop object at 0x7f3a9c0b5d90>". Every such
// address is shown as this one.
const address = " at 0x7f0000000000"

var (
	shownAddress = regexp.MustCompile(` at 0x[0-9a-f]{4,16}([>,;:])`)
	cutAddress   = regexp.MustCompile(` at 0x[0-9a-f]*$`)
)

// withoutAddresses replaces the addresses of objects in what a program printed. An address counts
// only behind a "<" in its line and before a character that ends or continues such a text; with
// cut, which says that the end of the output is missing, also at the end.
func withoutAddresses(text string, cut bool) string {
	if !strings.Contains(text, " at 0x") {
		return text
	}
	var b strings.Builder

	for line := range strings.Lines(text) {
		if start := strings.IndexByte(line, '<'); start >= 0 {
			b.WriteString(line[:start])

			line = shownAddress.ReplaceAllString(line[start:], address+"$1")
			if cut {
				line = cutAddress.ReplaceAllString(line, address)
			}
		}

		b.WriteString(line)
	}
	return b.String()
}
