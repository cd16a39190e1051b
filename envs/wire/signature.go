package wire

import "strings"

// ParseSignature reads "Name[p1, p2]" or "Name" at the beginning of a text, as tool lists, notices
// and models write it.
func ParseSignature(text string) (name string, params []string, signature string, ok bool) {
	text = strings.TrimLeft(text, " \n`")

	n := 0
	for n < len(text) && isNameByte(text[n]) {
		n++
	}

	// A name may have dots in it, but without brackets the last one ends a sentence.
	if !strings.HasPrefix(text[n:], "[") {
		n = len(strings.TrimRight(text[:n], "."))
	}

	if n == 0 {
		return "", nil, "", false
	}

	name, rest := text[:n], text[n:]
	if !strings.HasPrefix(rest, "[") {
		return name, nil, name, true
	}

	end := strings.IndexByte(rest, ']')
	if end < 0 {
		return "", nil, "", false
	}

	for p := range strings.SplitSeq(rest[1:end], ",") {
		// Notices and models put names into angle brackets: LoadDB[<DBName>].
		if p = strings.Trim(p, " <>"); p != "" {
			params = append(params, p)
		}
	}

	return name, params, text[:n+end+1], true
}

// isNameByte allows what appendices B.2 and D.1 put into names.
func isNameByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte("_-@%#.", c) >= 0 || c >= 0x80
}
