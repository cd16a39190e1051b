package console

import "strings"

// Shell joins words to a line that a shell splits into the same words.
func Shell(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.Trim(w, harmless) != "" {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}

	return strings.Join(quoted, " ")
}

// harmless are the characters that mean nothing to a shell anywhere in a word.
const harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,=@%"
