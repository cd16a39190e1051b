package bpe

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Tokenizer encodes text. It is immutable and safe for concurrent use.
type Tokenizer struct {
	vocab        map[string]int // tokens as the file spells them, one rune for each byte
	merges       map[pair]merge
	bytes        [256]int // id of each single byte, -1 if the vocabulary lacks it
	unknown      int      // id of the unknown token, or -1
	fuseUnknown  bool     // whether adjacent unknown bytes are one token
	ignoreMerges bool     // whether a piece that is a token is taken whole
	splits       []splitter
	nfc          bool
	added        *regexp.Regexp // finds the longest added token; nil without added tokens
	ids          map[string]int // of the added tokens
	special      []string
}

type pair struct{ left, right int }

type merge struct{ rank, id int }

type jsonFile struct {
	Added []struct {
		ID         int    `json:"id"`
		Content    string `json:"content"`
		SingleWord bool   `json:"single_word"`
		LStrip     bool   `json:"lstrip"`
		RStrip     bool   `json:"rstrip"`
		Special    bool   `json:"special"`
	} `json:"added_tokens"`
	Normalizer   *jsonStep `json:"normalizer"`
	PreTokenizer *jsonStep `json:"pre_tokenizer"`
	Model        jsonModel `json:"model"`
}

type jsonModel struct {
	Type         string            `json:"type"`
	Vocab        map[string]int    `json:"vocab"`
	Merges       []json.RawMessage `json:"merges"`
	IgnoreMerges bool              `json:"ignore_merges"`
	ByteFallback bool              `json:"byte_fallback"`
	FuseUnknown  bool              `json:"fuse_unk"`
	Unknown      *string           `json:"unk_token"`
	Dropout      *float64          `json:"dropout"`
	Prefix       *string           `json:"continuing_subword_prefix"`
	Suffix       *string           `json:"end_of_word_suffix"`
}

type jsonStep struct {
	Type          string     `json:"type"`
	Normalizers   []jsonStep `json:"normalizers"`
	PreTokenizers []jsonStep `json:"pretokenizers"`
	Pattern       struct {
		Regex *string `json:"Regex"`
	} `json:"pattern"`
	Behavior    string `json:"behavior"`
	Invert      bool   `json:"invert"`
	PrefixSpace bool   `json:"add_prefix_space"`
	UseRegex    *bool  `json:"use_regex"`
}

// Parse reads the content of a tokenizer.json.
func Parse(data []byte) (*Tokenizer, error) {
	var file jsonFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("parse tokenizer.json: %w", err)
	}

	t := &Tokenizer{unknown: -1, ids: map[string]int{}}
	if err := t.readModel(&file.Model); err != nil {
		return nil, err
	}

	if err := t.readNormalizer(file.Normalizer); err != nil {
		return nil, err
	}

	if err := t.readPreTokenizer(file.PreTokenizer); err != nil {
		return nil, err
	}

	for _, a := range file.Added {
		if a.SingleWord || a.LStrip || a.RStrip {
			return nil, fmt.Errorf("added token %q: single_word, lstrip and rstrip are not supported", a.Content)
		}

		// An empty token would be found everywhere, without end.
		if a.Content == "" {
			continue
		}

		t.ids[a.Content] = a.ID

		if a.Special {
			t.special = append(t.special, a.Content)
		}
	}

	slices.Sort(t.special)

	if len(t.ids) > 0 {
		tokens := slices.Sorted(maps.Keys(t.ids))
		for i := range tokens {
			tokens[i] = regexp.QuoteMeta(tokens[i])
		}

		t.added = regexp.MustCompile(strings.Join(tokens, "|"))
		// If two tokens begin at one place, the original takes the longer one.
		t.added.Longest()
	}
	return t, nil
}

// Special returns the added tokens that the file calls special, sorted.
func (t *Tokenizer) Special() []string { return slices.Clone(t.special) }

