package sqltool

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"toolevo/envs"
	"toolevo/envs/memo"
	"toolevo/envs/sandbox/worker"
	"toolevo/toolqa/corpus"
)

// Options are the limits and variants of the tool. The zero value of each field means its default.
type Options struct {
	Timeout  time.Duration // how long one statement may run; default 5 s
	MaxRows  int           // how many rows it may print; default 10,000
	MaxBytes int           // how many bytes it may print; default 1 MiB
	Conns    int           // how many statements run at once; default 5

	// What one statement may take, in bytes: of memory, beside what its connection keeps, default
	// 64 MiB; and for temporary files, to which sorting and grouping spill, default 512 MiB.
	MaxMemory, MaxSpill int64

	// TextColumns reproduces the published database, MySQL without a current database, in which
	// every column is text as the table tools print it. MAX and ORDER BY go by characters unless
	// the statement casts; a comparison does with a text, but not with a number: Close > 190
	// compares what each text begins with as a number, of "---" 0. A missing value is "---".
	// Cancelled and Diverted of flights are 0 and 1. A table is found under its schema only. A
	// column is called as the statement writes it, "close: 116.5". Texts of airbnb and yelp end
	// after 250 characters, and columns of airbnb have "latitude" in the place of "lat", and
	// "longitude" in that of "long", wherever these occur: cancellatitudeion_policy. Emoji, which
	// the published database describes in words, stay.
	//
	// Not reproduced is how MySQL prints what it computes: a DECIMAL keeps its scale there (116.50,
	// and AVG of it 113.540000), ROUND of a whole number is one, and a sum of texts is a DOUBLE.
	// Nor are its equality of texts that differ in case or, by some of its collations, in blanks at
	// their ends, its case-sensitive names of tables, and comparisons within CASE x WHEN.
	TextColumns bool
}

func (o Options) withDefaults() Options {
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}

	if o.MaxRows == 0 {
		o.MaxRows = 10_000
	}

	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 20
	}

	if o.Conns == 0 {
		o.Conns = 5
	}

	if o.MaxMemory == 0 {
		o.MaxMemory = 64 << 20
	}

	if o.MaxSpill == 0 {
		o.MaxSpill = 512 << 20
	}
	return o
}

// Interpreter is the tool SQLInterpreter[SQL]. It is safe for concurrent use; Close releases its
// connections.
type Interpreter struct {
	pool      *worker.Pool
	opts      Options
	temporary map[string]string         // see translate
	schemas   []corpus.Schema           // of the tables
	memory    envs.Memory               // may be nil
	recent    *memo.Recent[envs.Result] // results that are not for the memory
}

// New returns the tool over the given corpora. Each that has a table is the schema of its dataset's
// name.
func New(ctx context.Context, opts Options, corpora ...*corpus.Corpus) (*Interpreter, error) {
	if opts.Timeout < 0 || opts.MaxRows < 0 || opts.MaxBytes < 0 || opts.Conns < 0 || opts.MaxMemory < 0 ||
		opts.MaxSpill < 0 {
		return nil, fmt.Errorf("sqltool: negative limit in %+v", opts)
	}

	opts = opts.withDefaults()

	s := newSetup(opts, corpora)

	start, err := s.starter(childName, corpora)
	if err != nil {
		return nil, err
	}

	in := &Interpreter{
		opts:      opts,
		temporary: map[string]string{},
		schemas:   s.schemas,
		recent:    &memo.Recent[envs.Result]{Most: recentStatements},
		pool:      worker.NewPool(opts.Conns, start),
	}
	// Then the tables are views in temp, in the place of those in the files.
	if opts.TextColumns {
		in.temporary = s.Visible
	}

	// What is wrong with a corpus is found now and not by the first question.
	if err := in.pool.Warm(ctx); err != nil {
		return nil, fmt.Errorf("sqltool: open the corpora: %w", err)
	}
	return in, nil
}

// slowShare is the share of the deadline from which on a statement counts as slow, and largeShare
// that of what it may take from which on it counts as large.
const (
	slowShare  = 10
	largeShare = 0.5
)

// WithMemory returns the same tool with a memory for slow and for large statements: on another day,
// or on another machine, what took a tenth of the deadline or more might end beyond it, and what
// took half of the memory more than it may, and give another observation. Close the original only.
func (in *Interpreter) WithMemory(m envs.Memory) *Interpreter {
	c := *in
	c.memory, c.recent = m, &memo.Recent[envs.Result]{Most: recentStatements}
	return &c
}

// Close waits for the statements that are running, no longer than one may run, and ends the
// children.
func (in *Interpreter) Close() error {
	in.pool.Close()
	return nil
}

// sortKiB is how much a sort keeps in memory: SQLite takes the cache of the first file for it,
// which is empty. It orders that much in one step, in which it does not look at the deadline, and
// writes it away.
const sortKiB = 1024

// cacheKiB is how much of each file a connection keeps in memory. The rest is mostly in the
// system's own cache.
const cacheKiB = 4096

func newSetup(opts Options, corpora []*corpus.Corpus) setup {
	s := setup{Options: opts, Visible: map[string]string{}, Prepare: []string{
		"PRAGMA trusted_schema = OFF",
		"PRAGMA temp_store = FILE", // a large sort spills instead of filling the memory
		fmt.Sprintf("PRAGMA main.cache_size = -%d", sortKiB),
	}}

	for _, from := range corpora {
		if from.Table() == nil {
			continue
		}

		ds, schema := string(from.Dataset()), from.Schema()
		s.schemas = append(s.schemas, schema)
		s.Visible[strings.ToLower(schema.Table)] = ds

		s.Prepare = append(s.Prepare,
			fmt.Sprintf("ATTACH DATABASE '%s' AS %s", strings.ReplaceAll(from.URI(), "'", "''"), ds),
			fmt.Sprintf("PRAGMA %s.cache_size = -%d", ds, cacheKiB),
			// Reads the schema, which the authorizer would refuse later.
			fmt.Sprintf("SELECT 1 FROM %s.%s LIMIT 1", ds, schema.Table))
		if opts.TextColumns {
			s.Prepare = append(s.Prepare, textView(schema))
		}
	}

	s.Prepare = append(s.Prepare, "PRAGMA query_only = ON")
	return s
}

// startTime is how long a child may take until it is ready, on a slow disk, too.
const startTime = time.Minute

// starter returns what starts a child of a name that can read the corpora and do nothing else.
func (s setup) starter(name string, corpora []*corpus.Corpus) (func(context.Context) (*worker.Child, error), error) {
	// Encoded once: every child gets the same setup as its first request.
	first, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("sqltool: encode the setup: %w", err)
	}

	// The child may read these files and no others.
	var files []string

	for _, c := range corpora {
		path, err := filepath.Abs(c.Path())
		if err != nil {
			return nil, fmt.Errorf("sqltool: %w", err)
		}

		files = append(files, path)
	}
	return func(ctx context.Context) (*worker.Child, error) {
		c, err := worker.StartSelf(name, files)
		if err != nil {
			return nil, fmt.Errorf("sqltool: start a child: %w", err)
		}

		// SQLite may write temporary files while it attaches the corpora.
		limits := worker.Limits{Time: startTime, Scratch: s.Options.MaxSpill}
		if _, _, err := c.Call(ctx, first, limits); err != nil {
			return nil, fmt.Errorf("sqltool: start a child: %w: %s", err, c.End())
		}
		return c, nil
	}, nil
}
