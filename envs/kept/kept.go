// Package kept asks models for texts that can be read, and keeps them, so that work that asks for
// many of them continues where it stopped.
//
// [Ask] asks until a reply is what was asked for. [Object], [Verdict] and [Prose] read replies:
// they accept only what is beyond doubt. Reasoning is removed from what a [Writer] writes before
// that.
//
// # Guarantees
//
//   - A text is on the disk before it is used, and the first text of a key is never replaced.
//   - An unfinished line that a killed process left is removed when the file is opened again.
//   - A key names everything that a text depends on: the model and its settings, the instructions,
//     the request and the seed. So other prompts ask again.
//
// # Caveats
//
// One process at a time may have a file open.
package kept

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// Writer is a language model that answers a text with a text. It is safe for concurrent use.
type Writer interface {
	// Write returns what the model answers to instructions (the system text) and a request (the
	// user's). Other seeds may give other texts. An error is the server's, never the model's.
	Write(ctx context.Context, instructions, request string, seed uint64) (string, error)
}

// Texts are kept texts, by their keys. They are safe for concurrent use.
type Texts struct {
	mu     sync.Mutex
	file   *os.File
	texts  map[string]string
	broken error // the first failure to write
}

// entry is a line of the file.
type entry struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

// Open opens a file of texts, or creates it.
func Open(path string) (*Texts, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}

	t := &Texts{file: f, texts: map[string]string{}}

	whole, err := t.read(f)
	if err == nil {
		err = f.Truncate(whole)
	}

	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return t, nil
}

// Read opens a file of texts for reading only: nothing can be added. A missing file has no texts.
func Read(path string) (*Texts, error) {
	t := &Texts{texts: map[string]string{}, broken: errors.New("texts are only read")}

	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}

	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()

	if _, err := t.read(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// read reads a file, and returns how many of its bytes are complete lines.
func (t *Texts) read(f io.Reader) (int64, error) {
	all, err := io.ReadAll(f)
	if err != nil {
		return 0, err
	}

	whole := bytes.LastIndexByte(all, '\n') + 1

	for n, line := range bytes.Split(all[:whole], []byte("\n")) {
		if len(line) == 0 {
			continue
		}

		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return 0, fmt.Errorf("line %d is damaged: %w: remove the line, and its text is asked for "+
				"again", n+1, err)
		}

		if _, known := t.texts[e.Key]; !known {
			t.texts[e.Key] = e.Text
		}
	}
	return int64(whole), nil
}

// Get returns the text of a key, and whether there is one.
func (t *Texts) Get(key string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()

	text, ok := t.texts[key]
	return text, ok
}

// Put keeps the text of a key unless the key has one, and returns the kept text. Bytes that are not
// UTF-8 are replaced. After a failure nothing more is kept.
func (t *Texts) Put(key, text string) (string, error) {
	text = strings.ToValidUTF8(text, "\uFFFD") // as it is read again

	line, err := json.Marshal(entry{key, text})
	if err != nil {
		return "", err
	}

	t.mu.Lock()
	defer t.mu.Unlock()

	if known, ok := t.texts[key]; ok || t.broken != nil {
		return known, t.broken
	}

	if _, t.broken = t.file.Write(append(line, '\n')); t.broken == nil {
		t.broken = t.file.Sync() // a text costs more than that
	}

	if t.broken != nil {
		return "", t.broken
	}

	t.texts[key] = text
	return text, nil
}

// Len returns how many texts there are.
func (t *Texts) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.texts)
}

// Close closes the file.
func (t *Texts) Close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}

// Key returns the key of a result that depends on some texts.
func Key(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ErrNotKept says that a text is not kept, and that there is nobody to ask.
var ErrNotKept = errors.New("not asked for yet")

// Writer returns a model that asks w only for texts that are not kept. w may be nil: then there is
// nobody to ask. name is that of the model, with its settings.
func (t *Texts) Writer(name string, w Writer) Writer { return &keptWriter{t, name, w} }

// keptWriter is a model whose texts are kept.
type keptWriter struct {
	texts  *Texts
	name   string
	writer Writer
}

// Write implements [Writer].
func (k *keptWriter) Write(
	ctx context.Context, instructions, request string, seed uint64,
) (string, error) {
	key := Key(k.name, instructions, request, fmt.Sprint(seed))
	if text, ok := k.texts.Get(key); ok {
		return text, nil
	}

	if k.writer == nil {
		return "", ErrNotKept
	}

	text, err := k.writer.Write(ctx, instructions, request, seed)
	if err != nil {
		return "", err
	}
	return k.texts.Put(key, text)
}
