package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/datacmd"
	"toolevo/toolqa/questions"
)

func TestDataBuildIsReproducible(t *testing.T) {
	t.Parallel()
	var contents []string

	for _, seed := range []string{"3", "3", "4"} {
		dir := t.TempDir()

		r := document[datacmd.Built](t, must(t, "data", "build", "--data", dir, "--seed", seed, "--rows", "80",
			"--dataset", "coffee", "--json"))
		if len(r.Corpora) != 1 || r.Corpora[0].Rows != 80 || r.Corpora[0].Source != "synthetic" {
			t.Fatalf("%+v", r)
		}

		contents = append(contents, r.Corpora[0].Content)
	}

	if contents[0] != contents[1] || contents[0] == contents[2] {
		t.Errorf("the seed does not decide the rows: %v", contents)
	}
}

// TestDataBuildOverOthers builds corpora over older ones: those that are named are replaced, unless
// one of them cannot be made.
func TestDataBuildOverOthers(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "data")
	build := []string{"data", "build", "--data", dir, "--progress", "none", "--dataset"}
	must(t, append(build, "coffee,agenda", "--rows", "50")...)

	path := filepath.Join(dir, "corpus", "coffee.sqlite")
	before := read(t, path)

	fails(t, exitUsage, []string{"20001 rows"}, append(build, "coffee,scirex", "--rows", "20001")...)

	if !bytes.Equal(before, read(t, path)) {
		t.Error("one corpus was replaced, the other could not be")
	}

	must(t, append(build, "coffee", "--rows", "60")...)

	if bytes.Equal(before, read(t, path)) || !exists(filepath.Join(dir, "corpus", "agenda.sqlite")) {
		t.Error("the corpus was not replaced, or another is gone")
	}

	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the data folder has %v, %v", entries, err)
	}
}

func TestDataQuestions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, "data", "build", "--data", dir, "--dataset", "coffee", "--rows", "900")
	m := document[datacmd.Splits](t, must(t, "data", "questions", "--data", dir, "--scale", "0.01", "--json"))

	want := map[string]int{
		"easy train": 9, "easy dev": 1, "easy test": 1, "hard train": 12, "hard dev": 1, "hard test": 2,
		"easy examples": 24, "hard examples": 39,
	}
	for _, s := range m.Splits {
		if n, ok := want[s.Difficulty+" "+s.Split]; !ok || n != s.Questions {
			t.Errorf("%+v: want %d", s, n)
		}

		delete(want, s.Difficulty+" "+s.Split)
	}

	if len(want) > 0 {
		t.Errorf("not made: %v", want)
	}

	out := must(t, "data", "gold", "--data", dir)
	says(t, "data gold", out, "coffee-easy (generated): 1 of 1", "coffee-hard (generated): 2 of 2")

	small := t.TempDir()
	must(t, "data", "build", "--data", small, "--dataset", "coffee", "--rows", "2")

	r := cli(t, "data", "questions", "--data", small)
	if r.code != exitUsage || len(files(t, filepath.Join(small, "questions"))) > 0 {
		t.Errorf("a corpus of two days: exit %d, left %v\n%s", r.code, files(t, small), r.err)
	}
}

// TestDataQuestionsPassesOverACorpusOfNothing makes questions where one corpus has nothing that a
// question could be about.
func TestDataQuestionsPassesOverACorpusOfNothing(t *testing.T) {
	t.Parallel()
	from, dir := t.TempDir(), t.TempDir()

	passages := filepath.Join(from, "Preprocessed_Scirex.jsonl")
	const passage = `{"id": "scirex-0000", "content": "x"}`
	if err := os.WriteFile(passages, []byte(passage), 0o644); err != nil {
		t.Fatal(err)
	}

	must(t, "data", "import", "--data", dir, "--corpus", from, "--allow-short")

	generate := []string{"data", "questions", "--data", dir, "--scale", "0.01"}
	nothing := "a corpus without anything to ask about is too small"
	fails(t, exitUsage, []string{"scirex", nothing}, generate...)
	must(t, "data", "build", "--data", dir, "--dataset", "coffee", "--rows", "900")

	r := cli(t, generate...)
	if r.code != exitDone || strings.Contains(r.err, "%!") {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}

	says(t, "data questions", r.err, "Passed over scirex: ", nothing)
	says(t, "data questions", r.out, "coffee-easy")
	fails(t, exitUsage, []string{"scirex", nothing}, append(generate, "--dataset", "scirex")...)
}

