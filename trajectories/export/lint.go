package export

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolevo/envs/action"
	"toolevo/envs/memo"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/prompt"
	"toolevo/trajectories"
)

// Rule names what a linter checks.
type Rule string

// The rules. For the first three LLaMA-Factory drops samples, with a warning at most.
const (
	RoleOrder     Rule = "role-order"     // human first, then gpt and observation in turn
	Parity        Rule = "parity"         // messages end with the model's, or before it if a pair follows
	NoCall        Rule = "no-call"        // a function call that cannot be read: the trainer would stop
	EmptyTurn     Rule = "empty-turn"     // a message, or a system text, without visible text
	ControlToken  Rule = "control-token"  // text that the tokenizer would read as a control token
	FormatterSlot Rule = "formatter-slot" // {{name}} in text that is read: the trainer would fill it in
	BrokenText    Rule = "broken-text"    // not UTF-8, or U+FFFD in a message that is trained
	TooLong       Rule = "too-long"       // more tokens than the cutoff: the trainer would cut off the end

	ControlCharacter Rule = "control-character" // NUL, ESC and the like, which no text has and a terminal obeys
	ForgedTurn       Rule = "forged-turn"       // a question or an observation in the model's own words
	CutTurn          Rule = "cut-turn"          // a completion that ended in the middle: see [trajectories.Row].Cuts

	SameReply Rule = "same-reply" // a pair whose replies are the same
	Leak      Rule = "leak"       // a question that another split asks
)

// Finding is something a linter holds against a sample.
type Finding struct {
	Rule    Rule   `json:"rule"`    // the rule it breaks, e.g. "control-token"
	Message int    `json:"message"` // which message, from 0; -1 for the system text or the whole sample
	Detail  string `json:"detail"`  // what was found
}

// String returns "message 3: control-token: …".
func (f Finding) String() string {
	where := "sample"
	if f.Message >= 0 {
		where = fmt.Sprintf("message %d", f.Message)
	}
	return fmt.Sprintf("%s: %s: %s", where, f.Rule, f.Detail)
}

// Linter checks samples as LLaMA-Factory and the tokenizer will see them. Make it with [NewLinter];
// it is immutable and safe for concurrent use.
type Linter struct {
	sanitizer *chat.Sanitizer
	tokenizer *Tokenizer
	template  chat.Template
	cutoff    int
}

// NewLinter returns a linter. With a tokenizer, its special tokens are control tokens too, lengths
// are counted in tokens under the chat template (one of [Templates]), and samples of more than
// cutoff tokens are too long; 0 is no cutoff. Without one (nil) the template is not used, lengths
// are in characters only, and a cutoff is an error.
func NewLinter(tokenizer *Tokenizer, template string, cutoff int) (*Linter, error) {
	l := &Linter{tokenizer: tokenizer, cutoff: cutoff}
	var special []string
	var err error

	switch {
	case cutoff < 0:
		return nil, fmt.Errorf("export: new linter: cutoff %d is below 0", cutoff)
	case tokenizer != nil:
		special = tokenizer.bpe.Special()

		if l.template, err = chat.ParseTemplate(template); err != nil {
			return nil, fmt.Errorf("export: new linter: %w", err)
		}
	case cutoff > 0:
		return nil, fmt.Errorf("export: new linter: a cutoff of %d tokens needs a tokenizer file", cutoff)
	}

	if l.sanitizer, err = chat.NewSanitizer(special...); err != nil {
		return nil, fmt.Errorf("export: new linter: %w", err)
	}
	return l, nil
}

// Sanitizer returns the sanitizer whose tokens the linter looks for.
func (l *Linter) Sanitizer() *chat.Sanitizer { return l.sanitizer }

// withoutCutoff returns a linter that finds no sample too long.
func (l *Linter) withoutCutoff() *Linter {
	other := *l
	other.cutoff = 0
	return &other
}

// Length returns the length of a sample of a format: the characters of all its texts, and the
// tokens as they will be trained, with the template and, in a pair, the longer reply; 0 without a
// tokenizer.
func (l *Linter) Length(format Format, s *Sample) (chars, tokens int) {
	chars = utf8.RuneCountInString(s.System + s.Tools + s.Chosen.Value + s.Rejected.Value)
	for _, m := range s.allMessages() {
		chars += utf8.RuneCountInString(m.Value)
	}

	if l.tokenizer == nil {
		return chars, 0
	}

	for _, p := range pieces(format, s, l.template) {
		tokens += l.Tokens(p)
	}
	chosen := l.Tokens(replyPiece(s.Chosen, l.template))
	rejected := l.Tokens(replyPiece(s.Rejected, l.template))
	return chars, tokens + max(chosen, rejected)
}

// LintRow returns everything wrong with a row and with the sample that holds all of it, or nil.
func (l *Linter) LintRow(format Format, row *trajectories.Row, s *Sample) []Finding {
	found := l.Lint(format, s)
	if row.Cuts > 0 {
		found = append(found, Finding{CutTurn, -1, fmt.Sprintf("%d turns were cut by the limit of a "+
			"completion's length", row.Cuts)})
	}

	return found
}

