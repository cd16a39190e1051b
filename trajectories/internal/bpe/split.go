package bpe

import (
	"unicode"
	"unicode/utf8"
)

// The split patterns, as tokenizer.json spells them.
const (
	gpt2   = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	llama3 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen2  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen35 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// splitter cuts text into the pieces that are merged each by itself. The zero splitter is GPT-2's pattern.
type splitter struct {
	modern bool // the pattern of Llama 3 and its kin
	digits int  // longest run of digits, of a modern pattern
	marks  bool // whether marks count as letters
}

var patterns = map[string]splitter{
	gpt2:   {},
	llama3: {modern: true, digits: 3},
	qwen2:  {modern: true, digits: 1},
	qwen35: {modern: true, digits: 1, marks: true},
}

func (s splitter) letter(r rune) bool { return unicode.IsLetter(r) || s.marks && unicode.IsMark(r) }

func number(r rune) bool  { return unicode.Is(unicode.N, r) }
func newline(r rune) bool { return r == '\r' || r == '\n' }

// other reports whether r is neither space, letter nor number.
func (s splitter) other(r rune) bool { return !unicode.IsSpace(r) && !s.letter(r) && !number(r) }

// next returns the length in bytes of the first piece of a text that is not empty.
func (s splitter) next(text string) int {
	if n := s.contraction(text); n > 0 {
		return n
	}

	if s.modern {
		return s.nextModern(text)
	}

	body := text
	if text[0] == ' ' {
		body = text[1:]
	}

	for _, class := range []func(rune) bool{s.letter, number, s.other} {
		if n := run(body, class, -1); n > 0 {
			return len(text) - len(body) + n
		}
	}

	return s.space(text)
}

func (s splitter) nextModern(text string) int {
	first, size := utf8.DecodeRuneInString(text)
	// [^\r\n\p{L}\p{N}]?\p{L}+ : one leading character that is no letter, or none.
	if !newline(first) && !unicode.IsLetter(first) && !number(first) {
		if n := run(text[size:], s.letter, -1); n > 0 {
			return size + n
		}
	}

	if n := run(text, s.letter, -1); n > 0 {
		return n
	}

	if n := run(text, number, s.digits); n > 0 {
		return n
	}

	lead := 0
	if first == ' ' {
		lead = 1
	}

	if n := run(text[lead:], s.other, -1); n > 0 {
		n += lead
		return n + run(text[n:], newline, -1)
	}
	// \s*[\r\n]+ : greedy, so up to the last newline of the run of spaces.
	spaces := run(text, unicode.IsSpace, -1)
	for i := spaces - 1; i >= 0; i-- {
		if text[i] == '\r' || text[i] == '\n' {
			return i + 1
		}
	}

	return s.space(text)
}

// space is \s+(?!\S)|\s+ : all the spaces but the last when something follows, that it may lead the next piece.
func (s splitter) space(text string) int {
	n := run(text, unicode.IsSpace, -1)
	if n == len(text) {
		return n
	}

	if n == 0 {
		_, size := utf8.DecodeRuneInString(text)
		return size
	}

	_, last := utf8.DecodeLastRuneInString(text[:n])
	if n > last {
		return n - last
	}

	return n
}

// contraction is 's, 't, 're, 've, 'm, 'll or 'd; modern patterns take either case, and with it the long s.
func (s splitter) contraction(text string) int {
	if len(text) < 2 || text[0] != '\'' {
		return 0
	}

	fold := func(r rune) rune {
		switch {
		case !s.modern:
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == 'ſ':
			return 's'
		}

		return r
	}
	a, sizeA := utf8.DecodeRuneInString(text[1:])

	b, sizeB := utf8.DecodeRuneInString(text[1+sizeA:])
	switch a, b = fold(a), fold(b); {
	case a == 's', a == 't', a == 'm', a == 'd':
		return 1 + sizeA
	case a == 'r' && b == 'e', a == 'v' && b == 'e', a == 'l' && b == 'l':
		return 1 + sizeA + sizeB
	}

	return 0
}

// run returns the length in bytes of the longest prefix of at most limit runes of a class; no limit when it is -1.
func run(text string, class func(rune) bool, limit int) int {
	for i, r := range text {
		if limit == 0 || !class(r) {
			return i
		}
		limit--
	}

	return len(text)
}
