package bpe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var fixtures = []string{"llama3", "qwen2", "qwen35", "gpt2", "smollm2"}

func load(t testing.TB, name string) *Tokenizer {
	t.Helper()

	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}

	tok, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// The fixtures were written by the Python package tokenizers: see testdata/make.py.
func TestEncodeEqualsTokenizers(t *testing.T) {
	for _, name := range fixtures {
		t.Run(name, func(t *testing.T) {
			tok := load(t, name)

			data, err := os.ReadFile(filepath.Join("testdata", name+".ids.json"))
			if err != nil {
				t.Fatal(err)
			}

			var cases [][2]json.RawMessage
			if err := json.Unmarshal(data, &cases); err != nil {
				t.Fatal(err)
			}

			for _, c := range cases {
				var text string
				var want []int

				if err := json.Unmarshal(c[0], &text); err != nil {
					t.Fatal(err)
				}

				if err := json.Unmarshal(c[1], &want); err != nil {
					t.Fatal(err)
				}

				got := append([]int{}, tok.Encode(text)...)
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("Encode(%q), -want +got:\n%s", text, d)
				}

				if n := tok.Count(text); n != len(want) {
					t.Errorf("Count(%q) = %d, want %d", text, n, len(want))
				}
			}
		})
	}
}

// cl100k_base as tokenizer.json has the pattern of Llama 3, and removes what lies between its
// matches: nothing.
func TestInvertedSplit(t *testing.T) {
	data, err := os.ReadFile("testdata/llama3.json")
	if err != nil {
		t.Fatal(err)
	}

	form := regexp.MustCompile(`"behavior":\s*"Isolated",\s*"invert":\s*false`)
	inverted := form.ReplaceAll(data, []byte(`"behavior": "Removed", "invert": true`))

	tok, err := Parse(inverted)
	if err != nil || string(inverted) == string(data) {
		t.Fatalf("error %v, or nothing was changed", err)
	}

	const text = "It's 12345 tokens,\r\n\n  don't split   me."
	if d := cmp.Diff(load(t, "llama3").Encode(text), tok.Encode(text)); d != "" {
		t.Errorf("-isolated +removed:\n%s", d)
	}

	if _, err := Parse(form.ReplaceAll(data, []byte(`"behavior": "Removed", "invert": false`))); err == nil {
		t.Error("removing the matches themselves is not supported, and was taken")
	}
}

func TestSpecial(t *testing.T) {
	got := load(t, "qwen2").Special()
	if d := cmp.Diff([]string{"<|endoftext|>", "<|im_end|>", "<|im_start|>"}, got); d != "" {
		t.Errorf("special tokens, -want +got:\n%s", d)
	}
}

