package questions

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/toolqa/corpus/importer"

	"toolevo/envs/score"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// fewPapers imports the eight papers that package corpus has pickles of.
func fewPapers(t testing.TB) *corpus.Corpus {
	t.Helper()
	return imported(t, toolqa.DBLP, filepath.Join("..", "corpus", "importer", "testdata", "dblp"), importer.Options{})
}

const (
	icml  = "International Conference on Machine Learning"
	bonn  = "Univ Bonn, Dept Comp Sci, Bonn, Germany"
	dana  = `Dana "D" Novák`
	inNet = " in the DBLP citation network?"
)

// The answers about eight papers, computed by hand.
func TestDBLPGold(t *testing.T) {
	tests := []struct{ template, question, want, official string }{
		{"easy/authors", "Who are the authors of Lazy Graphs?", "Bo O'Brien, Ann Müller, Wei Chen", ""},
		{"easy/authors", "Who are the authors of Editorial.?", "Wei Chen, B. O'Brien", ""}, // the more cited one
		{"easy/organization", "What organization is " + dana + " from?", "Charles University", ""},
		{"easy/pages", "How many pages is A Survey of Surveys: What Don't We Know??", "15", ""},
		{"easy/pages", "How many pages is Restful Graphs, Revisited?", "1", ""},
		{"easy/references", "How many papers did A Survey of Surveys: What Don't We Know? cite?", "3", ""},
		{"easy/references", "How many papers did Editorial. cite?", "1", ""}, // itself
		{"easy/cited-by", "How many papers in the DBLP citation network cited Lazy Graphs?", "3", ""},
		{"easy/collaborators", "How many collaborators does Ann Müller have" + inNet, "4", ""},
		{"easy/papers-together", "How many papers did Ann Müller and Bo O'Brien write together" + inNet, "4", "2"},
		{"easy/papers", "What papers did Wei Chen write" + inNet, "Editorial., Graphs at Rest",
			"Editorial., Graphs at Rest, Graphs at Rest"},
		{"easy/number-of-papers", "How many papers did Ann Müller write" + inNet, "5", "10"},
		{"easy/venue", "What venue did Bo O'Brien and Ann Müller collaborate most" + inNet, icml, ""},

		{"hard/distance", "How many people does Ann Müller need to know at least to know Wei Chen" + inNet, "1", ""},
		{"hard/distance", "How many people does Bo O'Brien need to know at least to know " + dana + inNet, "2", ""},
		{"hard/common-collaborators", "How many common collaborators does Ann Müller have with Bo O'Brien?", "2", ""},
		{"hard/most-cited-paper", "Which is the most cited paper written by Bo O'Brien" + inNet,
			"Restful Graphs, Revisited", ""},
		{"hard/most-citations-with", "Which collaborator does Bo O'Brien have the most citations with" + inNet,
			"Ann Müller", "Ann Müller"},
		{"hard/venue", "Which venue does Ann Müller publish the most papers" + inNet, icml,
			strings.Join([]string{icml, icml, icml, icml}, ",")},
		{"hard/accumulated-citations", "How many accumulated citations do papers collaborated by Ann Müller and " +
			"Bo O'Brien have" + inNet, "11", "22"},
		{"hard/papers-in-all", "How many papers in all do " + dana + " and his/her collaborators have" + inNet, "6",
			"7"},
		{"hard/most-frequent-collaborator", "Who collaborated with Ann Müller most" + inNet, "Bo O'Brien", ""},
		{"hard/most-frequent-collaborator", "Who collaborated with Wei Chen most" + inNet, "Bo O'Brien, Ann Müller, " +
			dana, ""},
		{"hard/institutions", "What institutions participated in the study of Graphs at Rest" + inNet,
			bonn + "; Charles University", ""},
		{"hard/keywords", "What keywords does Ann Müller focus on most" + inNet, "Edge computing; Graphs; REST; " +
			"Surveys; Waiting; meta-research", ""},
	}
	c := fewPapers(t)
	view := mustLoad(t, c)

	covered := map[string]bool{}

	for _, tt := range tests {
		m, ok := recognise(tt.question)
		if !ok || m.template.Name != "dblp-"+tt.template {
			t.Errorf("Recognise(%q) = %v, %v, want %s", tt.question, m, ok, tt.template)
			continue
		}

		covered[m.template.Name] = true
		if got, err := rightAnswer(m, view); err != nil || got != tt.want {
			t.Errorf("Gold(%q) = %q, %v, want %q", tt.question, got, err, tt.want)
		}

		if (tt.official != "") != (m.template.fault != "") {
			t.Errorf("%s: fault %q", tt.template, m.template.fault)
		}

		if got, err := officialAnswer(m, view); err != nil || tt.official != "" && got != tt.official {
			t.Errorf("OfficialGold(%q) = %q, %v, want %q", tt.question, got, err, tt.official)
		}
	}

	for _, tmpl := range templatesOf(toolqa.DBLP) {
		if !covered[tmpl.Name] {
			t.Errorf("no gold answer of %s is tested", tmpl.Name)
		}
	}
}

