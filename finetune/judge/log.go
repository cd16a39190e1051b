package judge

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
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/zeebo/xxh3"

	"toolevo/envs/durable"
	"toolevo/mcts/store"
)

// The files of a [Log] in its folder.
const (
	logFile  = "judgements.jsonl"
	lockFile = "judgements.lock"
)

// Log keeps what judges write, a line each, before it is used. What it has is not asked for again. It is safe for
// concurrent use.
type Log struct {
	path     string
	release  func() error
	asked    atomic.Int64
	replayed atomic.Int64

	mu     sync.Mutex
	file   *os.File
	texts  map[string]string // by key
	broken error             // of a line that could not be written: nothing may follow it
}

// question is what a judge is asked.
type question struct {
	Judge, About          string
	Attempt               int
	Instructions, Request string
}

// entry is a line of the log.
type entry struct {
	Key     string `json:"key"` // of the whole question
	Judge   string `json:"judge"`
	About   string `json:"about"`
	Attempt int    `json:"attempt"`
	Text    string `json:"text"` // what was written
}

// OpenLog opens the log of a folder, which is made if need be, for this process alone. A line that a killed process
// left unfinished is removed.
func OpenLog(dir string) (l *Log, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}

	l = &Log{path: filepath.Join(dir, logFile), texts: map[string]string{}}

	if l.release, err = store.Lock(filepath.Join(dir, lockFile)); err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}

	if l.file, err = os.OpenFile(l.path, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("judge: %w", err), l.release())
	}

	if err := errors.Join(l.read(), durable.Sync(dir)); err != nil {
		return nil, errors.Join(err, l.Close())
	}

	return l, nil
}

// read reads the whole lines, and leaves the file at their end.
func (l *Log) read() error {
	text, err := io.ReadAll(l.file)
	if err != nil {
		return fmt.Errorf("judge: read %s: %w", l.path, err)
	}

	whole := text[:bytes.LastIndexByte(text, '\n')+1]

	n := 0
	for line := range bytes.Lines(whole) {
		n++

		var e entry
		if err := json.Unmarshal(line, &e); err != nil || e.Key == "" {
			return fmt.Errorf("judge: %s is %w: line %d is no judgement: remove the line, and it is asked for again",
				l.path, durable.ErrDamaged, n)
		}

		l.texts[e.Key] = e.Text
	}

	if err := l.file.Truncate(int64(len(whole))); err != nil {
		return fmt.Errorf("judge: %w", err)
	}

	if _, err := l.file.Seek(int64(len(whole)), io.SeekStart); err != nil {
		return fmt.Errorf("judge: %w", err)
	}

	return nil
}

// Counts returns how many judgements were asked for, and how many the log had.
func (l *Log) Counts() (asked, replayed int) { return int(l.asked.Load()), int(l.replayed.Load()) }

// Close closes the log and lets others work on it.
func (l *Log) Close() error { return errors.Join(l.file.Close(), l.release()) }

// write returns what the log has on a question, or asks and keeps it.
func (l *Log) write(ctx context.Context, w Writer, q question) (string, error) {
	key := q.key()

	l.mu.Lock()
	text, ok := l.texts[key]
	l.mu.Unlock()

	if ok {
		l.replayed.Add(1)
		return text, nil
	}

	text, err := w.Write(ctx, q.Instructions, q.Request, q.seed())
	if err != nil {
		return "", fmt.Errorf("judge the %s: %w", q.About, err)
	}

	text = strings.ToValidUTF8(text, "\uFFFD") // as it is read again
	l.asked.Add(1)

	return text, l.add(entry{key, q.Judge, q.About, q.Attempt, text})
}

// add appends a line, and makes it durable: what a judge wrote has cost more than that.
func (l *Log) add(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}

	l.mu.Lock()
	defer l.mu.Unlock()

	if l.broken == nil {
		_, l.broken = l.file.Write(append(line, '\n'))
	}

	if l.broken == nil {
		l.broken = l.file.Sync()
	}

	if l.broken != nil {
		return fmt.Errorf("judge: keep a judgement in %s: %w", l.path, l.broken)
	}

	l.texts[e.Key] = e.Text

	return nil
}

// key returns the hash of all that a question is.
func (q *question) key() string {
	text, err := json.Marshal(q)
	if err != nil {
		panic(err) // texts can be encoded
	}

	sum := sha256.Sum256(text)

	return hex.EncodeToString(sum[:16])
}

// seed returns that of a question; servers take no more than 63 bits.
func (q *question) seed() uint64 { return xxh3.HashString(fmt.Sprint(q.About, q.Attempt)) >> 1 }
