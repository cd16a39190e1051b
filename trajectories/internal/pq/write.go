package pq

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

const (
	groupRows  = 1000     // rows of a row group, at most
	groupBytes = 32 << 20 // bytes of values after which a row group is cut
	pageBatch  = 16       // values between two looks at the page size: arrow looks only after a whole batch

	// level is zstd's fastest: arrow makes new encoders for every page, one for each processor, and
	// at level 3 clearing the tables of one takes longer than compressing the page. Files are a
	// sixth larger.
	level = 1
)

// createdBy is the writer named in the footer of every file. It is fixed, so that equal rows give
// equal bytes.
const createdBy = "toolevo"

// Writer streams values of T into a Parquet file. It must not be used concurrently.
type Writer[T any] struct {
	out    *stickyWriter
	file   *file.Writer
	put    func(v reflect.Value, rep int16) // appends a value to the chunks
	chunks []*chunk                         // of the open row group, by leaf of the schema
	inRows int                              // rows in the chunks
	rows   int
	closed bool
}

// NewWriter returns a writer of a file with the given columns to w; meta are the file's key-value
// pairs. Closing it does not close w.
func NewWriter[T any](w io.Writer, columns []Column, meta map[string]string) (*Writer[T], error) {
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes(columns, position{}), -1)
	if err != nil {
		return nil, fmt.Errorf("pq: schema of %d columns: %w", len(columns), err)
	}

	pairs := metadata.KeyValueMetadata{}
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		if err := pairs.Append(key, meta[key]); err != nil {
			return nil, fmt.Errorf("pq: key %s: %w", key, err)
		}
	}

	out := &stickyWriter{w: w}

	created := &Writer[T]{out: out, file: file.NewParquetWriter(out, root,
		file.WithWriterProps(properties(columns)), file.WithWriteMetadata(pairs))}
	created.put = created.structs(columns, position{}).put
	return created, nil
}

// properties returns the writer options that every file has.
func properties(columns []Column) *parquet.WriterProperties {
	opts := []parquet.WriterProperty{
		parquet.WithRootRepetition(parquet.Repetitions.Required),
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithCompressionLevel(level),
		parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithDictionaryDefault(false),
		parquet.WithStats(false),
		parquet.WithMaxRowGroupLength(groupRows),
		parquet.WithBatchSize(pageBatch),
		parquet.WithCreatedBy(createdBy),
	}

	return parquet.NewWriterProperties(append(opts, columnProperties("", columns)...)...)
}

// columnProperties returns the writer options of single columns: which have a dictionary, and which
// are not worth the encoders of zstd. Dictionaries and numbers are small and regular, so Snappy,
// which needs no memory, does nearly as well: a file of a few rows takes a third of the time, and
// one of many rows is a twentieth larger.
func columnProperties(within string, columns []Column) (opts []parquet.WriterProperty) {
	for _, c := range columns {
		path := within + c.Name
		if c.Repeats {
			opts = append(opts, parquet.WithDictionaryFor(path, true))
		}

		if c.Repeats || c.Kind != Text {
			opts = append(opts, parquet.WithCompressionFor(path, compress.Codecs.Snappy))
		}

		if c.Kind == List {
			path += ".list.element"
		}

		opts = append(opts, columnProperties(path+".", c.Fields)...)
	}
	return opts
}

// Write adds one value.
func (w *Writer[T]) Write(v *T) error {
	if w.closed {
		return errors.New("pq: write after close")
	}

	w.put(reflect.ValueOf(v).Elem(), 0)

	w.inRows++
	w.rows++
	if w.inRows < groupRows && w.size() < groupBytes {
		return w.out.err
	}

	return w.flush()
}

// size returns the size of the open row group's values in bytes.
func (w *Writer[T]) size() (bytes int) {
	for _, c := range w.chunks {
		bytes += c.size()
	}
	return bytes
}

// flush writes the open row group.
func (w *Writer[T]) flush() error {
	if w.inRows == 0 {
		return w.out.err
	}

	group := w.file.AppendRowGroup()
	for _, c := range w.chunks {
		if err := c.write(group); err != nil {
			return fmt.Errorf("pq: write %d rows after row %d: %w", w.inRows, w.rows-w.inRows, err)
		}
	}

	w.inRows = 0
	return w.out.err
}

// Rows returns how many values were written.
func (w *Writer[T]) Rows() int { return w.rows }

// Close writes the footer. Without it the file cannot be read. A table of no rows gives a valid
// file.
func (w *Writer[T]) Close() error {
	if w.closed {
		return nil
	}

	w.closed = true

	flushed := w.flush()
	closed := w.file.Close()
	return errors.Join(flushed, closed, w.out.err)
}

// stickyWriter keeps the first error and pretends to write the rest, as arrow panics when a write
// fails. The Writer returns the error instead.
type stickyWriter struct {
	w   io.Writer
	err error
}

func (s *stickyWriter) Write(p []byte) (int, error) {
	if s.err != nil {
		return len(p), nil
	}

	if _, err := s.w.Write(p); err != nil {
		s.err = fmt.Errorf("pq: write %d bytes: %w", len(p), err)
	}
	return len(p), nil
}
