// Package kept keeps the texts that models wrote, so that work that asks for many of them goes on where it stopped.
//
// # Guarantees
//
//   - A text is in the file before it is used, and the first text of a key stays.
//   - What a killed process left of a line is removed when the file is opened again.
//   - A key names everything that a text depends on: the model and its settings, the instructions, the request and the
//     seed. So other prompts ask again.
//
// # Caveats
//
// One process at a time may have a file open. A power cut may cost the last texts, which are asked for again.
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
	"os"
	"sync"
)

// Writer is a language model that answers a text with a text.
type Writer interface {
	Write(ctx context.Context, instructions, request string, seed uint64) (string, error)
}

// Texts are kept texts. They are safe for concurrent use.
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

// Open opens a file of texts, or makes it.
func Open(path string) (*Texts, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}

	t := &Texts{file: f, texts: map[string]string{}}
	if err := t.read(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}

	return t, nil
}

// read reads the file, and cuts off what is no whole line.
func (t *Texts) read() error {
	all, err := io.ReadAll(t.file)
	if err != nil {
		return err
	}

	whole := bytes.LastIndexByte(all, '\n') + 1

	for n, line := range bytes.Split(all[:whole], []byte("\n")) {
		if len(line) == 0 {
			continue
		}

		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("line %d is damaged: %w: remove the line, and its text is asked for again", n+1, err)
		}

		if _, known := t.texts[e.Key]; !known {
			t.texts[e.Key] = e.Text
		}
	}

	if err := t.file.Truncate(int64(whole)); err != nil {
		return err
	}

	_, err = t.file.Seek(int64(whole), io.SeekStart)

	return err
}

// Get returns the text of a key, and whether there is one.
func (t *Texts) Get(key string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()

	text, ok := t.texts[key]

	return text, ok
}

// Put keeps the text of a key unless it has one, and returns the one that it has. After a failure nothing more is
// kept.
func (t *Texts) Put(key, text string) (string, error) {
	line, err := json.Marshal(entry{key, text})
	if err != nil {
		return "", err
	}

	t.mu.Lock()
	defer t.mu.Unlock()

	if known, ok := t.texts[key]; ok || t.broken != nil {
		return known, t.broken
	}

	if _, t.broken = t.file.Write(append(line, '\n')); t.broken != nil {
		return "", t.broken
	}

	t.texts[key] = text

	return text, nil
}

// Len is how many texts there are.
func (t *Texts) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()

	return len(t.texts)
}

// Close closes the file.
func (t *Texts) Close() error { return errors.Join(t.file.Sync(), t.file.Close()) }

// Key returns the key of what depends on some texts.
func Key(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}

	return hex.EncodeToString(h.Sum(nil))
}

// Writer returns a model that asks another one only for texts that are not kept. name is the model's, with its
// settings.
func (t *Texts) Writer(name string, w Writer) Writer { return &keeper{t, name, w} }

// keeper is a model whose texts are kept.
type keeper struct {
	texts  *Texts
	name   string
	writer Writer
}

// Write implements [Writer].
func (k *keeper) Write(ctx context.Context, instructions, request string, seed uint64) (string, error) {
	key := Key(k.name, instructions, request, fmt.Sprint(seed))
	if text, ok := k.texts.Get(key); ok {
		return text, nil
	}

	text, err := k.writer.Write(ctx, instructions, request, seed)
	if err != nil {
		return "", err
	}

	return k.texts.Put(key, text)
}
