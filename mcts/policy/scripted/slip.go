package scripted

import (
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/exact"
	"toolevo/envs/wire"
)

// slip is a mistake: how often it is made, and what it makes of the right move, or false if it is
// not possible.
type slip struct {
	rate float64
	make func(*scene, *dice) (move, bool)
}

// slips lists the mistakes in the order in which they are considered: one that skips a step and
// those made in one, which only drift makes possible, and those in the task, which are also made
// without it.
func (r *Rates) slips() (forgetting, drift, task, all []slip) {
	all = []slip{
		{r.ForgetUpdate, forgetUpdate},

		{r.RepeatUpdate, repeatUpdate},
		{r.IgnoreNotice, ignoreNotice},
		{r.OldParams, keepOldParams},

		{r.ExtraCall, extraCall},
		{r.EarlyAnswer, earlyAnswer},
		{r.GiveUp, giveUpEarly},
		{r.Column, wrongColumn},
		{r.Arithmetic, wrongArithmetic},
		{r.Malformed, malformed},
		{r.NoAction, noAction},
	}

	return all[:1], all[1:4], all[4:], all
}

// slip makes at most one of the mistakes, the first that is drawn and possible.
func (sc *scene) slip(slips []slip, d *dice, share float64) (move, bool) {
	if sc.best.kind == givingUp {
		return move{}, false
	}

	for _, slip := range slips {
		if slip.rate == 0 || !d.chance(slip.rate*share) {
			continue
		}

		if m, ok := slip.make(sc, d); ok {
			m.cost += 0.15 - float64(0.12*exact.Log(slip.rate))
			return m, true
		}
	}

	return move{}, false
}

// stepping reports whether the best move is a call of the plan.
func (sc *scene) stepping() bool { return sc.best.kind < describing }

func forgetUpdate(sc *scene, _ *dice) (move, bool) {
	if sc.best.kind != describing {
		return move{}, false
	}

	m := sc.step()
	return m, m.kind != givingUp
}

func repeatUpdate(sc *scene, _ *dice) (move, bool) {
	t := sc.st.last()
	if !sc.stepping() || t == nil || t.Call.Name != envs.UpdateTool || t.Outcome != envs.OK {
		return move{}, false
	}
	return move{thought: "I make sure that the new tool is described.", call: t.Call}, true
}

// ignoreNotice calls the deprecated name once more, not forever: two notices in a row are read.
func ignoreNotice(sc *scene, _ *dice) (move, bool) {
	m := sc.best
	if !sc.stepping() || m.via == nil || sc.st.ignored > 1 {
		return m, false
	}

	m.via = nil
	if m.kind == migrating || m.kind == adjusting {
		m.kind = retrying
	}
	return m, true
}

func keepOldParams(sc *scene, _ *dice) (move, bool) {
	m := sc.best
	m.form = oldParams
	return m, sc.stepping() && m.via != nil
}

func extraCall(sc *scene, _ *dice) (move, bool) {
	last := sc.st.lastOK
	if !sc.stepping() || last < 0 || sc.st.turns[last].Call.Name == sc.best.name() {
		return move{}, false
	}

	for _, t := range sc.st.turns[last+1:] { // once is enough
		if t.Call.Name != envs.UpdateTool || t.Outcome != envs.OK {
			return move{}, false
		}
	}

	return move{thought: "I check the last result once more.", call: sc.st.turns[last].Call}, true
}

// earlyAnswer answers with the first number of the last result.
func earlyAnswer(sc *scene, _ *dice) (move, bool) {
	if !sc.stepping() || len(sc.st.results) == 0 || sc.best.call.Name == envs.FinishTool {
		return move{}, false
	}

	answer := number.FindString(sc.st.results[len(sc.st.results)-1])
	if answer == "" {
		answer = unknownAnswer
	}
	return move{thought: "I think this already answers the question.", call: envs.Finish(answer)}, true
}

func giveUpEarly(sc *scene, _ *dice) (move, bool) { return giveUp(), sc.stepping() }

