package console

import "strings"

// Shell joins words to a line that a shell takes apart into the same words.
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

// harmless are the characters that mean nothing to a shell, wherever they stand in a word.
const harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,=@%"
