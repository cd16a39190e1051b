package pq

import (
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

const (
	groupRows  = 1000     // rows of a row group, at most
	groupBytes = 32 << 20 // bytes of values after which a row group is cut
	batchRows  = 64       // rows handed to arrow at once, at most
	batchBytes = 4 << 20  // bytes of values after which a batch is handed over
	pageBatch  = 16       // values between two looks at the page size: arrow looks only after a whole batch

	// level is the fastest of zstd: arrow makes new encoders for every page, one for each processor, and
	// clearing the tables of one at level 3 takes longer than compressing the page. Files are a sixth larger.
	level = 1
)

// createdBy is what the footer of every file says wrote it. It is fixed, so that equal rows give equal bytes.
const createdBy = "toolevo"

// Writer streams values of T into a Parquet file. It is for one goroutine.
type Writer[T any] struct {
	columns []Column
	out     *stickyWriter
	file    *pqarrow.FileWriter
	build   *array.RecordBuilder
	batch   int // rows in build
	bytes   int // bytes in build
	inRows  int // rows in the open row group
	inSize  int // bytes in the open row group
	rows    int
	closed  bool
}

// NewWriter returns a writer of a file with the given columns to w; meta are the file's key-value pairs. Closing it
// does not close w.
func NewWriter[T any](w io.Writer, columns []Column, meta map[string]string) (*Writer[T], error) {
	sc := schema(columns, meta)
	out := &stickyWriter{w: w}

	file, err := pqarrow.NewFileWriter(sc, out, properties(columns), pqarrow.NewArrowWriterProperties())
	if err != nil {
		return nil, fmt.Errorf("pq: new writer of %d columns: %w", len(columns), err)
	}

	build := array.NewRecordBuilder(memory.DefaultAllocator, sc)

	return &Writer[T]{columns: columns, out: out, file: file, build: build}, nil
}

// properties returns the writer options every file of ours has.
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

// columnProperties returns the writer options of single columns: which have a dictionary, and which are not worth the
// encoders of zstd. Dictionaries and numbers are small and regular, so that Snappy, which needs no memory, does nearly
// as well: a file of a few rows takes a third of the time, and one of many is a twentieth larger.
func columnProperties(within string, columns []Column) (opts []parquet.WriterProperty) {
	for _, c := range columns {
		path := within + c.Name
		if c.Repeats {
			opts = append(opts, parquet.WithDictionaryFor(path, true))
		}

		if c.Repeats || c.Type.ID() != arrow.STRING {
			opts = append(opts, parquet.WithCompressionFor(path, compress.Codecs.Snappy))
		}

		if c.Type.ID() == arrow.LIST {
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

	for i := range w.columns {
		w.bytes += w.columns[i].put(w.build.Field(i), reflect.ValueOf(v).Elem())
	}

	w.batch++

	w.rows++
	if w.batch < batchRows && w.bytes < batchBytes {
		return nil
	}

	return w.flush()
}

// flush hands the batch to arrow, and cuts the row group when it is full.
func (w *Writer[T]) flush() error {
	if w.batch == 0 {
		return w.out.err
	}

	if w.inRows > 0 && (w.inRows+w.batch > groupRows || w.inSize+w.bytes > groupBytes) {
		w.file.NewBufferedRowGroup()
		w.inRows, w.inSize = 0, 0
	}

	rec := w.build.NewRecordBatch()
	defer rec.Release()

	w.inRows += w.batch
	w.inSize += w.bytes

	w.batch, w.bytes = 0, 0
	if err := w.file.WriteBuffered(rec); err != nil {
		return fmt.Errorf("pq: write %d rows after row %d: %w", rec.NumRows(), w.rows-int(rec.NumRows()), err)
	}

	return w.out.err
}

// Rows returns how many values were written.
func (w *Writer[T]) Rows() int { return w.rows }

// Close writes the footer. Without it the file cannot be read. A table of no rows gives a valid file.
func (w *Writer[T]) Close() error {
	if w.closed {
		return nil
	}

	w.closed = true
	defer w.build.Release()

	flushed := w.flush()
	closed := w.file.Close()

	return errors.Join(flushed, closed, w.out.err)
}

// stickyWriter keeps the first error to itself and takes the rest of the bytes as if they were written: arrow
// panics when a write fails in the middle of a column. The error is returned by the Writer instead.
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