func TestParseRefuses(t *testing.T) {
	good, err := os.ReadFile("testdata/llama3.json")
	if err != nil {
		t.Fatal(err)
	}

	edit := func(change func(map[string]any)) string {
		var v map[string]any
		if err := json.Unmarshal(good, &v); err != nil {
			t.Fatal(err)
		}

		change(v)

		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	model := func(key string, value any) string {
		return edit(func(v map[string]any) { v["model"].(map[string]any)[key] = value })
	}
	added := func(key string) string {
		return edit(func(v map[string]any) { v["added_tokens"].([]any)[0].(map[string]any)[key] = true })
	}

	cases := []struct{ name, data, want string }{
		{"not JSON", "{", "parse tokenizer.json"},
		{"unigram", model("type", "Unigram"), `model type "Unigram"`},
		{"sentencepiece", edit(func(v map[string]any) {
			m := v["model"].(map[string]any)
			m["byte_fallback"] = true
			m["vocab"].(map[string]any)["<0x0A>"] = 419
		}), "byte_fallback"},
		{"dropout", model("dropout", 0.1), "dropout"},
		{"suffix", model("end_of_word_suffix", "</w>"), "suffixes"},
		{"no vocabulary", model("vocab", map[string]int{}), "vocabulary is empty"},
		{"unknown token", model("unk_token", "<nowhere>"), "<nowhere>"},
		{"merge of strangers", model("merges", []string{"qqqq zzzz"}), "not in the vocabulary"},
		{"merge of three", model("merges", [][]string{{"a", "b", "c"}}), "3 parts"},
		{"merge of one", model("merges", []string{"ab"}), "not two parts"},
		{"lstrip", added("lstrip"), "lstrip"},
		{"normalizer", edit(func(v map[string]any) { v["normalizer"] = map[string]any{"type": "Lowercase"} }),
			`"Lowercase"`},
		{"no pre-tokenizer", edit(func(v map[string]any) { v["pre_tokenizer"] = nil }), "no pre_tokenizer"},
		{"pre-tokenizer", edit(func(v map[string]any) { v["pre_tokenizer"] = map[string]any{"type": "Metaspace"} }),
			`"Metaspace"`},
		{"pattern", strings.Replace(string(good), `{1,3}`, `{1,4}`, 1), "is not one of the supported"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.data))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// decoder returns the inverse of Encode, for text in normal form without bytes the vocabulary
// lacks.
func decoder(tok *Tokenizer) func([]int) string {
	raw := map[rune]byte{}
	for b, r := range byteRunes {
		raw[r] = byte(b)
	}

	names := map[int][]byte{}

	for s, id := range tok.vocab {
		for _, r := range s {
			names[id] = append(names[id], raw[r])
		}
	}

	return func(ids []int) string {
		var out []byte
		for _, id := range ids {
			out = append(out, names[id]...)
		}
		return string(out)
	}
}

func TestEncodeLosesNothing(t *testing.T) {
	tok := load(t, "gpt2")
	decode := decoder(tok)

	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if got := decode(tok.Encode(text)); got != text {
			t.Fatalf("decoded %q, want %q", got, text)
		}
	})
}

// A single word of a megabyte must not take quadratic time: with a naive merge this test does not
// come to its end.
func TestLongWord(t *testing.T) {
	tok := load(t, "llama3")

	text := strings.Repeat("coffee", 1<<20/6)
	if n := tok.Count(text); n <= 0 || n > len(text) {
		t.Errorf("%d tokens for %d bytes", n, len(text))
	}
}

func FuzzEncode(f *testing.F) {
	toks := map[string]*Tokenizer{}
	for _, name := range fixtures {
		toks[name] = load(f, name)
	}

	decode := decoder(toks["gpt2"])

	for _, s := range []string{"", "It's 12345\r\n\n x", "<|eot_id|>", "\xff\xfe", "'ſ", "नमस्ते"} {
		f.Add(s)
	}

	f.Fuzz(func(t *testing.T, text string) {
		for name, tok := range toks {
			ids := tok.Encode(text)
			if n := tok.Count(text); n != len(ids) {
				t.Errorf("%s: Count %d, Encode %d ids", name, n, len(ids))
			}

			for _, s := range tok.splits {
				for rest := text; rest != ""; {
					n := s.next(rest)
					if n <= 0 || n > len(rest) {
						t.Fatalf("%s: a piece of %d bytes of %d", name, n, len(rest))
					}

					rest = rest[n:]
				}
			}
		}

		if utf8.ValidString(text) && !strings.Contains(text, "<|endoftext|>") {
			if got := decode(toks["gpt2"].Encode(text)); got != text {
				t.Errorf("decoded %q, want %q", got, text)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"pre_tokenizer":{"type":"ByteLevel"}}`))
	f.Add([]byte(`{"model":{"type":"BPE","vocab":{"a":0,"aa":-7},"merges":["a a"]},"pre_tokenizer":{"type":"ByteLevel"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if tok, err := Parse(data); err == nil {
			tok.Count("a aa b")
		}
	})
}

func BenchmarkCount(b *testing.B) {
	tok := load(b, "llama3")
	text := strings.Repeat("Thought: I need the database.\nAction: LoadDB\nAction Input: {\"DBName\": \"coffee\"}\n",
		100)
	b.SetBytes(int64(len(text)))

	for b.Loop() {
		tok.Count(text)
	}
}
