package perturb

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"toolevo/envs/regular"
)

// Writer is a language model that answers a text with a text. It is safe for concurrent use.
type Writer interface {
	// Write returns what the model answers to instructions and a request. Other seeds may give other texts. The error
	// is ours, never the model's.
	Write(ctx context.Context, instructions, request string, seed uint64) (string, error)
}

//go:embed instructions.txt
var instructions string

// Paraphraser has a model say questions in other words.
type Paraphraser struct {
	Writer   Writer // nil where nobody can be asked: then the file must have all
	Model    string // its name
	File     string // where its texts are kept
	Faithful bool   // values may be lost
	Seed     uint64
	Workers  int // questions at a time, at least 1

	// Done, if set, is called after each question that was asked.
	Done func(asked, total int)
}

// Question is a question by the ID of its task.
type Question struct{ ID, Text string }

// Paraphrased is what came of questions.
type Paraphrased struct {
	Texts map[string]string // by ID
	Asked int               // of them, those that the file did not have
	Kept  int               // those that keep their text, because no answer would do
}

// MostTries is how often a model is asked for the paraphrase of a question that will do.
const MostTries = 3

// ErrNotAsked says that a file lacks paraphrases and that there is nobody to ask.
var ErrNotAsked = errors.New("not paraphrased yet")

// record is a line of the file.
type record struct {
	Key        string `json:"key"` // of the question and of how it was asked
	Model      string `json:"model"`
	ID         string `json:"id"`
	Text       string `json:"text"`       // of the question
	Paraphrase string `json:"paraphrase"` // "" where no answer would do
}

// Paraphrase returns the questions in other words. What the file does not have it asks the model for, and keeps.
func (p *Paraphraser) Paraphrase(ctx context.Context, questions []Question) (Paraphrased, error) {
	kept, whole, err := readRecords(p.File)
	if err != nil {
		return Paraphrased{}, err
	}

	var missing []Question

	for _, q := range questions {
		if _, ok := kept[p.key(q)]; !ok {
			missing = append(missing, q)
		}
	}

	if err := p.ask(ctx, missing, kept, whole); err != nil {
		return Paraphrased{}, err
	}

	result := Paraphrased{Texts: make(map[string]string, len(questions)), Asked: len(missing)}

	for _, q := range questions {
		result.Texts[q.ID] = kept[p.key(q)]

		if result.Texts[q.ID] == "" {
			result.Texts[q.ID] = q.Text
			result.Kept++
		}
	}

	return result, nil
}

// ask asks the model about questions, and adds what it says to those that are kept, in the file of so many bytes too.
func (p *Paraphraser) ask(ctx context.Context, questions []Question, kept map[string]string, whole int64) (err error) {
	switch {
	case len(questions) == 0:
		return nil
	case p.Writer == nil:
		return fmt.Errorf("%w: %s has no paraphrases by %s of %d questions, such as %s", ErrNotAsked, p.File, p.Model,
			len(questions), questions[0].ID)
	}

	file, err := openRecords(p.File, whole)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Sync(), file.Close()) }()

	var mu sync.Mutex // guards what follows

	asked := 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(p.Workers)

	for _, q := range questions {
		group.Go(func() error {
			text, err := p.paraphrase(ctx, q)
			if err != nil {
				return fmt.Errorf("paraphrase %s: %w", q.ID, err)
			}

			line, err := json.Marshal(record{p.key(q), p.Model, q.ID, q.Text, text})
			if err != nil {
				return err
			}

			mu.Lock()
			defer mu.Unlock()

			if _, err := file.Write(append(line, '\n')); err != nil {
				return err
			}

			kept[p.key(q)] = text

			if asked++; p.Done != nil {
				p.Done(asked, len(questions))
			}

			return nil
		})
	}

	return group.Wait()
}

// paraphrase asks until an answer will do; "" is none.
func (p *Paraphraser) paraphrase(ctx context.Context, q Question) (string, error) {
	request := q.Text

	needed := values.FindAllString(q.Text, -1)
	if len(needed) > 0 && !p.Faithful {
		request += "\n\nThese parts have to stand in it, letter by letter:\n" + strings.Join(needed, "\n")
	}

	random := Perturbation{Kind: Paraphrase, Seed: p.Seed}.random(q.ID)

	for range MostTries {
		if err := ctx.Err(); err != nil {
			return "", err
		}

		text, err := p.Writer.Write(ctx, instructions, request, random.Uint64()>>1) // servers take 63 bits
		if err != nil {
			return "", err
		}

		if text = strings.TrimSpace(text); text != "" && (p.Faithful || hasAll(text, needed)) {
			return text, nil
		}
	}

	return "", nil
}

func hasAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}

	return true
}

// key identifies a question and how a model is asked about it.
func (p *Paraphraser) key(q Question) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %v %d %q %q", instructions, p.Model, p.Faithful, p.Seed, q.ID, q.Text))

	return hex.EncodeToString(sum[:16])
}

// readRecords reads a file of paraphrases, by key, and how many of its bytes are whole lines: a process that was killed
// may have left a part of one. A file that is not there has none.
func readRecords(path string) (kept map[string]string, whole int64, err error) {
	kept = map[string]string{}

	text, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return kept, 0, nil
	}

	if err != nil {
		return nil, 0, fmt.Errorf("perturb: %w", err)
	}

	text = text[:bytes.LastIndexByte(text, '\n')+1]
	number := 0

	for line := range bytes.Lines(text) {
		number++

		var r record
		if err := json.Unmarshal(line, &r); err != nil || r.Key == "" {
			return nil, 0, fmt.Errorf("perturb: %s: line %d is no paraphrase (%v): repair it, or move the file away "+
				"and all are asked for again", path, number, err)
		}

		kept[r.Key] = r.Paraphrase
	}

	return kept, int64(len(text)), nil
}

// openRecords opens a file of so many bytes to add lines to it.
func openRecords(path string, whole int64) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("perturb: %w", err)
	}

	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("perturb: %w", err)
	}

	if err := file.Truncate(whole); err != nil {
		return nil, errors.Join(fmt.Errorf("perturb: %w", err), file.Close())
	}

	return file, nil
}