// Lint returns everything wrong with a sample of a format, or nil.
func (l *Linter) Lint(format Format, s *Sample) []Finding {
	var found []Finding

	add := func(rule Rule, message int, format string, args ...any) {
		found = append(found, Finding{rule, message, fmt.Sprintf(format, args...)})
	}

	// A pair's replies are no part of the conversation, which then ends before a reply. The nodes
	// of a tree may end with an observation or without one, so any number but the question alone is
	// right.
	all, odd, tree := s.allMessages(), 0, format.form().tree
	if format.IsPairs() {
		odd = 1
	}

	if n := len(all); n == 0 || n%2 != odd && (!tree || n == 1) {
		add(Parity, -1, "%d messages", n)
	}

	if format.IsPairs() {
		if s.Chosen == s.Rejected {
			add(SameReply, -1, "%q is chosen and rejected", s.Chosen.Value)
		}

		found = append(found, l.lintReply(format, len(all), s.Chosen)...)
		found = append(found, l.lintReply(format, len(all), s.Rejected)...)
	}

	// Documents of other programs may lack a system text.
	if s.System != "" {
		found = append(found, l.lintText(-1, s.System, false)...)
	}

	if s.Tools != "" {
		found = append(found, l.lintText(-1, s.Tools, false)...)
	}

	for i, m := range all {
		want := rolesAt(i)
		// In a tree a reply ends a branch, and is followed by another branch, or gets an
		// observation.
		if tree && i > 0 {
			if want = rolesAt(1); all[i-1].isReply() {
				want = append(want, Observation)
			}
		}

		if !slices.Contains(want, m.From) {
			add(RoleOrder, i, "from %q, want %s", m.From, strings.Join(want, " or "))
		}

		found = append(found, l.lintMessage(i, m)...)
	}

	if l.cutoff > 0 {
		if _, tokens := l.Length(format, s); tokens > l.cutoff {
			add(TooLong, -1, "%d tokens, the cutoff is %d", tokens, l.cutoff)
		}
	}

	return found
}

// lintReply checks one of a pair's replies, which would be message i. Observations in it are forged
// only if it is not a transcript.
func (l *Linter) lintReply(format Format, i int, m Message) []Finding {
	if !m.isReply() {
		return []Finding{{RoleOrder, i, fmt.Sprintf("from %q, want %s or %s", m.From, GPT, FunctionCall)}}
	}

	found := l.lintMessage(i, m)
	if format.form().transcripts {
		found = slices.DeleteFunc(found, func(f Finding) bool { return f.Rule == ForgedTurn })
	}
	return found
}

// rolesAt returns the roles that message i may have: one question, then model and environment in
// turn.
func rolesAt(i int) []string {
	switch {
	case i == 0:
		return []string{Human}
	case i%2 == 1:
		return []string{GPT, FunctionCall}
	}

	return []string{Observation}
}

// lintMessage checks a message's text. A model may begin with the tags of a thought, in a function
// call and in a text without one: what it wrote is checked without them.
func (l *Linter) lintMessage(i int, m Message) []Finding {
	if !m.isReply() {
		return l.lintText(i, m.Value, false)
	}

	if m.From == FunctionCall && !readable.Get(m.Value, isCalls) {
		return []Finding{{NoCall, i, "not a function call as the trainer reads it"}}
	}

	text := m.untagged()
	found := l.lintText(i, text, true)

	if marker := forged(text); marker != "" {
		found = append(found, Finding{ForgedTurn, i, fmt.Sprintf("a line begins with %q", marker)})
	}
	return found
}

// readable remembers which values are calls, as trajectories of a tree share their turns.
var readable memo.Memo[bool]

// isCalls reports whether callsText could have written a value.
func isCalls(value string) bool {
	beside, native, calls, err := readCalls(value)
	return err == nil && callsText(beside, native, calls...) == value
}

// turnMarkers begin texts that the model does not write: the questions of plain prompts, and the
// observations of every codec. The markers of chat templates are control tokens.
var turnMarkers = []string{prompt.QuestionMarker, action.ObservationMarker}

// forged returns the marker of somebody else's turn that a line of a reply begins with, emphasised
// or not, or "". A completion ends before such a line, unless the server ignores stop texts.
func forged(reply string) string {
	for line := range strings.Lines(reply) {
		line = strings.TrimLeft(line, " \t\r*_#>`")
		for _, marker := range turnMarkers {
			if strings.HasPrefix(line, marker) {
				return marker
			}
		}
	}

	return ""
}

// lintText checks one text. Trainers fill in formatter slots only in text that is not trained.
func (l *Linter) lintText(message int, text string, trained bool) []Finding {
	var found []Finding
	if strings.TrimSpace(text) == "" {
		found = append(found, Finding{EmptyTurn, message, "no visible text"})
	}

	if !utf8.ValidString(text) || trained && strings.ContainsRune(text, utf8.RuneError) {
		found = append(found, Finding{BrokenText, message, "bytes that are not UTF-8"})
	}

	if i := strings.IndexFunc(text, isControl); i >= 0 {
		found = append(found, Finding{ControlCharacter, message, fmt.Sprintf("%+.4q", text[i:])})
	}

	if token := l.sanitizer.FindToken(text); token != "" {
		found = append(found, Finding{ControlToken, message, fmt.Sprintf("%q", token)})
	}

	if !trained {
		if slot := l.sanitizer.FindSlot(text); slot != "" {
			found = append(found, Finding{FormatterSlot, message, fmt.Sprintf("%q", slot)})
		}
	}

	return found
}

// isControl reports whether a character is one of the controls, C0, DEL or C1, that do not stand
// for white space.
func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' }
