package questions

import (
	"database/sql"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/toolqa"
)

// smallScirex is a corpus for finding the answers by hand.
func smallScirex(t testing.TB) *Corpus {
	rows := [][5]string{ // method, material, metric, task, score
		{"aESIM", "MultiNLI", "Matched", "NLI", "73.9 "},
		{"aESIM", "MultiNLI", "Mismatched", "NLI", "73.9"},
		{"aESIM", "Quora_Question_Pairs", "Accuracy", "NLI", "88.01"},
		{"aESIM", "SNLI", "Accuracy", "NLI", "\ufeff88.1"},
		{"aESIM", "SNLI", "Parameters", "NLI", "7.7m"},
		{"ESIM_", "SNLI", "Accuracy", "NLI", "88.0"},
		{"ESIM_", "SNLI", "Parameters", "NLI", "15m"},
		{"ESIM_", "SNLI", "Parameters", "Parsing", "1m"},
		{"300D_LSTM_encoders", "SNLI", "Parameters", "NLI", "380k"},
		{"aESIM", "Alien", "Score", "Atari_Games", "1,203"},
		{"Duel_hs", "Alien", "Score", "Atari_Games", "823.7"},
		{"Duel_hs", "Pong", "Score", "Atari_Games", "-18"},
		{"A", "X", "Accuracy", "T", "9.5%"},
		{"B", "X", "Accuracy", "T", "71.6%"},
		{"A", "Y", "Accuracy", "T", "71.6%"},
		{"A", "Z", "F1", "T", "64.9/72.5"},
		{"B", "Z", "F1", "T", "60"},
		{"C", "Z", "EM", "T", "0.5"},
		{"D", "Z", "EM", "T", "0.50"},
		{"C", "W", "EM", "T", "0.5"},
		{"C", "W", "EM", "T", "0.6"},
		{"E", "V", "AP", "T", "95.3±0.3"},
		{"F", "V", "AP", "T", "95.2±0.1"},
	}

	s := &Corpus{dataset: toolqa.SciREX}
	s.db = sql.OpenDB(ruleConnector{"file:" + filepath.Join(t.TempDir(), "relations.sqlite"), s})
	closeLater(t, s.Close)

	exec := func(statement string, args ...any) {
		if _, err := s.db.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}

	exec("CREATE TABLE relations (id INTEGER PRIMARY KEY, method, material, metric, task, score, score_kind)")
	add := func(r [5]string, kind string) {
		exec("INSERT INTO relations VALUES (NULL, ?, ?, ?, ?, ?, ?)",
			r[0], r[1], r[2], r[3], r[4], kind)
	}

	for _, r := range rows {
		add(r, "text")
	}

	add([5]string{"G", "U", "Acc_", "T", "61.0"}, "number")
	return s
}

