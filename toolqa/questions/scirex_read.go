package questions

import (
	"embed"
	"regexp"
	"strings"

	"toolevo/envs/yamltext"
)

// readStated reads what a search has found: the score, the names or the highest of the scores that
// the passages state. Where they do not state what is asked, "missed" is known; after a second
// search they must.
func readStated(asked string) reader {
	if _, ok := listPatterns[asked]; !ok {
		return nil
	}
	return func(result string, known *slotValues) error {
		values, ok := valuesStated(asked, strings.Split(result, "\n"), *known)
		if !ok && known.get("missed") != "" {
			return unexpected(result, "passages that answer the question")
		}

		if !ok {
			values = slotValues{{"missed", "yes"}}
		}

		*known = append(*known, values...)
		return nil
	}
}

// wordingFiles are the wordings by which answers are found.
//
//go:embed wordings/*.yaml
var wordingFiles embed.FS

// scirexWordings are those in which papers state what is asked, by its name.
var scirexWordings = yamltext.Once[map[string][]string](wordingFiles, "wordings/scirex.yaml")

const (
	oneScore = `(\S+)`
	nameList = `([\w-]+(?: (?:,|and) [\w-]+)*)`
)

// listPatterns match the lists of what is asked.
var listPatterns = map[string]string{
	"score":           "", // is no list
	"metrics":         nameList,
	"datasets":        nameList,
	"highest-dataset": `(\S+ on [\w-]+(?: (?:,|and) \S+ on [\w-]+)*)`,
	"highest-method":  `([\w-]+ \S+(?: , [\w-]+ \S+)*)`,
}

// stated returns the list or the score in the first passage that has one of the wordings of what is
// asked.
func stated(passages []string, s slotValues, asked, list string) (string, bool) {
	for _, wording := range scirexWordings()[asked] {
		// The words of passages have single blanks between, like those of wordings.
		words := strings.Split(wording, " ")
		for i, w := range words {
			switch w {
			case "M":
				words[i] = namePattern(s.get("method"))
			case "D":
				words[i] = namePattern(s.get("material"))
			case "E":
				words[i] = namePattern(s.get("metric"))
			case "T":
				words[i] = namePattern(s.get("task"))
			case "S":
				words[i] = oneScore
			case "L":
				words[i] = list
			}
		}

		// Whole words, so that a score is never the end of another one.
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

// namePattern matches a name as the relations spell it and as papers do: every underscore stands
// for a character that is no letter, digit or hyphen, and at either end for no blank.
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

// valuesStated returns the values that passages state for what is asked.
func valuesStated(asked string, passages []string, s slotValues) (slotValues, bool) {
	list, ok := stated(passages, s, asked, listPatterns[asked])

	switch asked {
	case "score":
		return slotValues{{"answer", list}}, ok
	case "highest-dataset":
		return readHighest(splitList(list), ok, func(entry string) (name, score string) {
			score, name, _ = strings.Cut(entry, " on ")
			return name, score
		})
	case "highest-method":
		return readHighest(splitList(list), ok, func(entry string) (name, score string) {
			name, score, _ = strings.Cut(entry, " ")
			return name, score
		})
	}

	return slotValues{{"answer", strings.Join(splitList(list), ", ")}}, ok
}

// splitList splits an enumeration, "A , B and C".
func splitList(list string) []string {
	return strings.Split(strings.ReplaceAll(list, " and ", " , "), " , ")
}

// readHighest finds the name with the highest of the scores listed, if all of them are numbers.
func readHighest(entries []string, ok bool, parse func(entry string) (name, score string)) (slotValues, bool) {
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
	return slotValues{{"answer", best}, {"score", bestScore}, {"list", strings.Join(entries, ", ")}}, true
}
