package pytext

import "strings"

// Format fills fields into a text as Python's str.format does: pairs of a field in braces, such as
// "{query}", and its text. What is filled in stays as it is, and so do fields that are not named.
func Format(text string, fields ...string) string {
	return strings.NewReplacer(append(fields, "{{", "{", "}}", "}")...).Replace(text)
}
