package bpe

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// The split patterns, as tokenizer.json spells them.
const (
	gpt2   = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	llama3 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen2  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen35 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// splitter cuts text, by one of the patterns, into pieces that are merged separately.
type splitter struct{ pattern *regexp.Regexp }

var patterns = map[string]splitter{
	gpt2: compile(gpt2), llama3: compile(llama3), qwen2: compile(qwen2), qwen35: compile(qwen35),
}

// space is what \s means to the original; Go's \s is ASCII only.
const space = `\t-\r \x{85}\p{Z}`

// compile returns the splitter of a pattern. The patterns have a lookahead in one place, which Go's
// regular expressions lack: there a group matches, of which next leaves a part.
func compile(pattern string) splitter {
	pattern = strings.Replace(pattern, `\s+(?!\S)|\s+`, `(\s+)`, 1)
	pattern = strings.ReplaceAll(pattern, `[^\s`, `[^`+space)
	pattern = strings.ReplaceAll(pattern, `\s`, `[`+space+`]`)
	return splitter{regexp.MustCompile(`^(?:` + pattern + `)`)}
}

// window is how many bytes of a text are matched at first: a match takes longer the more text there
// is.
const window = 64

// next returns the length in bytes of the first piece of a text that is not empty.
func (s splitter) next(text string) int {
	for size := window; ; size *= 4 {
		part := text
		if size < len(text) {
			for !utf8.RuneStart(text[size]) {
				size--
			}

			part = text[:size]
		}

		at := s.pattern.FindStringSubmatchIndex(part)
		if behind := part[at[1]:]; len(part) < len(text) && strings.TrimSpace(behind) == "" {
			continue // the piece may be longer
		}

		// The last space leads the next piece, if anything follows.
		if _, last := utf8.DecodeLastRuneInString(part[:at[1]]); at[2] >= 0 && at[1] < len(text) && at[1] > last {
			return at[1] - last
		}
		return at[1]
	}
}
