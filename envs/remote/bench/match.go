package bench

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/score"
)

// The ways of comparing an answer with the gold answer.
const (
	matchStrict   = "strict"   // package score
	matchOfficial = "official" // package score: ToolQA's, faults included
	matchNumber   = "number"   // the same number, within a tolerance
	matchJSON     = "json"     // the same JSON value, members in any order
	matchRegex    = "regex"    // the gold answer is a regular expression that fits the whole answer
)

func matchers() []string {
	return []string{matchStrict, matchOfficial, matchNumber, matchJSON, matchRegex}
}

// agrees compares an answer with the task's gold answer. Only ToolQA's matcher has two verdicts.
func (t *Task) agrees(answer string) (official, strict bool) {
	var same bool

	switch t.matcher() {
	case matchOfficial:
		return score.Official(t.Answer, answer), score.Strict(t.Answer, answer)
	case matchStrict:
		same = score.Strict(t.Answer, answer)
	case matchNumber:
		same = isNear(t.Answer, answer, t.Tolerance)
	case matchJSON:
		gold, _ := pytext.DecodeStrict(t.Answer) // the file was read
		text := strings.TrimSpace(answer)

		got, err := pytext.DecodeStrict(text)
		if err != nil {
			got, err = pytext.DecodeLiteral(text) // as environments print an answer that is no text
		}

		same = err == nil && isSame(gold, got)
	case matchRegex:
		fits, err := regexp.Compile(`^(?s:` + t.Answer + `)$`)
		same = err == nil && fits.MatchString(strings.TrimSpace(answer))
	}

	return same, same
}

// rounding is the relative error of a difference that is forgiven, of what was computed in binary:
// 0.1 and 0.2 are 0.30000000000000004 there.
var rounding = big.NewRat(1, 1e14)

// isNear compares decimals: as binary ones, long IDs that differ would be the same.
func isNear(gold, answer string, tolerance float64) bool {
	want, isNumber := number(gold)
	got, isAnswer := number(answer)
	allowed, isAllowed := number(strconv.FormatFloat(tolerance, 'g', -1, 64))

	if !isNumber || !isAnswer || !isAllowed {
		return false
	}

	if !want.IsInt() || !got.IsInt() {
		size := new(big.Rat).Abs(want)
		allowed.Add(allowed, size.Mul(size, rounding))
	}

	difference := got.Sub(got, want)
	return difference.Abs(difference).Cmp(allowed) <= 0
}

// grouped fits a number with commas between groups of thousands. Any other comma is a decimal one,
// as in 0,125, or ends an element of a list.
var grouped = regexp.MustCompile(`^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$`)

// number reads an answer that is a number, with the signs of money and groups of thousands.
func number(text string) (*big.Rat, bool) {
	text = strings.Trim(strings.TrimSpace(text), "$€£ ")
	text = strings.TrimSuffix(text, ".")

	if grouped.MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}

	// A Rat would be read from fractions, too, and from numbers of a million digits.
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// isSame compares two JSON values: members in any order, and numbers by value.
func isSame(a, b any) bool {
	return string(pytext.AppendCanonical(nil, a)) == string(pytext.AppendCanonical(nil, b))
}

// holds reports whether a value has everything that another one has. Objects may have more members;
// lists must be of the same length.
func holds(value, says any) bool {
	switch says := says.(type) {
	case envs.Args:
		object, ok := value.(envs.Args)
		for _, m := range says {
			inside, has := object.Get(m.Name)
			ok = ok && has && holds(inside, m.Value)
		}

		return ok
	case []any:
		list, ok := value.([]any)
		ok = ok && len(list) == len(says)

		for i := 0; ok && i < len(says); i++ {
			ok = holds(list[i], says[i])
		}
		return ok
	}
	return isSame(value, says)
}