func TestScirexGold(t *testing.T) {
	c := smallScirex(t)

	const none = "" // the corpus holds no answer
	for _, tt := range []struct{ template, question, want, official string }{
		{"scirex-easy/score", "What is the corresponding Matched score of the aESIM method on MultiNLI dataset " +
			"for NLI task?", "73.9", "73.9"},
		{"scirex-easy/score", "What is the corresponding Accuracy score of the aESIM method on SNLI dataset for " +
			"NLI task?", "88.1", "88.1"},
		{"scirex-easy/score", "What is the corresponding Parameters score of the ESIM_ method on SNLI dataset for " +
			"Parsing task?", "1m", "1m"},
		{"scirex-easy/score", "What is the corresponding Acc_ score of the G method on U dataset for T task?", "61.0",
			"61.0"},
		{"scirex-easy/score", "What is the corresponding EM score of the C method on W dataset for T task?", none,
			none},
		{"scirex-easy/score", "What is the corresponding EM score of the C method on V dataset for T task?", none,
			none},
		{"scirex-hard/highest-dataset", "On which dataset does the aESIM method achieve the highest Accuracy " +
			"score for NLI task?", "SNLI", "SNLI"},
		{"scirex-hard/highest-dataset", "On which dataset does the Duel_hs method achieve the highest Score score " +
			"for Atari_Games task?", "Alien", "Alien"},
		{"scirex-hard/highest-dataset", "On which dataset does the A method achieve the highest Accuracy score " +
			"for T task?", "Y", "X"},
		{"scirex-hard/highest-dataset", "On which dataset does the G method achieve the highest Acc_ score " +
			"for T task?", none, none},
		{"scirex-hard/highest-method", "Which method achieves the highest Parameters score on SNLI dataset for " +
			"NLI task?", "ESIM_", "aESIM"},
		{"scirex-hard/highest-method", "Which method achieves the highest Accuracy score on SNLI dataset for " +
			"NLI task?", "aESIM", "aESIM"},
		{"scirex-hard/highest-method", "Which method achieves the highest Score score on Alien dataset for " +
			"Atari_Games task?", "aESIM", "Duel_hs"},
		{"scirex-hard/highest-method", "Which method achieves the highest Accuracy score on X dataset for T task?", "B",
			"A"},
		{"scirex-hard/highest-method", "Which method achieves the highest F1 score on Z dataset for T task?", none,
			none},
		{"scirex-hard/highest-method", "Which method achieves the highest EM score on Z dataset for T task?", none,
			"C"},
		{"scirex-hard/highest-method", "Which method achieves the highest AP score on V dataset for T task?", "E", "E"},
		{"scirex-hard/metrics", "On what metrics is the aESIM method evaluated on MultiNLI dataset for NLI task?",
			"Matched, Mismatched", "Matched, Mismatched"},
		{"scirex-hard/metrics", "On what metrics is the C method evaluated on W dataset for T task?", "EM", "EM"},
		{"scirex-hard/metrics", "On what metrics is the C method evaluated on W dataset for NLI task?", none, none},
		{"scirex-hard/datasets", "Which datasets is aESIM method evaluated on for NLI task?",
			"MultiNLI, Quora_Question_Pairs, SNLI", "MultiNLI"},
		{"scirex-hard/datasets", "Which datasets is ESIM_ method evaluated on for NLI task?", "SNLI", "SNLI"},
		{"scirex-hard/datasets", "Which datasets is ESIM_ method evaluated on for Atari_Games task?", none, none},
	} {
		m, ok := recognise(tt.question)
		if !ok || m.template.Name != tt.template {
			t.Errorf("%q is of %v, %v", tt.question, m.template, ok)
			continue
		}

		for want, rule := range map[*string]func(match, *Corpus) (string, error){&tt.want: rightAnswer,
			&tt.official: officialAnswer} {
			if got, err := rule(m, c); got != *want || isNoAnswer(err) != (*want == none) {
				t.Errorf("%q: %q, %v, want %q", tt.question, got, err, *want)
			}
		}

		if (m.template.fault == "") != (m.template.official == nil) {
			t.Errorf("%s: a fault without a published rule, or the reverse", tt.template)
		}
	}
}

// Only questions that both rules answer alike are drawn of the templates that are used in training
// all the same.
func TestScirexDrawsAvoidTheFault(t *testing.T) {
	c := smallScirex(t)

	for _, tmpl := range templatesOf(toolqa.SciREX) {
		seen := map[string]bool{}

		r := rand.New(rand.NewPCG(1, 2))
		for range 300 {
			values, err := tmpl.draw(r, c)
			if err != nil {
				t.Fatal(err)
			}

			slots, err := tmpl.fill(values)
			if err != nil {
				t.Fatal(err)
			}

			m := match{tmpl, slots}

			gold, err := rightAnswer(m, c)
			if isNoAnswer(err) && !tmpl.avoided {
				continue
			}

			if err != nil {
				t.Fatal(err)
			}

			if official, err := officialAnswer(m, c); tmpl.avoided && (err != nil || official != gold) {
				t.Errorf("%q: %q, by the published rule %q, %v", m.question(), gold, official, err)
			}

			seen[m.question()] = true
		}

		if trains := tmpl.Name != "scirex-hard/datasets"; tmpl.trainable() != trains || len(seen) < 2 {
			t.Errorf("%s: trainable %v, %d questions", tmpl.Name, tmpl.trainable(), len(seen))
		}
	}
}