func (t *Tokenizer) readModel(m *jsonModel) error {
	// A count that might be wrong is never given, so what could change it is refused.
	switch {
	case m.Type != "BPE":
		return fmt.Errorf("model type %q: only BPE is supported", m.Type)
	case m.ByteFallback && m.fallsBack():
		return errors.New("byte_fallback: only byte-level BPE is supported, without tokens such as <0x0A>")
	case m.Dropout != nil && *m.Dropout != 0:
		return errors.New("dropout is not supported: counts would be random")
	case m.Prefix != nil && *m.Prefix != "", m.Suffix != nil && *m.Suffix != "":
		return errors.New("subword prefixes and suffixes are not supported")
	case len(m.Vocab) == 0:
		return errors.New("the vocabulary is empty")
	}

	t.vocab = m.Vocab

	t.fuseUnknown, t.ignoreMerges = m.FuseUnknown, m.IgnoreMerges
	if m.Unknown != nil {
		id, ok := m.Vocab[*m.Unknown]
		if !ok {
			return fmt.Errorf("unknown token %q is not in the vocabulary", *m.Unknown)
		}

		t.unknown = id
	}

	for b := range t.bytes {
		t.bytes[b] = -1
		if id, ok := m.Vocab[string(byteRunes[b])]; ok {
			t.bytes[b] = id
		}
	}

	// Keyed by ids, as encoding knows only those. Their order in the file is their rank.
	t.merges = make(map[pair]merge, len(m.Merges))
	for rank, raw := range m.Merges {
		left, right, err := splitMerge(raw)
		if err != nil {
			return fmt.Errorf("merge %d: %w", rank, err)
		}

		l, okL := m.Vocab[left]
		r, okR := m.Vocab[right]

		id, ok := m.Vocab[left+right]
		if !okL || !okR || !ok {
			return fmt.Errorf("merge %d: %q and %q: a part or the whole is not in the vocabulary", rank, left, right)
		}

		t.merges[pair{l, r}] = merge{rank, id}
	}
	return nil
}

// fallsBack reports whether a byte may become a token such as <0x0A>. In a vocabulary
// without such tokens the original ignores byte_fallback.
func (m *jsonModel) fallsBack() bool {
	for b := range 256 {
		if _, ok := m.Vocab[fmt.Sprintf("<0x%02X>", b)]; ok {
			return true
		}
	}

	return false
}

// splitMerge reads a merge in either spelling: "a b" or ["a", "b"].
func splitMerge(raw json.RawMessage) (left, right string, err error) {
	var two []string
	if json.Unmarshal(raw, &two) == nil {
		if len(two) != 2 {
			return "", "", fmt.Errorf("%s has %d parts, want 2", raw, len(two))
		}
		return two[0], two[1], nil
	}

	var one string
	if err := json.Unmarshal(raw, &one); err != nil {
		return "", "", fmt.Errorf("%s is neither text nor a pair: %w", raw, err)
	}

	left, right, ok := strings.Cut(one, " ")
	if !ok || strings.Contains(right, " ") {
		return "", "", fmt.Errorf("%q is not two parts", one)
	}
	return left, right, nil
}

func (t *Tokenizer) readNormalizer(n *jsonStep) error {
	if n == nil {
		return nil
	}

	switch n.Type {
	case "NFC":
		t.nfc = true
		return nil
	case "Sequence":
		for i := range n.Normalizers {
			if err := t.readNormalizer(&n.Normalizers[i]); err != nil {
				return err
			}
		}

		return nil
	}
	return fmt.Errorf("normalizer %q: only NFC and none are supported", n.Type)
}

func (t *Tokenizer) readPreTokenizer(p *jsonStep) error {
	if p == nil {
		return errors.New("no pre_tokenizer: only ByteLevel is supported")
	}

	steps := []jsonStep{*p}
	if p.Type == "Sequence" {
		steps = p.PreTokenizers
	}

	for i, s := range steps {
		last := i == len(steps)-1
		switch {
		case s.Type == "Split" && !last:
			// The patterns match every character, so removing what lies between the matches is the
			// same as isolating them.
			whole := s.Behavior == "Isolated" && !s.Invert || s.Behavior == "Removed" && s.Invert
			if s.Pattern.Regex == nil || !whole {
				return errors.New("pre_tokenizer Split: only Isolated splits by a regular expression are supported, " +
					"and Removed ones that are inverted")
			}

			split, ok := patterns[*s.Pattern.Regex]
			if !ok {
				return fmt.Errorf("pre_tokenizer pattern %q is not one of the supported ones (GPT-2, Llama 3, "+
					"Qwen 2, Qwen 3.5)", *s.Pattern.Regex)
			}

			t.splits = append(t.splits, split)
		case s.Type == "ByteLevel" && last:
			if s.PrefixSpace {
				return errors.New("pre_tokenizer ByteLevel: add_prefix_space is not supported")
			}

			// In the original use_regex is true unless the file says otherwise.
			if s.UseRegex == nil || *s.UseRegex {
				t.splits = append(t.splits, patterns[gpt2])
			}
			return nil
		default:
			return fmt.Errorf("pre_tokenizer %q at place %d: only Split, then ByteLevel, is supported", s.Type, i)
		}
	}

	return errors.New("the pre_tokenizer does not end with ByteLevel")
}

// byteRunes is the byte-level alphabet: printable bytes stand for themselves, the others are spelt
// from U+0100 on.
var byteRunes = func() (runes [256]rune) {
	next := rune(256)

	for b := range runes {
		printable := b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE
		if printable {
			runes[b] = rune(b)
		} else {
			runes[b] = next
			next++
		}
	}

	return runes
}()

// spell writes bytes in the byte-level alphabet.
func spell(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/4*utf8.UTFMax)

	for i := range len(s) {
		b.WriteRune(byteRunes[s[i]])
	}
	return b.String()
}
