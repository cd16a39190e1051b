package questions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/envs/pytext"
	"toolevo/toolqa"
)

// record is a line of a question file. The first three fields are the published format.
type record struct {
	ID       string `json:"qid"`
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Template string `json:"template,omitempty"`

	Source toolqa.Source `json:"source,omitempty"`

	Corpus string `json:"corpus,omitempty"` // toolqa.Question.Corpus

	// of the form own alone; of the others the file's name says so
	Dataset    toolqa.Dataset    `json:"-"`
	Difficulty toolqa.Difficulty `json:"-"`
}

// Path returns the file of one set of questions below the data folder dir:
// DIR/questions/SPLIT/DATASET-DIFFICULTY.jsonl.
func Path(dir string, ds toolqa.Dataset, d toolqa.Difficulty, s toolqa.Split) string {
	return filepath.Join(dir, "questions", string(s), fmt.Sprintf("%s-%s.jsonl", ds, d))
}

// Write writes questions below the data folder dir, one file for each split, dataset and difficulty
// that occurs, in the published format with the template's name, the source and the hash of the
// corpus added. They replace the former files all at once, with their checksums (see
// [disk.ReplaceFolder]); where that cannot be done, [Read] refuses the files until the last is
// written.
func Write(dir string, questions []toolqa.Question) error {
	// All is encoded before the folder is touched: a question that cannot be written changes
	// nothing.
	files := map[string]*bytes.Buffer{}
	var paths []string // in order of appearance

	for _, q := range questions {
		path := Path(dir, q.Dataset, q.Difficulty, q.Split)

		buf := files[path]
		if buf == nil {
			buf = new(bytes.Buffer)
			files[path] = buf
			paths = append(paths, path)
		}

		// Without HTML's escapes, like the published files, which Python has written.
		enc := json.NewEncoder(buf)
		enc.SetEscapeHTML(false)

		if err := enc.Encode(record{
			ID: q.ID, Question: q.Text, Answer: q.Answer, Template: q.Template, Source: q.Source, Corpus: q.Corpus,
		}); err != nil {
			return fmt.Errorf("questions: write %s: question %s: %w", path, q.ID, err)
		}
	}

	return disk.ReplaceFolder(folder(dir), func(work string) error {
		changes := map[string]string{}

		for _, path := range paths {
			name, err := sumsKey(dir, path)
			if err == nil {
				err = replaceFile(filepath.Join(work, name), files[path].Bytes())
			}

			if err != nil {
				return fmt.Errorf("questions: write %s: %w", path, err)
			}

			changes[path] = envs.SHA256(files[path].Bytes())
		}

		// Last, so that files of which only some were replaced do not agree with their checksums.
		return updateSums(dir, work, changes)
	})
}

// replaceFile replaces a file, and makes its folder.
func replaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return disk.Write(path, data)
}

// Read reads the questions of one file that Write made, and refuses one that is not as it was
// written: the error wraps [corpus.ErrDamaged]. A missing file wraps fs.ErrNotExist.
func Read(dir string, ds toolqa.Dataset, d toolqa.Difficulty, s toolqa.Split) ([]toolqa.Question,
	error) {
	path := Path(dir, ds, d, s)

	data, err := disk.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("questions: no %s %s questions of the %s split: %w", ds, d, s, err)
	}

	if errors.Is(err, disk.ErrNot) {
		return nil, fmt.Errorf("questions: %w: %s", err, again)
	}

	if err != nil {
		return nil, fmt.Errorf("questions: %w", err)
	}

	known, err := readSums(dir)
	if err != nil {
		return nil, err
	}

	if err := known.check(dir, path, data); err != nil {
		return nil, fmt.Errorf("questions: %s: %w: %s, or `toolevo data import` if it was imported",
			path, err, again)
	}
	return parseFile(path, data, ds, d, s, written)
}

// ReadOwn reads a file of the user's own questions: JSON lines with qid, question, answer, dataset
// and, optionally, difficulty.
func ReadOwn(path string) ([]toolqa.Question, error) {
	data, err := disk.ReadJSON(path)
	if err != nil {
		return nil, fmt.Errorf("questions: %w", err)
	}
	return parseFile(path, data, "", "", "", own)
}

// form is which fields the records of a file have.
type form int

const (
	published form = iota // qid, question and answer; others are ignored
	written               // those of record, and source always
	own                   // qid, question, answer, dataset, and difficulty or not; others are ignored
)