func TestPublishedScirex(t *testing.T) {
	counts := map[string]int{}

	for _, d := range toolqa.Difficulties() {
		qs, err := readPublished(sharedData(t, "toolqa", "questions", string(d), "scirex-"+string(d)+".jsonl"),
			toolqa.SciREX, d)
		if err != nil {
			t.Fatal(err)
		}

		for _, q := range qs {
			m, ok := recognise(q.Text)
			if !ok || m.template.dataset != toolqa.SciREX || m.template.difficulty != d || m.question() != q.Text {
				t.Errorf("%s: %q is read as %+v", q.ID, q.Text, m.slots)
				continue
			}

			for _, s := range m.slots { // published names have no blanks
				if s.value == "" || strings.Contains(s.value, " ") {
					t.Errorf("%s: %q: slot %s is %q", q.ID, q.Text, s.name, s.value)
				}
			}
			counts[m.template.Name]++
		}
	}

	for name, want := range map[string]int{"scirex-easy/score": 100, "scirex-hard/highest-dataset": 10,
		"scirex-hard/highest-method": 23,
		"scirex-hard/metrics":        28, "scirex-hard/datasets": 39} {
		if counts[name] != want {
			t.Errorf("%s: %d questions, want %d", name, counts[name], want)
		}
	}
}

func TestScoreNumber(t *testing.T) {
	for score, want := range map[string]float64{
		"73.9 ": 73.9, " 44.3%": 44.3, "\ufeff62.1": 62.1, "380k": 380e3, "190K": 190e3, "1.7m": 1.7e6, "22M": 22e6,
		"1.5B": 1.5e9, "81.5±0.3": 81.5,
		"1,203": 1203, "13,509.5": 13509.5, "0,5": 0.5, "-18": -18, "434.1%": 434.1, "5": 5,
	} {
		if got, ok := scoreNumber(score); !ok || got != want {
			t.Errorf("%q: %v, %v, want %v", score, got, ok, want)
		}
	}

	for _, score := range []string{"", "-", "---", "64.9/72.5", "nan", "inf", "k", "%", "1,2,3",
		"good", "5.3MB", "380KB", "12kB"} {
		if got, ok := scoreNumber(score); ok {
			t.Errorf("%q is %v", score, got)
		}
	}
}

// scirexCalls returns the calls of a plan after each of the results, as "tool input".
func scirexCalls(t *testing.T, question string, results ...string) (calls []string) {
	t.Helper()

	for _, c := range planCalls(t, question, results...) {
		calls = append(calls, c.Name+" "+c.Args[0].Value.(string))
	}
	return calls
}

func TestScirexSearch(t *testing.T) {
	const (
		nothing = "There is no information that can be matched in the database. Please try another query."
		score   = "What is the corresponding F0_5 score of the X__ method on Penn_Treebank dataset for Parsing task?"
		dataset = "On which dataset does the X__ method achieve the highest F0_5 score for Parsing task?"
		method  = "Which method achieves the highest F0_5 score on Penn_Treebank dataset for Parsing task?"
		metrics = "On what metrics is the X__ method evaluated on Penn_Treebank dataset for Parsing task?"
		which   = "Which datasets is X__ method evaluated on for Parsing task?"
	)
	for _, tt := range []struct{ question, passages, want string }{
		{score, "We train . X++ obtains 71.6% F0.5 on Penn Treebank .", "71.6%"},
		{score, "a\nb . X++ scores 1 in F0.5 on the Penn Treebank dataset . c\nd", "1"},
		{score, "The F0.5 score of X++ on Penn Treebank is 81.5±0.3 .", "81.5±0.3"},
		{score, "Also , the F0_5 of X__ on Penn_Treebank is 7 .", "7"},
		{score, "At 0.5 F0.5 on Penn Treebank , X++ improves over the strongest baseline .", "0.5"},
		{score, "x . X++ reaches 3 ( F0.5 ) on Penn Treebank .", "3"},
		{score, "We report the F0.5 score 3 for X++ on Penn Treebank .", "3"},
		{dataset, "Across datasets , the F0.5 scores of X++ are 9.5% on A , 71.6% on B_C and 8% on D .", "B_C"},
		{dataset, "In terms of F0.5 , X++ reaches 1.7m on A and 380k on B .", "A"},
		{dataset, "The F0.5 of X++ varies with the dataset : 1,000 on A , 999 on B .", "A"},
		{method, "section : Leaderboard for Parsing on Penn Treebank By F0.5 , all methods : A_ 1 , B 12 , C 3 .", "B"},
		{method, "Leaderboard for Parsing on Penn Treebank All methods with their F0.5 : A_ 1% .", "A_"},
		{method, "Leaderboard for Parsing on Penn Treebank The F0.5 scores of all methods : A_ 1 , B 0.2 .", "A_"},
		{metrics, "On Penn Treebank we evaluate X++ by F1 .", "F1"},
		{metrics, "The metrics for X++ on Penn Treebank : F1 , F0_5 and __Test_Accuracy .",
			"F1, F0_5, __Test_Accuracy"},
		{metrics, "For X++ on Penn Treebank we follow earlier work and measure UAS and LAS .", "UAS, LAS"},
		{which, "We evaluate X++ for Parsing on A , B and C_ .", "A, B, C_"},
		{which, "The method X++ is evaluated on A for Parsing .", "A"},
		{which, "The datasets used with X++ for Parsing : A and B .", "A, B"},
	} {
		for _, results := range [][]string{{tt.passages}, {nothing, tt.passages}} {
			calls := scirexCalls(t, tt.question, results...)
			if got := calls[len(calls)-1]; got != "Finish "+tt.want {
				t.Errorf("%q after %q: %s, want %q", tt.question, results, got, tt.want)
			}

			if n := len(results); n == 2 && calls[0] == calls[1] || !strings.HasPrefix(calls[n-1], "RetrieveScirex ") {
				t.Errorf("%q: the calls are %q", tt.question, calls)
			}
		}
	}

	first := scirexCalls(t, score)[0]
	if first != "RetrieveScirex F0_5 score of the X__ method on Penn_Treebank dataset for Parsing task" {
		t.Errorf("the first call is %s", first)
	}
}