// TestGoldFindsAWrongAnswer changes a gold answer: `data gold` has to name it and to fail.
func TestGoldFindsAWrongAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made(t, "data", "build", "--data", dir, "--dataset", "coffee", "--rows", "900")
	made(t, "data", "questions", "--data", dir, "--scale", "0.01")
	q := ask(t, dir, "coffee-easy/open", toolqa.Test)

	qs, err := questions.Read(dir, toolqa.Coffee, toolqa.Easy, toolqa.Test)
	if err != nil {
		t.Fatal(err)
	}

	i := slices.IndexFunc(qs, func(other toolqa.Question) bool { return other.ID == q.ID })

	qs[i].Answer = "987.65"
	if err := questions.Write(dir, qs); err != nil {
		t.Fatal(err)
	}

	r := cli(t, "data", "gold", "--data", dir)
	if r.code != exitBad {
		t.Errorf("exit %d, want %d", r.code, exitBad)
	}

	says(t, "data gold", r.out, q.ID, "987.65", q.Answer)

	r = cli(t, "data", "gold", "--data", dir, "--json")

	gold := document[datacmd.Gold](t, r.out).Gold
	if r.code != exitBad || len(gold) != 2 || len(gold[0].Disagreements) != 1 {
		t.Errorf("exit %d, %+v", r.code, gold)
	}
}

// TestPublishedFiles is acceptance on the published files: what they hold is read, and the
// templates' rules give every published answer.
func TestPublishedFiles(t *testing.T) {
	t.Parallel()
	from, dir := published(t), t.TempDir()

	r := document[datacmd.Imported](t, must(t, "data", "import", "--data", dir,
		"--corpus", filepath.Join(from, "corpus"), "--questions", filepath.Join(from, "questions"), "--json"))
	if len(r.Corpora) != 1 || r.Corpora[0].Rows != 5741 || r.Corpora[0].Source != "published" {
		t.Errorf("%+v", r.Corpora)
	}

	all := 0
	for _, f := range r.Questions {
		all += f.Questions
		if len(f.Unrecognised) > 0 || f.Skipped != "" {
			t.Errorf("%s: fit no template: %v %s", f.Path, f.Unrecognised, f.Skipped)
		}
	}

	if all != 1300 {
		t.Errorf("%d questions, want 1,300", all)
	}

	says(t, "data gold", must(t, "data", "gold", "--data", dir), "coffee-easy (published): 100 of 100 answers "+
		"agree with the right rule, 100")

	says(t, "data questions", must(t, "data", "questions", "--data", dir, "--scale", "0.1"),
		"coffee-easy   train 81  dev 10  test 100 (published)  examples 24\n",
		"coffee-hard   train 117  dev 10  test 13  examples 39\n")

	out := must(t, "eval", "--data", dir, "--difficulty", "easy", "--limit", "8", "--policy", "scripted:reader",
		"--api", "p_c,p_s_ood",
		"--fail-under", "1", "--out", filepath.Join(dir, "eval"))
	if n := strings.Count(out, "100.0"); n < 4 {
		t.Errorf("scripted:reader fails published questions:\n%s", out)
	}
}

const goodCSV = "Date,Open,High,Low,Close,Volume,Currency\n" +
	"2000-01-03,122.25,124.0,116.1,116.5,6640,USD\n" +
	"2000-01-04,116.25,120.5,115.75,116.25,5492,USD\n" +
	"2000-01-05,115.0,121.0,115.0,118.6,6165,USD\n"

