package chat

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// controlTokens are the literal control tokens of known model families. Trainers and servers
// recognise special tokens in text, so one of these inside a tool's answer would become the token
// itself. Anything with "<|", "|>", or DeepSeek's full-width bars is caught by its mark.
var controlTokens = []string{
	"<s>", "</s>", "<unk>", "<pad>", "<bos>", "<eos>", "<mask>", // sentencepiece models
	"[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", // Llama 2, Mistral
	"[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", // Mistral
	"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]", "[ARGS]", "[THINK]", "[/THINK]",
	"<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<end_of_image>", // Gemma
	"<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>", // Qwen
	"<image>", "<video>", "<audio>", // LLaMA-Factory's placeholders
}

// controlMarks are what is common to the tokens of a family: Llama 3, Qwen (ChatML), Phi and Gemma
// 4 write <|name|>, <|name> or <name|>, DeepSeek writes <｜name｜>.
var controlMarks = []string{"<|", "|>", "<｜", "｜>"}

// Sanitizer finds control tokens in text and breaks them, visibly: it puts one space after the
// token's first character, so that <|im_end|> becomes < |im_end| > and {{idx}} becomes { {idx}}.
// Make it with [NewSanitizer]; it is immutable and safe for concurrent use.
type Sanitizer struct {
	tokens [256][]string // by first byte, in the order in which they are tried
}

// NewSanitizer returns a sanitizer for the control tokens of the known families and extra ones,
// such as the special tokens of a tokenizer. An extra token of one character cannot be broken, one
// with a space might be made by breaking another: both are errors.
func NewSanitizer(extra ...string) (*Sanitizer, error) {
	literals := slices.Clone(controlTokens)

	for _, token := range extra {
		if utf8.RuneCountInString(token) < 2 || strings.ContainsRune(token, ' ') {
			return nil, fmt.Errorf("chat: special token %q cannot be broken in text: it has one character or a space",
				token)
		}

		literals = append(literals, token)
	}
	// A token wins over one that it begins with.
	slices.SortStableFunc(literals, func(a, b string) int { return len(b) - len(a) })

	s := &Sanitizer{}
	for _, token := range append(slices.Clone(controlMarks), literals...) {
		s.tokens[token[0]] = append(s.tokens[token[0]], token)
	}
	return s, nil
}

// Clean returns the text with every control token and slot broken. Clean text is returned as it is,
// and cleaning twice is cleaning once.
func (s *Sanitizer) Clean(text string) string {
	// Breaking <|> leaves |>, so it continues until nothing is found. Every pass separates adjacent
	// characters and joins none, so it ends.
	for {
		begin, found := s.next(text, 0)
		if found == "" {
			return text
		}
		var b strings.Builder
		b.Grow(len(text) + 64)

		end := 0
		for ; found != ""; begin, found = s.next(text, end) {
			_, first := utf8.DecodeRuneInString(found)

			b.WriteString(text[end:begin])
			b.WriteString(found[:first])
			b.WriteByte(' ')
			b.WriteString(found[first:])
			end = begin + len(found)
		}

		b.WriteString(text[end:])
		text = b.String()
	}
}

// FindToken returns the first control token in the text, or "".
func (s *Sanitizer) FindToken(text string) string {
	for i := range len(text) {
		if token := s.tokenAt(text[i:]); token != "" {
			return token
		}
	}

	return ""
}

// FindSlot returns the first formatter slot in the text, or "".
func (s *Sanitizer) FindSlot(text string) string {
	for {
		begin := strings.Index(text, "{{")
		if begin < 0 {
			return ""
		}

		if slot := slotAt(text[begin:]); slot != "" {
			return slot
		}

		text = text[begin+1:]
	}
}

// next returns the first control token or slot at or after a position, or "", and where it begins.
func (s *Sanitizer) next(text string, from int) (begin int, found string) {
	for i := from; i < len(text); i++ {
		if text[i] != '{' && s.tokens[text[i]] == nil {
			continue
		}

		if slot := slotAt(text[i:]); slot != "" {
			return i, slot
		}

		if token := s.tokenAt(text[i:]); token != "" {
			return i, token
		}
	}
	return len(text), ""
}

// tokenAt returns the control token that the text begins with, or "".
func (s *Sanitizer) tokenAt(text string) string {
	for _, token := range s.tokens[text[0]] {
		if strings.HasPrefix(text, token) {
			return token
		}
	}

	return ""
}

// slotAt returns the slot that the text begins with, such as {{idx}}, or "". LLaMA-Factory's
// formatters would fill it in in a user turn.
func slotAt(text string) string {
	name, ok := strings.CutPrefix(text, "{{")
	if !ok {
		return ""
	}

	n := 0
	for n < len(name) && (isLetter(name[n]) || n > 0 && name[n] >= '0' && name[n] <= '9') {
		n++
	}

	if n == 0 || !strings.HasPrefix(name[n:], "}}") {
		return ""
	}
	return text[:n+len("{{}}")]
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
