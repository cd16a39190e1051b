package chat_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"toolevo/mcts/policy/chat"
)

func newSanitizer(t testing.TB, extra ...string) *chat.Sanitizer {
	t.Helper()

	s, err := chat.NewSanitizer(extra...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSanitizer(t *testing.T) {
	s := newSanitizer(t, "<custom>", "<custom_longer>")

	cases := []struct{ in, want, token, slot string }{
		{in: "plain text, 3 < 4 | 5 > 2, {\"a\": {\"b\": 1}}", want: "plain text, 3 < 4 | 5 > 2, {\"a\": {\"b\": 1}}"},
		{in: "<|im_end|>", want: "< |im_end| >", token: "<|"},
		{in: "<|eot_id|>", want: "< |eot_id| >", token: "<|"},
		{in: "<|>", want: "< | >", token: "<|"},
		{in: "<<|x|>>", want: "<< |x| >>", token: "<|"},
		{in: "<|turn>", want: "< |turn>", token: "<|"},
		{in: "</s><s>", want: "< /s>< s>", token: "</s>"},
		{in: "[INST] [[/INST]]", want: "[ INST] [[ /INST]]", token: "[INST]"},
		{in: "<start_of_turn>user", want: "< start_of_turn>user", token: "<start_of_turn>"},
		{in: "<tool_response>", want: "< tool_response>", token: "<tool_response>"},
		{in: "<｜end▁of▁sentence｜>", want: "< ｜end▁of▁sentence｜ >", token: "<｜"},
		{
			in:   "{{idx}} {{{a}}} {{ a }} {{}} {{1}} {{a",
			want: "{ {idx}} {{ {a}}} {{ a }} {{}} {{1}} {{a",
			slot: "{{idx}}",
		},
		{in: "{{_a1}}", want: "{ {_a1}}", slot: "{{_a1}}"},
		{in: "a <custom> <custom_longer>", want: "a < custom> < custom_longer>", token: "<custom>"},
		{in: "<image>", want: "< image>", token: "<image>"},
		{in: "｜｜>", want: "｜｜ >", token: "｜>"},
		{in: "", want: ""},
	}
	for _, c := range cases {
		if got := s.Clean(c.in); got != c.want {
			t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
		}

		if got := s.FindToken(c.in); got != c.token {
			t.Errorf("FindToken(%q) = %q, want %q", c.in, got, c.token)
		}

		if got := s.FindSlot(c.in); got != c.slot {
			t.Errorf("FindSlot(%q) = %q, want %q", c.in, got, c.slot)
		}
	}

	for _, bad := range []string{"x", "", "a b"} {
		if _, err := chat.NewSanitizer(bad); err == nil {
			t.Errorf("special token %q was accepted", bad)
		}
	}
}

func FuzzSanitizer(f *testing.F) {
	s := newSanitizer(f, "<custom>", "aa", "a<")
	for _, seed := range []string{"<|im_end|>", "<|>|>", "{{a}}{{{{b}}}}", "</s>", "[[INST]]", "<<SYS>>", "aaa<|",
		"\xff<|", "<｜｜>"} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, text string) {
		clean := s.Clean(text)
		if again := s.Clean(clean); again != clean {
			t.Errorf("cleaned again: %q, then %q", clean, again)
		}

		if token, slot := s.FindToken(clean), s.FindSlot(clean); token != "" || slot != "" {
			t.Errorf("%q left in %q", token+slot, clean)
		}
		// Only spaces are added.
		if strings.ReplaceAll(clean, " ", "") != strings.ReplaceAll(text, " ", "") {
			t.Errorf("%q became %q", text, clean)
		}

		if utf8.ValidString(text) && !utf8.ValidString(clean) {
			t.Errorf("%q is not UTF-8 any more", clean)
		}
	})
}

// The scanner breaks what a regular expression over the same tokens would break.
func FuzzSanitizerAgainstRegexp(f *testing.F) {
	extra := []string{"<custom>", "<custom_longer>", "aa", "a<", "{{{x"}
	s := newSanitizer(f, extra...)
	literals := append([]string{"<s>", "</s>", "[INST]", "<<SYS>>", "<think>", "<image>"}, extra...)
	slices.SortStableFunc(literals, func(a, b string) int { return cmp.Compare(len(b), len(a)) })

	for i, l := range literals {
		literals[i] = regexp.QuoteMeta(l)
	}

	tokens := regexp.MustCompile(`\{\{[A-Za-z_][A-Za-z0-9_]*\}\}|<\||\|>|<｜|｜>|` + strings.Join(literals, "|"))
	others := regexp.MustCompile(`(?i)sys|inst|arg|think|tool|mask|unk|pad|eos|bos|turn|image|video|audio|result|prompt`)

	for _, seed := range []string{"<|a|><s></s>", "{{{x}}}{{x}}", "aaa<<|", "<custom_longer", "<custom><｜｜>",
		"{{a}}b{{1}}"} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || others.MatchString(text) {
			t.Skip("tokens that only one of the two knows")
		}

		want := text
		for tokens.MatchString(want) {
			want = tokens.ReplaceAllStringFunc(want, func(token string) string {
				_, first := utf8.DecodeRuneInString(token)
				return token[:first] + " " + token[first:]
			})
		}

		if got := s.Clean(text); got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		}
	})
}
