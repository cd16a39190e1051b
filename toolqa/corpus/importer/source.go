package importer

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/internal/layout"
)

// source is the published files of a dataset while they are imported.
type source struct {
	dataset toolqa.Dataset
	schema  layout.Schema // of the typed table, if there is one
	opts    Options
	paths   []string
	sum     string      // source_sha256
	size    int64       // of all files
	stamps  []fileStamp // of the files when they were hashed

	read     atomic.Int64 // bytes that were read through open
	skipped  int
	before   int  // of them, those of earlier readings than the present one
	short    bool // less was read than is published
	firstBad []error
}

// fileStamp shows whether a file was changed.
type fileStamp struct {
	size int64
	time time.Time
}

// reportedBad is how many bad rows are reported one by one.
const reportedBad = 10

// open opens one of the files. Every byte that is read counts as progress.
func (s *source) open(path string) (io.ReadCloser, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("corpus: import %s: %w", s.dataset, err)
	}
	return &countedFile{f, &s.read}, nil
}

type countedFile struct {
	*os.File
	read *atomic.Int64
}

func (c *countedFile) Read(p []byte) (int, error) {
	n, err := c.File.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// leaveOut records a row that cannot be imported, given an error that names file and line. It
// returns nil if the row is to be left out, and otherwise the error that ends the import.
func (s *source) leaveOut(err error) error {
	if s.skipped >= s.opts.SkipBad {
		if s.opts.SkipBad > 0 {
			return fmt.Errorf("%w (after %d bad rows that were left out)", err, s.skipped)
		}
		return err
	}

	s.skipped++
	if len(s.firstBad) < reportedBad {
		s.firstBad = append(s.firstBad, err)
	}
	return nil
}

// hash computes the hash of the files: that of the one file, or of the hashes of several, a line
// each.
func (s *source) hash(ctx context.Context) error {
	var sums []string

	for _, path := range s.paths {
		sum, stamp, err := hashFile(ctx, path)
		if err != nil {
			return err
		}

		sums, s.stamps, s.size = append(sums, sum), append(s.stamps, stamp), s.size+stamp.size
	}

	s.sum = sums[0]
	if len(sums) > 1 {
		s.sum = envs.SHA256(strings.Join(sums, "\n") + "\n")
	}
	return nil
}

func hashFile(ctx context.Context, path string) (sum string, _ fileStamp, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return "", fileStamp{}, err
	}
	defer f.Close()

	stat, err := f.Stat()
	if err != nil {
		return "", fileStamp{}, err
	}

	h := sha256.New()
	for {
		_, err := io.CopyN(h, f, 1<<24)
		if errors.Is(err, io.EOF) {
			return hex.EncodeToString(h.Sum(nil)), fileStamp{stat.Size(), stat.ModTime()}, nil
		}

		if err = errors.Join(err, ctx.Err()); err != nil {
			return "", fileStamp{}, fmt.Errorf("read %s: %w", path, err)
		}
	}
}

// Read returns how many bytes were read, of how many in all.
func (s *source) Read() (done, total int64) { return s.read.Load(), s.size }

// LeftOut returns how many bad rows were left out, and whether less was read than is published.
func (s *source) LeftOut() (skipped int, short bool) { return s.skipped, s.short }

// Unchanged returns an error when a file is not the one that was hashed.
func (s *source) Unchanged() error {
	for i, path := range s.paths {
		stat, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("corpus: import %s: %w", s.dataset, err)
		}

		if (fileStamp{stat.Size(), stat.ModTime()}) != s.stamps[i] {
			return fmt.Errorf("corpus: import %s: %s was changed while it was read", s.dataset,
				path)
		}
	}

	return nil
}

// alreadyThere returns what the corpus file below dir says about itself, and whether importing the
// source once more would write the same file.
func (s *source) alreadyThere(ctx context.Context, dir string) (layout.Info, bool) {
	c, err := corpus.Open(ctx, dir, s.dataset)
	if err != nil {
		return layout.Info{}, false // whatever is wrong with it, it is rewritten
	}

	info := c.Info()
	if c.Close() != nil {
		return layout.Info{}, false
	}

	same := info.Source == layout.Published && info.SourceSHA256 == s.sum &&
		info.Skipped <= s.opts.SkipBad &&
		(s.opts.AllowShort || !info.Short)
	return info, same
}

// newTextReader reads text, without the byte-order mark that it may begin with.
func newTextReader(r io.Reader) *bufio.Reader {
	buf := bufio.NewReaderSize(r, 1<<20)
	if bom, _ := buf.Peek(3); bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		buf.Discard(3) // cannot fail: the bytes were peeked
	}
	return buf
}

// table returns the rows of the typed table, which are in the first file, and that file.
func (s *source) table(schema layout.Schema) (next func() ([]layout.Cell, error), _ io.Closer,
	err error) {
	f, err := s.open(s.paths[0])
	if err != nil {
		return nil, nil, err
	}

	s.before = s.skipped

	buf := newTextReader(f)
	if schema.IsJSON() {
		next = newJSONRows(schema, s, buf).next
	} else {
		rows, err := newCSVRows(schema, s, buf)
		if err != nil {
			f.Close()
			return nil, nil, err
		}

		next = rows.next
	}
	return next, f, nil
}

// checkEnd returns io.EOF, or an error if a file of rows ends too early: one that is cut between
// two lines has no other sign.
func (s *source) checkEnd(path string, rows, least, line int) error {
	read := rows + s.skipped - s.before
	if s.opts.AllowShort {
		s.short = s.short || read < least
		least = 1
	}

	switch {
	case rows == 0:
		return fmt.Errorf("corpus: %s:%d: the file ends without a row; expected at least %d; is it truncated?", path,
			line, least)
	case read < least:
		return fmt.Errorf("corpus: %s:%d: the file ends after %d rows; expected the %d of the published "+
			"file; is it truncated? (allow-short imports it as it is)", path, line, rows, least)
	}

	return io.EOF
}