// TestBadCorpusFiles holds what the error of each bad file says, and that nothing is left of it:
// what was imported before stays as it was.
func TestBadCorpusFiles(t *testing.T) {
	t.Parallel()
	from, dir := t.TempDir(), t.TempDir()
	file := filepath.Join(from, "coffee", "coffee_price.csv")
	put := func(text string) {
		t.Helper()

		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	fails(t, exitUsage, []string{"no published corpus in " + from}, "data", "import", "--data", dir, "--corpus", from)
	fails(t, exitUsage, []string{"no coffee_price.csv in " + from}, "data", "import", "--data", dir, "--corpus", from,
		"--dataset", "coffee")

	if left := files(t, dir); len(left) > 0 {
		t.Fatalf("a missing file left %v", left)
	}

	// Pickles that are there are not missing because what would read them is.
	gone := filepath.Join(from, "gone")
	for _, name := range []string{"paper_net", "author_net", "title2id_dict", "author2id_dict",
		"id2title_dict", "id2author_dict"} {
		if err := os.WriteFile(filepath.Join(from, name+".pkl"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fails(t, exitUsage, []string{gone, "no such file"}, "data", "import", "--data", dir,
		"--corpus", from, "--python", gone)
	for _, name := range files(t, from) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}

	put(goodCSV)
	fails(t, exitUsage, []string{"coffee_price.csv:4", "after 3 rows", "5741", "allow-short"}, "data", "import",
		"--data", dir, "--corpus", from)
	must(t, "data", "import", "--data", dir, "--corpus", from, "--allow-short")
	before := read(t, corpus.Path(dir, toolqa.Coffee))

	for name, tt := range map[string]struct {
		text  string
		words []string
	}{
		"other columns": {strings.Replace(goodCSV, "Open,High", "High,Open", 1),
			[]string{"coffee_price.csv:1", "Open", "expected"}},
		"no header": {strings.TrimPrefix(goodCSV, "Date,Open,High,Low,Close,Volume,Currency\n"),
			[]string{"coffee_price.csv:1", "expected"}},
		"cut in a row": {goodCSV[:len(goodCSV)-12], []string{"coffee_price.csv:4", "expected"}},
		"a wrong number": {strings.Replace(goodCSV, "120.5", "12O.5", 1),
			[]string{"coffee_price.csv:3", "12O.5", "expected"}},
		"a wrong date": {strings.Replace(goodCSV, "2000-01-05", "2000-13-05", 1),
			[]string{"coffee_price.csv:4", "2000-13-05", "expected"}},
		"a day twice": {strings.Replace(goodCSV, "2000-01-05", "2000-01-04", 1),
			[]string{"coffee_price.csv:4", "2000-01-04", "expected"}},
		"empty": {"", []string{"coffee_price.csv", "expected"}},
		"a header alone": {"Date,Open,High,Low,Close,Volume,Currency\n",
			[]string{"coffee_price.csv:1", "without a row", "expected"}},
	} {
		t.Run(name, func(t *testing.T) {
			put(tt.text)
			fails(t, exitUsage, tt.words, "data", "import", "--data", dir, "--corpus", from, "--allow-short")

			if left := files(t, dir); len(left) != 1 || !bytes.Equal(before, read(t, corpus.Path(dir, toolqa.Coffee))) {
				t.Errorf("the corpus imported before has changed, or something is left: %v", left)
			}
		})
	}
}

// TestBadQuestionFiles holds the same of question files.
func TestBadQuestionFiles(t *testing.T) {
	t.Parallel()
	from, dir := t.TempDir(), t.TempDir()
	fails(t, exitUsage, []string{"nowhere"}, "data", "import", "--data", dir, "--questions",
		filepath.Join(from, "nowhere"))

	file := filepath.Join(from, "easy", "coffee-easy.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}

	const good = `{"qid": "easy-coffee-0000", "question": "What was the opening price of coffee on 2000-01-03?", "answer": "122.25"}` + "\n"
	for name, text := range map[string]string{
		"cut":        good + good[:40] + "\n",
		"no answer":  good + `{"qid": "easy-coffee-0001", "question": "What was the lowest price of coffee on 2000-01-03?"}` + "\n",
		"not object": good + "[]\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}

		t.Run(name, func(t *testing.T) {
			fails(t, exitUsage, []string{"coffee-easy.jsonl:2"}, "data", "import", "--data", dir, "--questions", from)
		})

		if left := files(t, dir); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}

	if err := os.WriteFile(file, []byte(good), 0o644); err != nil {
		t.Fatal(err)
	}

	// A name that no dataset has may be a mistake.
	odd := filepath.Join(from, "easy", "Yelp-easy.jsonl")
	if err := os.WriteFile(odd, []byte(good), 0o644); err != nil {
		t.Fatal(err)
	}

	r := cli(t, "data", "import", "--data", dir, "--questions", from)
	if r.code != exitDone {
		t.Errorf("data import: exit %d\n%s", r.code, r.err)
	}

	says(t, "data import", r.out, "coffee: 1 easy questions")
	says(t, "data import", r.err, "Yelp-easy.jsonl: left out: ")
}

// TestImportTakesTheQuestionsOfTheDatasetsNamed holds that --dataset is about questions, too: the
// files of others are neither read nor copied.
func TestImportTakesTheQuestionsOfTheDatasetsNamed(t *testing.T) {
	t.Parallel()
	from, dir := t.TempDir(), t.TempDir()
	easy := filepath.Join(from, "easy")

	const coffee = `{"qid": "easy-coffee-0000", "question": "What was the opening price of coffee on 2000-01-03?", "answer": "122.25"}`
	if err := errors.Join(os.Mkdir(easy, 0o755), os.WriteFile(filepath.Join(easy, "coffee-easy.jsonl"), []byte(coffee),
		0o644),
		os.WriteFile(filepath.Join(easy, "yelp-easy.jsonl"), []byte("not read"), 0o644)); err != nil {
		t.Fatal(err)
	}

	out := must(t, "data", "import", "--data", dir, "--questions", from, "--dataset", "coffee")
	if !strings.HasPrefix(out, "coffee: 1 easy questions") || strings.Contains(out, "yelp") {
		t.Errorf("data import --dataset coffee says\n%s", out)
	}

	if left := files(t, filepath.Join(dir, "questions")); len(left) != 2 { // and the sums
		t.Errorf("data import --dataset coffee wrote %v", left)
	}

	fails(t, exitUsage, []string{"easy/flights-easy.jsonl"}, "data", "import", "--data", dir, "--questions", from,
		"--dataset", "flights")

	out = must(t, "data", "import", "--data", dir, "--questions", from, "--dataset", "coffee", "--split", "train")
	want := "asked in two splits, so that export refuses 1: easy-coffee-0000 is easy-coffee-0000 of test"
	if !strings.Contains(out, want) {
		t.Errorf("data import --split train says\n%s\nwithout %q", out, want)
	}

	fails(t, exitUsage, []string{"--split", "train"}, "data", "import", "--data", dir, "--questions", from, "--split",
		"all")
}

func TestDamagedCorpus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made(t, "data", "build", "--data", dir, "--dataset", "coffee", "--rows", "900")
	made(t, "data", "questions", "--data", dir, "--scale", "0.01")
	path := corpus.Path(dir, toolqa.Coffee)

	whole := read(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(path, whole[:len(whole)/2], 0o644); err != nil {
		t.Fatal(err)
	}

	r := cli(t, "collect", "--data", dir, "--out", filepath.Join(dir, "run"))
	if r.code == exitDone || len(files(t, filepath.Join(dir, "run"))) > 0 {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}

	says(t, "collect", r.err, path)
}

// TestQuestionsBelongToTheirCorpus shows that no run asks questions whose answers are from another
// corpus.
func TestQuestionsBelongToTheirCorpus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made(t, "data", "build", "--data", dir, "--dataset", "coffee", "--rows", "900")
	made(t, "data", "questions", "--data", dir, "--scale", "0.01")

	if r := cli(t, "data", "build", "--data", dir, "--dataset", "coffee", "--rows", "900"); strings.Contains(r.err,
		"Stale") {
		t.Errorf("the same corpus again:\n%s", r.err)
	}

	r := cli(t, "data", "build", "--data", dir, "--dataset", "coffee", "--rows", "900", "--seed", "3")
	if n := strings.Count(r.err, "Stale: "); n != 8 {
		t.Errorf("%d stale files, want 8:\n%s", n, r.err)
	}

	evaluate := []string{"eval", "--data", dir, "--difficulty", "easy", "--policy", "scripted:reader", "--out",
		filepath.Join(dir, "eval")}
	words := []string{"test/coffee-easy.jsonl", "another corpus", "run `toolevo data questions` again"}
	fails(t, exitUsage, words, evaluate...)
	fails(t, exitUsage, []string{"another corpus"}, "collect", "--data", dir, "--out", filepath.Join(dir, "run"))
	fails(t, exitUsage, words, "data", "gold", "--data", dir)
	made(t, "data", "questions", "--data", dir, "--scale", "0.01")
	must(t, evaluate...)

	from := publishedCopy(t, dir)
	says(t, "data import", cli(t, "data", "import", "--data", dir, "--questions", from).err, "Removed",
		"train/coffee-easy.jsonl")

	evaluate[len(evaluate)-1] += "-of-published"
	fails(t, exitUsage, []string{"published questions need the published corpus"}, evaluate...)
	says(t, "data build", cli(t, "data", "build", "--data", dir, "--dataset", "coffee").err, "Stale: ",
		"published questions need the published corpus")
}

// publishedCopy makes published files of which the first easy question is also one of the train
// split of dir.
func publishedCopy(t *testing.T, dir string) string {
	t.Helper()
	from := t.TempDir()
	q := ask(t, dir, "coffee-easy/open", toolqa.Train)
	path := filepath.Join(from, "easy", "coffee-easy.jsonl")

	line, err := json.Marshal(map[string]string{"qid": "easy-coffee-0000", "question": q.Text, "answer": q.Answer})
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, line, 0o644))
	}

	if err != nil {
		t.Fatal(err)
	}
	return from
}

