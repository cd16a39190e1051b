package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// textFile is a file of a user's own, and what reads it. The mark § stands in it where a word may.
type textFile struct {
	name string   // below a folder of its own
	text string   // of two lines; the word is on the second
	args []string // FILE and FOLDER stand for it and its folder, OUT for what is not there yet
	json bool
}

// textFiles are the kinds of text files that commands are given.
func textFiles(t *testing.T) map[string]textFile {
	query := string(read(t, filepath.Join(inventedQueries, "G2_category.json")))
	query = "[\n" + strings.ReplaceAll(strings.TrimPrefix(query, "["), "\n", " ")
	query = strings.ReplaceAll(query, "Hotels with a free room.", "Hotels with a free § room.")
	return map[string]textFile{
		"questions": {
			"mine.jsonl", "{\"qid\": \"a1\", \"question\": \"Why?\", \"answer\": 1, \"dataset\": \"coffee\"}\n" +
				"{\"qid\": \"a2\", \"question\": \"A § price?\", \"answer\": 1, \"dataset\": \"coffee\"}\n",
			[]string{
				"eval", "--data", smallData(t), "--questions", "FILE", "--policy", "scripted:reader", "--api", "p_c",
				"--out", "OUT", "--progress", "none",
			}, true,
		},
		"queries": {
			"queries/G2_category.json", query, []string{"toolbench", "import", "FOLDER", "--data", "OUT"}, true,
		},
		"calls": {
			"calls.jsonl", "{\"category\": \"A\", \"tool_name\": \"B\", \"api_name\": \"C\", \"response\": \"D\"}\n" +
				"{\"category\": \"A\", \"tool_name\": \"B\", \"api_name\": \"E\", \"response\": \"a § day\"}\n",
			[]string{"toolbench", "cache", "FILE", "--cache", "OUT"}, true,
		},
		"documents": {
			"docs.jsonl", "\n" + strings.Replace(atifLine, "Look it up.", "Look § up.", 1) + "\n",
			[]string{"export", "FILE", "--score", "any", "--out", "OUT"}, true,
		},
		"configuration": {
			"mine.yaml", "# mine\n# a § file\n",
			[]string{
				"eval", "--data", smallData(t), "--config", "FILE", "--policy", "scripted:reader", "--dry-run",
			}, false,
		},
	}
}

// atifLine is a document of another agent.
const atifLine = `{"schema_version": "ATIF-v1.4", "session_id": "s", "agent": {"name": "other", "version": "1"}, ` +
	`"steps": [{"step_id": 1, "source": "user", "message": "Look it up."}, ` +
	`{"step_id": 2, "source": "agent", "message": "It is 7."}]}`

// What is not UTF-8, or has half a character, is refused with its file and line: it would be read
// as another text. A byte order mark is not part of the text.
func TestTextFiles(t *testing.T) {
	t.Parallel()

	for kind, file := range textFiles(t) {
		for name, word := range map[string]string{
			"Latin-1":                "caf\xe9",
			"GBK":                    "\xbf\xa7\xb7\xc8",
			"cut off":                "caf\xc3",
			"a surrogate":            "\xed\xa0\xbd",
			"half a character":       `\ud83d`,
			"the other half":         `\ude00 \ud83d\n`,
			"halves the wrong way":   `\ude00\ud83d`,
			"a character":            "café",
			"an escaped one":         `\ud83d\ude00`,
			"what looks like half":   `\\ud83d`,
			"with a byte order mark": "é",
		} {
			isHalf := strings.HasPrefix(word, `\u`) && name != "an escaped one"

			if !file.json && strings.HasPrefix(word, `\`) {
				continue
			}

			dir := t.TempDir()
			path := filepath.Join(dir, file.name)

			text := strings.ReplaceAll(file.text, "§", word)
			if name == "with a byte order mark" {
				text = "\ufeff" + text
			}

			write(t, path, text)

			args := make([]string, len(file.args))
			for i, arg := range file.args {
				args[i] = strings.NewReplacer("FILE", path, "FOLDER", filepath.Dir(path), "OUT",
					filepath.Join(dir, "out")).Replace(arg)
			}

			r := cli(t, args...)
			bad := !strings.Contains(word, "é") && word[0] != '\\' || isHalf

			if named := strings.Contains(r.err, path+":2: "); bad != named || (r.code == exitDone) == bad {
				t.Errorf("%s, %s: exit %d, %s", kind, name, r.code, r.err)
			}
		}
	}
}

// A question without an answer is refused.
func TestQuestionsWithoutAnswers(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "mine.jsonl")
	for _, answer := range []string{`, "answer": null`, ``, `, "answer": [1]`} {
		write(t, path, "\n"+`{"qid": "a", "question": "Why?", "dataset": "coffee"`+answer+"}\n")

		fails(t, exitUsage, []string{path + ":2:", "answer"}, "eval", "--data", smallData(t), "--questions", path,
			"--policy", "scripted:reader", "--dry-run")
	}
}
