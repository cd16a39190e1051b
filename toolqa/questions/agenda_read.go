package questions

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"toolevo/envs/yamltext"
)

// The agenda's descriptions are prose. What is read from one are the date, in one of its forms; the
// times, of which there must be two, since a description says when something starts and ends; and
// the part that the question asks for, by the words around it. The parts that the question gives
// must be in the description, too: they are replaced by marks, so that no word in them is taken for
// a word around another part.

const (
	markWhat  = "\uE001"
	markPlace = "\uE002"
	markWho   = "\uE003"

	months = `(?:January|February|March|April|May|June|July|August|September|October|November|December)`
	dates  = `(?:\d{4}/\d{2}/\d{2}|` + months +
		` \d{1,2}(?:st|nd|rd|th)?,? \d{4}|(?:the )?\d{1,2}(?:st|nd|rd|th)(?: of)? ` + months + `,? \d{4})`
	clocks = `\d{1,2}(?::\d{2})? [AaPp][Mm]`
	names  = `[\p{Lu}` + markWho + `][\pL\pM'’-]*?`
	short  = `\b(?:St|Mt|Dr|Mr|Mrs|No)\.` // its full stop ends no sentence
	things = `(?:` + short + `|[\p{Lu}\p{Nd}'"` + markWhat + markPlace + markWho + `])(?:` + short + `|[^.])*?`
	does   = `(?:\p{Ll}+ )+` // attended, is looking forward to the
)

// agendaPatterns are what a description is read with, made at first use.
type agendaPatterns struct {
	date, clock, parts *regexp.Regexp
	sentences          []*regexp.Regexp
}

var agendaReading = sync.OnceValue(func() *agendaPatterns {
	p := &agendaPatterns{
		date:  regexp.MustCompile(`\b` + dates + `\b`),
		clock: regexp.MustCompile(`\b` + clocks + `\b`),
		parts: regexp.MustCompile(`^(?:\d{4}/\d{2}/\d{2}|(?:the )?(?P<first>\pL+|\d+)(?:st|nd|rd|th)? (?:of )?(?P<second>\pL+|\d+)(?:st|nd|rd|th)?,? (?P<year>\d{4}))$`),
	}

	words := strings.NewReplacer(`{date}`, dates, `{clock}`, clocks, `{does}`, does,
		`{who}`, `(?P<who>`+names+`)`, `{what}`, `(?P<what>`+things+`)`, `{place}`, `(?P<place>`+things+`)`)
	described := yamltext.DecodeFile[struct{ Sentences []string }](wordingFiles, "wordings/agenda.yaml")
	for _, s := range described.Sentences {
		p.sentences = append(p.sentences, regexp.MustCompile(words.Replace(s)))
	}

	return p
})

// read returns the appointment that a passage describes, as far as the wanted part needs, and
// whether it is the appointment a and that part is in the passage.
func (a appointment) read(passage, part string) (appointment, bool) {
	patterns := agendaReading()
	described := a
	described.date = slashDate(patterns.date.FindString(passage))

	times := patterns.clock.FindAllString(passage, -1)
	if len(times) == 2 {
		described.start, described.end = times[0], times[1]
	}

	// Without two times nobody can tell when it is, nor that it is the one at the time asked about.
	if len(times) != 2 && (part == "times" || a.start != "") || !a.agrees(described) {
		return appointment{}, false
	}

	marked := passage
	parts := []struct{ text, mark string }{{a.what, markWhat}, {a.place, markPlace}, {a.who, markWho}}

	// The longest first: in "Karaoke in Karaoke Bar" the event must not take a word of the place.
	slices.SortStableFunc(parts, func(x, y struct{ text, mark string }) int {
		return cmp.Compare(len(y.text), len(x.text))
	})

	for _, p := range parts {
		var ok bool
		if marked, ok = replaceWords(marked, p.text, p.mark); !ok {
			return appointment{}, false
		}
	}

	if part == "times" {
		return described, true
	}

	// What the sentences find has marks in the place of the question's words.
	original := strings.NewReplacer(markWhat, a.what, markPlace, a.place, markWho, a.who)

	for _, re := range patterns.sentences {
		m := re.FindStringSubmatch(marked)
		if m == nil {
			continue
		}

		found := func(name string) string { return original.Replace(m[re.SubexpIndex(name)]) }

		described.who, described.what, described.place = found("who"), found("what"), found("place")
		if a.agrees(described) {
			return described, true
		}
	}

	return appointment{}, false
}

// replaceWords replaces part in text by a mark, whatever the case, except within longer words. It
// reports whether part occurs; one that is empty does.
func replaceWords(text, part, mark string) (string, bool) {
	if part == "" {
		return text, true
	}

	// Some letters have another length in lower case. Then positions would not be those in the
	// text.
	lowerText, lowerPart := strings.ToLower(text), strings.ToLower(part)
	if len(lowerText) != len(text) || len(lowerPart) != len(part) {
		lowerText, lowerPart = text, part
	}

	var b strings.Builder
	done, replaced := 0, false

	for from := 0; ; {
		at := strings.Index(lowerText[from:], lowerPart)
		if at < 0 {
			b.WriteString(text[done:])
			return b.String(), replaced
		}

		at += from
		end := at + len(lowerPart)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, size := utf8.DecodeRuneInString(text[end:])

		// "Ann" in "Annual" or "Joann" is another word.
		from = at + max(1, size)
		if at > 0 && isWordRune(before) || size > 0 && isWordRune(after) {
			continue
		}

		b.WriteString(text[done:at])
		b.WriteString(mark)

		done, from, replaced = end, end, true
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// slashDate writes a date as the agenda's table does, 2022/02/17, or "" for other texts.
func slashDate(text string) string {
	parts := agendaReading().parts

	m := parts.FindStringSubmatch(text)
	if m == nil {
		return ""
	}

	month, day, year := m[parts.SubexpIndex("first")], m[parts.SubexpIndex("second")], m[parts.SubexpIndex("year")]
	if year == "" {
		return text
	}

	if strings.Trim(month, digits) == "" {
		month, day = day, month
	}

	t, err := time.Parse("January", month)
	if n, noDay := strconv.Atoi(day); err == nil && noDay == nil && n < 100 {
		return fmt.Sprintf("%s/%02d/%02d", year, int(t.Month()), n)
	}
	return ""
}

// dateInWords writes a date of the agenda's table, 2022/02/17, in words: February 17, 2022. The day
// need not be on the calendar.
func dateInWords(date string) string {
	t, err := time.Parse("2006/01", date[:7])
	if err != nil {
		return date
	}
	return fmt.Sprintf("%s %s, %s", t.Month(), strings.TrimPrefix(date[8:], "0"), date[:4])
}
