package pytext

import "strings"

// Format fills fields into a text as Python's str.format does: pairs of a field in braces, such as
// "{query}", and its text. Texts that are filled in are not searched, and other fields are left as
// they are.
func Format(text string, fields ...string) string {
	return strings.NewReplacer(append(fields, "{{", "{", "}}", "}")...).Replace(text)
}