func TestDBLPNoAnswer(t *testing.T) {
	view := mustLoad(t, fewPapers(t))

	for _, q := range []string{
		"Who are the authors of An Older Paper?",
		"What organization is Wei Chen from?",
		"How many pages is Editorial.?",              // the last page is before the first
		"How many pages is Graphs at Rest?",          // no last page
		"How many pages is Edge Devices That Wait.?", // 123:1 is no number
		"How many collaborators does Solo, S. have" + inNet,
		"How many collaborators does No Id have" + inNet,
		"How many papers did Bo O'Brien and " + dana + " write together" + inNet,
		"How many people does Ann Müller need to know at least to know Solo, S." + inNet,
		"Which is the most cited paper written by Solo, S." + inNet,
	} {
		m, ok := recognise(q)
		if !ok {
			t.Errorf("%q is not recognised", q)
			continue
		}

		if got, err := rightAnswer(m, view); !isNoAnswer(err) {
			t.Errorf("Gold(%q) = %q, %v, want no answer", q, got, err)
		}
	}
}

// A network in which the leader depends on how papers are counted: with the first collaborator
// there are two papers and three entries. Nobody leads in the venues of Ann, and two papers of Bea
// are cited as often.
const countedNetwork = `
CREATE TABLE titles (title, paper); CREATE TABLE papers (id, title, attributes);
CREATE TABLE names (name, author); CREATE TABLE authors (id, name, edges, key);
CREATE TABLE edges (id, first, second, weight, papers, n_citation);
INSERT INTO papers VALUES (1, 'One', '{"venue": {"raw": "B"}}'), (2, 'Two', '{"venue": {"raw": "A"}}'),
  (3, 'Three', '{"venue": {"raw": "A"}}'), (4, 'Four', '{"venue": {"raw": "B"}}');
INSERT INTO names VALUES ('Ann', 0), ('Bea', 1), ('Cem', 2), ('Dan', 3);
INSERT INTO authors (id, name, edges) VALUES (0, 'Ann', '[0,1,2]'), (1, 'Bea', '[0]'), (2, 'Cem', '[1]'), (3, 'Dan', '[2]');
INSERT INTO edges VALUES (0, 0, 1, 3, '[1,2,2]', '[1,3,3]'), (1, 0, 2, 1, '[3]', '[5]'), (2, 0, 3, 1, '[4]', '[5]')`

func TestDBLPCountsEachPaperOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counted.sqlite")
	c := &Corpus{dataset: toolqa.DBLP}
	c.db = sql.OpenDB(ruleConnector{path, c})
	t.Cleanup(func() { c.Close() })

	if _, err := c.db.Exec(countedNetwork); err != nil {
		t.Fatal(err)
	}

	pair := slotValues{{"first", "Ann"}, {"second", "Bea"}}

	for _, tt := range []struct {
		template             string
		slots                slotValues
		gold, official, only string
	}{
		// two of Ann's papers have 5 citations, and so have two of her collaborators
		{"hard/most-cited-paper", slotValues{{"author", "Ann"}}, "Three", "", "0"},
		{"hard/most-citations-with", slotValues{{"author", "Ann"}}, "Cem", "Bea", "0"},
		{"hard/venue", slotValues{{"author", "Ann"}}, "B", "A,A,B", "0"},
		{"hard/most-cited-paper", slotValues{{"author", "Bea"}}, "Two", "", "1"},
		{"hard/most-citations-with", slotValues{{"author", "Bea"}}, "Ann", "Ann", "0"},
		{"hard/accumulated-citations", pair, "4", "7", "1"},
		{"easy/papers-together", pair, "2", "0", "1"},
		{"easy/venue", pair, "B", "", "0"},
	} {
		tmpl, _ := lookup("dblp-" + tt.template)
		for key, rule := range map[string]rule{"gold": tmpl.gold, "official": tmpl.official, "only": tmpl.only} {
			want := map[string]string{"gold": tt.gold, "official": tt.official, "only": tt.only}[key]
			if rule == nil && want == "" {
				continue
			}

			if got, err := rule(c, tt.slots); err != nil || got != want {
				t.Errorf("%s, %s of %v = %q, %v, want %q", tt.template, key, tt.slots, got, err, want)
			}
		}
	}
}

