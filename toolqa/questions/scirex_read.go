package questions

import (
	"embed"
	"regexp"
	"strings"
	"sync"

	"toolevo/toolqa"
)

// passageReader reads values out of passages, or reports that they do not state them.
type passageReader func(passages []string, s Slots) (Slots, bool)

// readPassages reads what a search has found. Where the passages do not state what is asked, "missed" is known; after a
// second search they must.
func readPassages(read passageReader) func(string) reader {
	return func(string) reader {
		return func(result string, known *Slots) error {
			values, ok := read(strings.Split(result, "\n"), *known)
			if !ok && known.Get("missed") != "" {
				return unexpected(result, "passages that answer the question")
			}

			if !ok {
				values = Slots{{"missed", "yes"}}
			}

			*known = append(*known, values...)

			return nil
		}
	}
}

// wordingFiles are the wordings that answers are read by.
//
//go:embed wordings/*.yaml
var wordingFiles embed.FS

// scirexWordings are those in which papers state what is asked, by its name.
var scirexWordings = sync.OnceValue(func() map[string][]string {
	return *toolqa.DecodeFile[map[string][]string](wordingFiles, "wordings/scirex.yaml")
})

const (
	oneScore    = `(\S+)`
	nameList    = `([\w-]+(?: (?:,|and) [\w-]+)*)`
	scoreOnList = `(\S+ on [\w-]+(?: (?:,|and) \S+ on [\w-]+)*)`
	nameAndList = `([\w-]+ \S+(?: , [\w-]+ \S+)*)`
)

// stated returns what stands for the list or the score in the first passage that has one of the wordings of what is
// asked.
func stated(passages []string, s Slots, asked, list string) (string, bool) {
	for _, wording := range scirexWordings()[asked] {
		words := strings.Split(wording, " ")
		for i, w := range words {
			switch w {
			case "M":
				words[i] = namePattern(s.Get("method"))
			case "D":
				words[i] = namePattern(s.Get("material"))
			case "E":
				words[i] = namePattern(s.Get("metric"))
			case "T":
				words[i] = namePattern(s.Get("task"))
			case "S":
				words[i] = oneScore
			case "L":
				words[i] = list
			}
		}

		pattern, err := regexp.Compile(`(?:^|\s)` + strings.Join(words, " ") + `(?:\s|$)`)
		if err != nil {
			return "", false // a name that is not text
		}

		for _, p := range passages {
			if m := pattern.FindStringSubmatch(p); m != nil {
				return m[1], true
			}
		}
	}

	return "", false
}

// namePattern matches a name as the relations spell it and as papers do: every underscore stands for a
// character that is no letter, digit or hyphen, and at either end for no blank.
func namePattern(name string) string {
	var b strings.Builder

	for i, r := range name {
		switch {
		case r != '_':
			b.WriteString(regexp.QuoteMeta(string(r)))
		case i == 0 || i == len(name)-1:
			b.WriteString(`[^A-Za-z0-9\s-]`)
		default:
			b.WriteString(`[^A-Za-z0-9-]`)
		}
	}

	return b.String()
}

func readScore(passages []string, s Slots) (Slots, bool) {
	score, ok := stated(passages, s, "score", "")
	return Slots{{"answer", score}}, ok
}

func readMetrics(passages []string, s Slots) (Slots, bool) {
	return readNames(passages, s, "metrics")
}

func readDatasets(passages []string, s Slots) (Slots, bool) {
	return readNames(passages, s, "datasets")
}

func readNames(passages []string, s Slots, asked string) (Slots, bool) {
	list, ok := stated(passages, s, asked, nameList)
	return Slots{{"answer", strings.Join(splitList(list), ", ")}}, ok
}

func readHighestDataset(passages []string, s Slots) (Slots, bool) {
	list, ok := stated(passages, s, "highest-dataset", scoreOnList)

	return readHighest(splitList(list), ok, func(entry string) (name, score string) {
		score, name, _ = strings.Cut(entry, " on ")
		return name, score
	})
}

func readHighestMethod(passages []string, s Slots) (Slots, bool) {
	list, ok := stated(passages, s, "highest-method", nameAndList)

	return readHighest(splitList(list), ok, func(entry string) (name, score string) {
		name, score, _ = strings.Cut(entry, " ")
		return name, score
	})
}

// splitList splits an enumeration, "A , B and C".
func splitList(list string) []string {
	return strings.Split(strings.ReplaceAll(list, " and ", " , "), " , ")
}

// readHighest finds the name with the highest of the scores listed, if all of them are numbers.
func readHighest(entries []string, ok bool, parse func(entry string) (name, score string)) (Slots, bool) {
	if !ok {
		return nil, false
	}

	best, bestScore, most := "", "", 0.0

	for i, e := range entries {
		name, score := parse(e)

		x, ok := scoreNumber(score)
		if !ok {
			return nil, false
		}

		if i == 0 || x > most {
			best, bestScore, most = name, score, x
		}

		entries[i] = name + " " + score
	}

	return Slots{{"answer", best}, {"score", bestScore}, {"list", strings.Join(entries, ", ")}}, true
}