// TestSplitsShareNothing shows that a question that stands in two splits stops a run of either.
func TestSplitsShareNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made(t, "data", "build", "--data", dir, "--dataset", "coffee", "--rows", "900")
	made(t, "data", "questions", "--data", dir, "--scale", "0.01")

	qs, err := questions.Read(dir, toolqa.Coffee, toolqa.Easy, toolqa.Train)
	if err != nil {
		t.Fatal(err)
	}

	for i := range qs {
		qs[i].Split = toolqa.Test
	}

	if err := questions.Write(dir, qs); err != nil {
		t.Fatal(err)
	}

	for _, command := range []string{"collect", "eval"} {
		fails(t, exitUsage, []string{"test/coffee-easy.jsonl", "train/coffee-easy.jsonl", "share the question"},
			command, "--data", dir, "--difficulty", "easy", "--out", filepath.Join(dir, "out"))
	}
}

// TestPublishedQuestionsAreNotGenerated imports 20 of the 80 easy questions that ten days have.
// Most of what is left is generated, so that a generator that does not know them would ask some
// again.
func TestPublishedQuestionsAreNotGenerated(t *testing.T) {
	t.Parallel()
	from, dir := t.TempDir(), t.TempDir()
	table, asked := "Date,Open,High,Low,Close,Volume,Currency\n", ""

	for day := range 10 {
		date, price := fmt.Sprintf("2000-01-%02d", day+3), 100+day

		table += fmt.Sprintf("%s,%d.5,%d.0,%d.0,%d.25,%d,USD\n", date, price, price+3, price-2, price+1, 6000+day)
		if day%2 == 1 {
			continue
		}

		for i, q := range []struct{ what, answer string }{
			{"opening", fmt.Sprintf("%d.5", price)}, {"lowest", fmt.Sprintf("%d.0", price-2)},
			{"highest", fmt.Sprintf("%d.0", price+3)}, {"closing", fmt.Sprintf("%d.25", price+1)},
		} {
			asked += fmt.Sprintf(`{"qid":"easy-coffee-%04d","question":"What was the %s price of coffee on %s?","answer":%q}`+"\n",
				2*day+i, q.what, date, q.answer)
		}
	}

	easy := filepath.Join(from, "easy", "coffee-easy.jsonl")
	if err := errors.Join(os.Mkdir(filepath.Dir(easy), 0o755), os.WriteFile(easy, []byte(asked), 0o644),
		os.WriteFile(filepath.Join(from, "coffee_price.csv"), []byte(table), 0o644)); err != nil {
		t.Fatal(err)
	}

	must(t, "data", "import", "--data", dir, "--dataset", "coffee", "--corpus", from, "--questions", from,
		"--allow-short")
	must(t, "data", "questions", "--data", dir, "--difficulty", "easy", "--scale", "0.05")
	says(t, "data verify", must(t, "data", "verify", "--data", dir), "58 questions generated, 58 answers found "+
		"again; 20 published")
}