// Every published question is read as the template that its place in the file belongs to.
func TestPublishedDBLPQuestions(t *testing.T) {
	n := 0

	for _, d := range toolqa.Difficulties() {
		f, err := os.Open(sharedData(t, "toolqa", "questions", string(d), "dblp-"+string(d)+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()

		templates := Templates(toolqa.DBLP, d)
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)

		for i := 0; lines.Scan(); i++ {
			var q struct {
				ID   string `json:"qid"`
				Text string `json:"question"`
			}
			if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
				t.Fatal(err)
			}

			m, ok := recognise(q.Text)
			if !ok || i/10 >= len(templates) || m.template != templates[i/10] ||
				m.question() != strings.TrimSpace(q.Text) {
				t.Errorf("%s: %q is read as %v, %v", q.ID, q.Text, m, ok)
				continue
			}

			for _, s := range m.slots {
				if len(m.slots) == 2 && strings.Contains(s.value, " and ") {
					t.Errorf("%s: slot %s is %q", q.ID, s.name, s.value)
				}
			}
			n++
		}
	}

	if n != 200 {
		t.Errorf("%d of 200 published questions are recognised", n)
	}
}

// What is generated has one answer: the rule, and SQL over the file, find the same.
func TestGeneratedDBLPQuestions(t *testing.T) {
	t.Parallel()
	c := syntheticDBLP(t, 3_000)
	view := mustLoad(t, c)
	qs := allQuestions(t, toolqa.DBLP, dblpOptions(3_000))
	wantAnswers(t, toolqa.DBLP, answersOf(t, c, qs), 2)

	faulty := map[string]bool{"dblp-hard/most-citations-with": leadersDiffer(t, view)} // for one author in many

	for _, q := range qs {
		m, _ := recognise(q.Text)

		official, err := officialAnswer(m, view)
		if err != nil && !isNoAnswer(err) {
			t.Fatal(err)
		}

		faulty[q.Template] = faulty[q.Template] || !score.Strict(q.Answer, official)
	}

	for _, tmpl := range templatesOf(toolqa.DBLP) {
		if faulty[tmpl.Name] != (tmpl.fault != "") {
			t.Errorf("%s: fault %q, and the published rule gives another answer: %v", tmpl.Name, tmpl.fault,
				faulty[tmpl.Name])
		}
	}
}

// leadersDiffer reports whether somebody has the most citations with another collaborator by the
// published rule.
func leadersDiffer(t *testing.T, c *Corpus) (differ bool) {
	t.Helper()

	tmpl, _ := lookup("dblp-hard/most-citations-with")

	names := newQuery("SELECT name FROM names")
	err := names.each(c, nil, func(_ []string, row []any) {
		asked := slotValues{{"author", row[0].(string)}}
		right, err := tmpl.gold(c, asked)

		official, _ := tmpl.official(c, asked)
		differ = differ || err == nil && right != official

		if ignoreNoAnswer(err) != nil {
			t.Fatal(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}

	return differ
}

func TestDBLPDrawsFromNothing(t *testing.T) {
	view := mustLoad(t, syntheticDBLP(t, 1))
	r := rand.New(rand.NewPCG(1, 1))

	for _, tmpl := range templatesOf(toolqa.DBLP) {
		if tmpl.Name == "dblp-hard/common-collaborators" {
			if _, err := tmpl.draw(r, view); err == nil {
				t.Error("collaborators in a network of one paper")
			}
		}
	}
}