// parseFile reads the questions in a file.
func parseFile(path string, data []byte, ds toolqa.Dataset, d toolqa.Difficulty, s toolqa.Split,
	f form) ([]toolqa.Question, error) {
	var qs []toolqa.Question
	lines := map[string]int{} // of each ID

	line := 0
	for text := range bytes.Lines(data) {
		line++

		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			continue
		}

		r, err := parseRecord(text, f)
		if err != nil {
			return nil, fmt.Errorf("questions: %s:%d: %w", path, line, err)
		}

		if first, ok := lines[r.ID]; ok {
			return nil, fmt.Errorf("questions: %s:%d: qid %q is already that of line %d", path,
				line, r.ID, first)
		}

		lines[r.ID] = line
		// The name of the user's own file says nothing, so each of its records does.
		if f == own {
			ds, d = r.Dataset, r.Difficulty
		}

		// Only files that Write made name the template.
		if m, ok := recognise(r.Question); r.Template == "" && ok {
			r.Template = m.template.Name
		}

		qs = append(qs, toolqa.Question{
			ID: r.ID, Dataset: ds, Difficulty: d, Split: s, Template: r.Template,
			Text: r.Question, Answer: r.Answer, Source: r.Source, Corpus: r.Corpus,
		})
	}
	return qs, nil
}

// parseRecord reads one line as Python's json module does. The answer may be any JSON scalar, also
// NaN, and becomes the text Python's str makes of it.
func parseRecord(line []byte, form form) (record, error) {
	const want = "want a JSON object with qid, question and answer"

	v, err := pytext.DecodeStrict(string(line))
	if err != nil {
		return record{}, fmt.Errorf("%s: %w", want, err)
	}

	fields, ok := v.(envs.Args)
	if !ok {
		return record{}, fmt.Errorf("%s, not a %s", want, pytext.TypeName(v))
	}

	var r record

	for _, f := range fields {
		switch {
		case f.Name == "qid":
			r.ID, err = text(f)
		case f.Name == "question":
			r.Question, err = text(f)
		case f.Name == "answer":
			r.Answer, err = scalar(f)
		case form == own && f.Name == "dataset":
			r.Dataset, err = named(f, toolqa.ParseDataset)
		case form == own && f.Name == "difficulty":
			r.Difficulty, err = named(f, toolqa.ParseDifficulty)
		// Other files may have any fields besides; one that Write made has those below and no more.
		case form != written:
		case f.Name == "template":
			r.Template, err = text(f)
		case f.Name == "corpus":
			r.Corpus, err = text(f)
		case f.Name == "source":
			var source string
			source, err = text(f)
			r.Source = toolqa.Source(source)
		default:
			err = fmt.Errorf("unknown field %q", f.Name)
		}

		if err != nil {
			return record{}, err
		}
	}

	// Whoever asked it, the answer is taken as it is and never computed again.
	if form != written {
		r.Source = toolqa.Published
	}

	if form == own && r.Dataset == "" {
		return record{}, errors.New(`field "dataset" is missing`)
	}

	if answer, ok := fields.Get("answer"); !ok || form == own && answer == nil {
		return record{}, errors.New(`field "answer" is missing or null`)
	}

	switch {
	case r.ID == "":
		return record{}, errors.New(`field "qid" is missing or empty`)
	case r.Question == "":
		return record{}, errors.New(`field "question" is missing or empty`)
	case r.Source != toolqa.Published && r.Source != toolqa.Generated:
		return record{}, fmt.Errorf(`field "source" is %q: want %q or %q`, r.Source,
			toolqa.Published, toolqa.Generated)
	}

	return r, nil
}

// named returns the value of a field that is one of some names.
func named[T ~string](f envs.Arg, parse func(string) (T, error)) (T, error) {
	name, err := text(f)
	if err != nil {
		return "", err
	}
	return parse(name)
}

// text returns the value of a field that is a string or null.
func text(f envs.Arg) (string, error) {
	s, ok := f.Value.(string)
	if !ok && f.Value != nil {
		return "", fmt.Errorf("field %q: want a text, not %.40s", f.Name, pytext.Repr(f.Value))
	}
	return s, nil
}

// scalar returns what Python prints for the value of a field that is neither a list nor an object.
func scalar(f envs.Arg) (string, error) {
	switch f.Value.(type) {
	case []any, envs.Args:
		return "", fmt.Errorf("field %q: want a text or a number, not %.40s", f.Name,
			pytext.Repr(f.Value))
	}

	return pytext.Str(f.Value), nil
}
