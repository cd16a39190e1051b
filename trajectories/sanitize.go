package trajectories

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// controlTokens are the literal control tokens of the model families we export for. Trainers and servers tokenise
// text with special tokens recognised, so one of these inside a tool's answer would become the token itself. Anything
// with "<|", "|>", or DeepSeek's full-width bars is caught by pattern.
var controlTokens = []string{
	"<s>", "</s>", "<unk>", "<pad>", "<bos>", "<eos>", "<mask>", // sentencepiece models
	"[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", // Llama 2, Mistral
	"[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", // Mistral
	"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]", "[ARGS]", "[THINK]", "[/THINK]",
	"<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<end_of_image>", // Gemma
	"<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>", // Qwen
	"<image>", "<video>", "<audio>", // LLaMA-Factory's placeholders
}

// controlPatterns are what is common to the tokens of a family: Llama 3, Qwen (ChatML), Phi and Gemma 4 write <|name|>,
// <|name> or <name|>, DeepSeek writes <｜name｜>.
var controlPatterns = []string{`<\|`, `\|>`, `<｜`, `｜>`}

// slotPattern is a slot of LLaMA-Factory's formatters, such as {{idx}}, which a user turn would have filled in.
const slotPattern = `\{\{[A-Za-z_][A-Za-z0-9_]*\}\}`

// Sanitizer finds control tokens in text and breaks them, visibly: it puts one space after the token's first character,
// so that <|im_end|> becomes < |im_end| > and {{idx}} becomes { {idx}}. It is immutable and safe for concurrent use.
type Sanitizer struct {
	tokens, slots, either *regexp.Regexp
}

// NewSanitizer returns a sanitizer for the control tokens of the known families and extra ones, such as the special
// tokens of a tokenizer. An extra token of one character cannot be broken, one with a space might be made by breaking
// another: both are errors.
func NewSanitizer(extra ...string) (*Sanitizer, error) {
	literals := slices.Clone(controlTokens)
	for _, token := range extra {
		if utf8.RuneCountInString(token) < 2 || strings.ContainsRune(token, ' ') {
			return nil, fmt.Errorf("trajectories: special token %q cannot be broken in text: it has one character or a space", token)
		}
		literals = append(literals, token)
	}
	// Longer first: Go's regexp takes the first alternative that matches.
	slices.SortFunc(literals, func(a, b string) int { return len(b) - len(a) })
	alternatives := slices.Clone(controlPatterns)
	for _, l := range literals {
		alternatives = append(alternatives, regexp.QuoteMeta(l))
	}
	var s Sanitizer
	for _, c := range []struct {
		to   **regexp.Regexp
		expr string
	}{
		{&s.tokens, strings.Join(alternatives, "|")},
		{&s.slots, slotPattern},
		{&s.either, slotPattern + "|" + strings.Join(alternatives, "|")},
	} {
		compiled, err := regexp.Compile(c.expr)
		if err != nil {
			return nil, fmt.Errorf("trajectories: control tokens %q: %w", extra, err)
		}
		*c.to = compiled
	}
	return &s, nil
}

// Clean returns the text with every control token and slot broken. Clean text is returned as it is, and cleaning twice
// is cleaning once.
func (s *Sanitizer) Clean(text string) string {
	// Breaking <|> leaves |>, so it goes on until nothing is found. Every pass parts characters that stood together and
	// joins none, so it ends.
	for s.either.MatchString(text) {
		text = s.either.ReplaceAllStringFunc(text, func(token string) string {
			_, first := utf8.DecodeRuneInString(token)
			return token[:first] + " " + token[first:]
		})
	}
	return text
}

// FindToken returns the first control token in the text, "" when there is none.
func (s *Sanitizer) FindToken(text string) string { return s.tokens.FindString(text) }

// FindSlot returns the first formatter slot in the text, "" when there is none.
func (s *Sanitizer) FindSlot(text string) string { return s.slots.FindString(text) }
