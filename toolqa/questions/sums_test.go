package questions

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// questionFiles returns the files below DIR/questions, the checksums among them.
func questionFiles(t *testing.T, dir string) map[string][]byte {
	t.Helper()

	files := map[string][]byte{}

	paths, err := filepath.Glob(filepath.Join(dir, "questions", "*", "*"))
	for _, path := range append(paths, sumsPath(dir)) {
		if err == nil {
			files[path], err = os.ReadFile(path)
		}
	}

	if err != nil {
		t.Fatal(err)
	}
	return files
}

// damaged returns how many splits of the easy questions about coffee are refused as damaged.
func damaged(t *testing.T, dir string) int {
	t.Helper()

	n := 0

	for _, s := range measured {
		switch _, err := Read(dir, toolqa.Coffee, toolqa.Easy, s); {
		case errors.Is(err, corpus.ErrDamaged):
			n++
		case err != nil:
			t.Fatal(err)
		}
	}

	return n
}

// measured are the splits that a test's files are of.
var measured = []toolqa.Split{toolqa.Train, toolqa.Dev, toolqa.Test}

// TestHalfAndHalf mixes the files that two commands with different seeds wrote, as a kill between
// two of the second, or both at once, would leave them.
func TestHalfAndHalf(t *testing.T) {
	c := syntheticCoffee(t, 300)
	var wrote []map[string][]byte

	dir := t.TempDir()
	for seed := range uint64(2) {
		qs := generate(t, seed, c, toolqa.Easy, Counts{Train: 5, Dev: 3, Test: 2}, nil)
		if err := Write(dir, qs); err != nil {
			t.Fatal(err)
		}

		wrote = append(wrote, questionFiles(t, dir))
	}

	if n := damaged(t, dir); n > 0 {
		t.Fatalf("%d of the files that one command wrote are refused", n)
	}

	paths := []string{sumsPath(dir)}
	for _, s := range measured {
		paths = append(paths, Path(dir, toolqa.Coffee, toolqa.Easy, s))
	}

	for mix := 1; mix < 1<<len(paths)-1; mix++ {
		for i, path := range paths {
			writeFile(t, path, string(wrote[mix>>i&1][path]))
		}

		if damaged(t, dir) == 0 {
			t.Errorf("mix %04b of the files %v is taken for one", mix, paths)
		}
	}
}

// TestEveryBitOfQuestionsCounts changes single bits of the files and of the checksums.
func TestEveryBitOfQuestionsCounts(t *testing.T) {
	dir := t.TempDir()

	qs := generate(t, 1, syntheticCoffee(t, 300), toolqa.Easy, Counts{Train: 5, Dev: 3, Test: 2}, nil)
	if err := Write(dir, qs); err != nil {
		t.Fatal(err)
	}

	random := rand.New(rand.NewPCG(3, 4))

	for path, content := range questionFiles(t, dir) {
		for range 40 {
			changed := []byte(string(content))
			at, bit := random.IntN(len(changed)), random.IntN(8)
			changed[at] ^= 1 << bit
			writeFile(t, path, string(changed))

			if damaged(t, dir) == 0 {
				t.Errorf("bit %d of byte %d of %s was changed, and nothing is refused", bit, at, path)
			}
		}

		writeFile(t, path, string(content))
	}

	// Missing checksums, and damaged ones, do not keep anybody from writing again.
	for name, content := range map[string]string{"none": "", "damaged": "nonsense"} {
		writeFile(t, sumsPath(dir), content)

		if n := damaged(t, dir); n != 3 {
			t.Errorf("checksums %s: %d files of 3 are refused", name, n)
		}

		if err := Write(dir, qs); err != nil {
			t.Fatal(err)
		}

		if n := damaged(t, dir); n > 0 {
			t.Errorf("checksums %s: written again, %d files are refused", name, n)
		}
	}
}

// TestReadIsStrict reads lines that no program wrote, with the right checksum.
func TestReadIsStrict(t *testing.T) {
	const line = `{"qid":"q","question":"?","answer":"1","source":"generated"%s}`
	for text, want := range map[string]string{
		fmt.Sprintf(line, ""):                             "",
		fmt.Sprintf(line, `,"corpus":"c","template":"t"`): "",
		fmt.Sprintf(line, `,"corpse":"c"`):                `unknown field "corpse"`,
		strings.Replace(fmt.Sprintf(line, ""), "generated", "gen",
			1): `"source" is "gen": want "published" or "generated"`,
		strings.Replace(fmt.Sprintf(line, ""), "source", "sauce", 1):     `unknown field "sauce"`,
		`{"qid":"q","question":"?","answer":"1"}`:                        `"source" is ""`,
		`{"qid":"q","question":"?","answer":"1","source":"published"}`:   "",
		`{"qid":"q","question":"?","answer":"1","source":["published"]}`: "source",
	} {
		dir := t.TempDir()
		path := Path(dir, toolqa.Coffee, toolqa.Easy, toolqa.Dev)
		writeFile(t, path, text+"\n")

		if err := updateSums(dir, folder(dir), map[string]string{path: envs.SHA256([]byte(text + "\n"))}); err != nil {
			t.Fatal(err)
		}

		_, err := Read(dir, toolqa.Coffee, toolqa.Easy, toolqa.Dev)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// TestPublishedAmongDamage finds published questions whatever else is damaged, and refuses them
// when they are.
func TestPublishedAmongDamage(t *testing.T) {
	dir := t.TempDir()

	generated := generate(t, 1, syntheticCoffee(t, 300), toolqa.Easy, Counts{Test: 3}, nil)
	if err := Write(dir, generated); err != nil {
		t.Fatal(err)
	}

	path := Path(dir, toolqa.Coffee, toolqa.Easy, toolqa.Test)
	content := string(questionFiles(t, dir)[path])
	writeFile(t, path, content[:len(content)/2])

	if qs, err := Published(dir, toolqa.Coffee, toolqa.Easy, toolqa.Test); len(qs) > 0 || err != nil {
		t.Errorf("damaged generated ones: %v, %v; want none, so that they can be made again", qs, err)
	}

	for i := range generated {
		generated[i].Source = toolqa.Published
	}

	if err := Write(dir, generated); err != nil {
		t.Fatal(err)
	}

	if qs, err := Published(dir, toolqa.Coffee, toolqa.Easy, toolqa.Test); len(qs) != 3 || err != nil {
		t.Errorf("%d published questions of 3, %v", len(qs), err)
	}

	content = string(questionFiles(t, dir)[path])
	writeFile(t, path, strings.Replace(content, "2000", "2001", 1))

	if _, err := Published(dir, toolqa.Coffee, toolqa.Easy, toolqa.Test); !errors.Is(err, corpus.ErrDamaged) ||
		!strings.Contains(err.Error(), "`toolevo data import`") {
		t.Errorf("damaged published ones: error %v, want one that says to import them again", err)
	}
}