// What is said of another method, material, metric or task is no answer; after two searches the
// plan gives up.
func TestScirexSearchesInVain(t *testing.T) {
	for question, passages := range map[string][]string{
		"What is the corresponding F1 score of the X method on CIFAR-10 dataset for T task?": {
			"a . X+ obtains 1 F1 on CIFAR-10 .", "a . X + Y obtains 1 F1 on CIFAR-10 .",
			"a . Y + X obtains 1 F1 on CIFAR-10 .", "a . X obtains 1 F1 on CIFAR-100 .",
			"a . X obtains 1 F1 score on CIFAR-10 .", "At 1 F1 on CIFAR-10 , X + Y improves over",
			"The F1 of X on CIFAR-10 (small) is 1 .", "",
		},
		"Which method achieves the highest F1 score on A dataset for T task?": {
			"Leaderboard for T on B By F1 , all methods : A 1 .", "Leaderboard for U on A By F1 , all methods : A 1 .",
			"Leaderboard for T on A By EM , all methods : A 1 .",
			"Leaderboard for T on A By F1 , all methods : A 1 , B 1/2 .",
			"Leaderboard for T on A\nBy F1 , all methods : A 1 .",
		},
	} {
		plan, ok := Plan(question)
		if !ok {
			t.Fatalf("no plan for %q", question)
		}

		for _, p := range passages {
			if _, call, err := plan([]string{p}); err != nil || call.Name != "RetrieveScirex" {
				t.Errorf("%q after %q: %+v, %v", question, p, call, err)
			}

			if _, call, err := plan([]string{p, p}); err == nil {
				t.Errorf("%q after %q twice: %+v", question, p, call)
			}
		}
	}
}

// Thoughts say what is searched for and what was found.
func TestScirexThoughts(t *testing.T) {
	plan, _ := Plan("Which method achieves the highest F1 score on A dataset for T task?")

	thought, _, err := plan([]string{"Leaderboard for T on A By F1 , all methods : M 1.5 , N 12% ."})
	if want := "Among the methods on A, M 1.5, N 12%, the highest F1 is 12%, by N."; err != nil || thought != want {
		t.Errorf("%q, %v, want %q", thought, err, want)
	}
}

// FuzzScirexPassages reads anything: what is read is in the passages.
func FuzzScirexPassages(f *testing.F) {
	f.Add("X__", "Penn_Treebank", "F0_5", "a . X++ obtains 71.6% F0.5 on Penn Treebank .\nLeaderboard for T on "+
		"Penn Treebank By F0.5 , all methods : A 1 .")
	f.Add("_", "\xff", "", "The datasets used with * for T : A and B .")
	f.Add("M", "D", "E", "Across datasets , the E scores of M are 1k on A , 2 on B .")
	f.Fuzz(func(t *testing.T, method, material, metric, text string) {
		s := slotValues{{"method", method}, {"material", material}, {"metric", metric}, {"task", "T"}}
		for asked := range scirexWordings() {
			values, ok := valuesStated(asked, strings.Split(text, "\n"), s)
			if !ok {
				continue
			}

			for _, part := range strings.Split(values.get("answer"), ", ") {
				if !strings.Contains(text, part) {
					t.Errorf("%q is not in %q", part, text)
				}
			}
		}
	})
}