// number matches a number in a text, as far as digits and points reach.
var number = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)*`)

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

const columnList = "following columns: "

// columns returns the column names of the latest observation that lists any.
func (st *standing) columns() []string {
	for _, t := range slices.Backward(st.turns) {
		if _, list, ok := strings.Cut(wire.ReadAnswer(t.Observation), columnList); ok && t.Outcome == envs.OK {
			list, _, _ = strings.Cut(list, "\n")
			return strings.Split(strings.TrimSuffix(strings.TrimSpace(list), "."), ", ")
		}
	}

	return nil
}

// wrongColumn replaces a column in the call by another listed one.
func wrongColumn(sc *scene, d *dice) (move, bool) {
	m := sc.best
	if !sc.stepping() || m.call.Name == envs.FinishTool {
		return m, false
	}

	columns := sc.st.columns()
	if len(columns) < 2 {
		return m, false
	}

	for i, a := range m.call.Args {
		text, _ := a.Value.(string)
		for c, column := range columns {
			begin := wordIndex(text, column)
			if begin < 0 {
				continue
			}

			other := columns[(c+1+d.intN(len(columns)-1))%len(columns)]
			m.call.Args = slices.Clone(m.call.Args)
			m.call.Args[i].Value = text[:begin] + other + text[begin+len(column):]
			return m, true
		}
	}
	return m, false
}

// wordIndex returns where word occurs in text as a whole word, or -1.
func wordIndex(text, word string) int {
	if word == "" {
		return -1
	}

	for from := 0; ; {
		begin := strings.Index(text[from:], word)
		if begin < 0 {
			return -1
		}

		begin += from

		end := begin + len(word)
		if (begin == 0 || !isWordByte(text[begin-1])) && (end == len(text) || !isWordByte(text[end])) {
			return begin
		}

		from = end
	}
}

// wrongArithmetic changes what is computed: a digit of a number in Python code or in the answer, or
// the aggregate of a query. An answer without digits is given up.
func wrongArithmetic(sc *scene, d *dice) (move, bool) {
	m := sc.best
	if !sc.stepping() {
		return m, false
	}

	// One argument alone is changed: a sample makes at most one mistake.
	for i, a := range m.call.Args {
		text, _ := a.Value.(string)
		wrong := ""

		switch {
		case m.call.Name == envs.FinishTool:
			if wrong = wrongDigit(text, d); wrong == "" {
				wrong = unknownAnswer
			}
		case strings.Contains(text, "print("):
			wrong = wrongDigit(text, d)
		case strings.Contains(text, "SELECT"):
			wrong = wrongAggregate(text)
		}

		if wrong != "" && wrong != text {
			// The list is shared with sc.best, which must not change.
			m.call.Args = slices.Clone(m.call.Args)
			m.call.Args[i].Value = wrong
			return m, true
		}
	}

	return m, false
}

// wrongDigit changes one digit of a number in text; names like x1 hold no number. It returns "" if
// text has none.
func wrongDigit(text string, d *dice) string {
	var places []int
	for i := 0; i < len(text); i++ {
		if isDigit(text[i]) && (i == 0 || !isWordByte(text[i-1]) || len(places) > 0 && places[len(places)-1] == i-1) {
			places = append(places, i)
		}
	}

	if len(places) == 0 {
		return ""
	}

	b := []byte(text)
	i := places[d.intN(len(places))]
	b[i] = '0' + (b[i]-'0'+1+byte(d.intN(9)))%10
	return string(b)
}

func wrongAggregate(sql string) string {
	for _, pair := range [...][2]string{{"MAX(", "MIN("}, {"MIN(", "MAX("}, {"AVG(", "SUM("}, {"SUM(", "AVG("}} {
		if strings.Contains(sql, pair[0]) {
			return strings.Replace(sql, pair[0], pair[1], 1)
		}
	}

	return ""
}

func malformed(sc *scene, d *dice) (move, bool) {
	m := sc.best

	m.form = missingBrace
	if d.chance(0.5) {
		m.form = singleQuotes
	}
	return m, true
}

func noAction(sc *scene, _ *dice) (move, bool) {
	m := sc.best
	m.form = missingAction
	return m, true
}
