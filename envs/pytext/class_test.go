package pytext

import (
	"regexp"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestSpaceClass checks the class against the function, rune by rune.
func TestSpaceClass(t *testing.T) {
	class := regexp.MustCompile("^" + SpaceClass + "$")
	n := 0

	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}

		if IsSpace(r) {
			n++
		}

		if IsSpace(r) != class.MatchString(string(r)) {
			t.Errorf("%U: IsSpace %v, class disagrees", r, IsSpace(r))
		}
	}

	if n != 29 {
		t.Errorf("%d white-space characters, Python has 29", n)
	}
}

func TestStrip(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " \n": "", "a": "a", "\u3000\x1c a\u00a0b \x1f\u2028": "a\u00a0b", "\u200ba\ufeff": "\u200ba\ufeff",
		" \xff ": "\xff",
	} {
		if got := Strip(in); got != want {
			t.Errorf("Strip(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestEveryCharacter compares what is said about each character that both versions of Unicode know.
func TestEveryCharacter(t *testing.T) {
	// Two characters of three are ideographs and Hangul syllables: of those, one in 64 is asked
	// for.
	const script = `
import json, re, string, sys, unicodedata
word = re.compile(r"\w")
def about(c):
    try: digit = str(unicodedata.decimal(c))
    except ValueError: digit = ""
    return [c.isspace(), word.match(c) is not None, c in string.punctuation, digit, c.lower(), repr(c)]
def asked(c):
    if unicodedata.category(chr(c)) in ("Cn", "Cs", "Co"): return False
    return c % 64 == 0 or not unicodedata.name(chr(c), "").startswith(("CJK UNIFIED", "HANGUL SYLLABLE"))
json.dump({c: about(chr(c)) for c in range(0x110000) if asked(c)}, sys.stdout)
`
	var rows map[rune][6]any
	python(t, script, nil, &rows)

	if len(rows) < 35_000 {
		t.Fatalf("Python knows %d characters, that cannot be all", len(rows))
	}

	for r, row := range rows {
		if unicode.Is(unicode.Cn, r) {
			continue
		}

		c, digit := string(r), ""
		if d, ok := decimalDigit(r); r < utf8.RuneSelf && isDigit(byte(r)) || r >= utf8.RuneSelf && ok {
			digit = string('0' + rune(d))
		}

		got := [6]any{IsSpace(r), IsWord(r), r < utf8.RuneSelf && IsPunctuation(byte(r)), digit,
			string(AppendLower(nil, c)), Repr(c)}
		if got != row {
			t.Errorf("%U %s: %q, Python says %q", r, c, got, row)
		}
	}
}

func TestAppendLower(t *testing.T) {
	const script = "import json, sys; json.dump([s.lower() for s in json.load(sys.stdin)], sys.stdout)"
	texts := mixed(8_000, 5, "Σ|Σ|ΑΣ|σ|a|A|.|'|:|-| |İ|I|ǅ|Ⓐ|ⓐ|ʰ|\u0301|\u00ad|ª|漢|😀|1|é|É|ẞ|Ω|\x00")
	var want []string
	python(t, script, texts, &want)

	for i, s := range texts {
		if got := string(AppendLower([]byte("Σ"), s)); got != "Σ"+want[i] {
			t.Errorf("AppendLower(%q) = %q, Python says %q", s, got, want[i])
		}
	}

	if got := string(AppendLower(nil, "A\xffB")); got != "a\uFFFDb" {
		t.Errorf("bytes that are not UTF-8: %q", got)
	}
}
