package importer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"toolevo/envs/disk"
	"toolevo/envs/sandbox/engines"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/internal/layout"
)

// Options say what [Import] accepts, and how it reports.
type Options struct {
	AllowShort bool   // accept less than is published: files with fewer rows, down to one, and missing files
	SkipBad    int    // how many bad rows are left out, and counted, before one is an error
	Tool       string // recorded as the program that wrote the corpus

	// Python chooses the interpreter in whose sandbox pickles are read, and the walls that may be
	// missing.
	Python engines.Options

	// Progress, if not nil, is called from time to time with how much of the work is done. Only the
	// ratio has a meaning.
	Progress func(done, total int)
}

// Result is what [Import] has done.
type Result struct {
	Info      layout.Info
	Unchanged bool // the corpus was there already, from these very files: nothing was written
	// the first bad rows that were left out, at most ten; each names its file and line.
	// Info.Skipped counts all
	Bad []error
}

// importer reads the published files of a dataset.
type importer struct {
	// files finds the published files that from names, a folder or a file; the typed table, if
	// there is one, is in the first. Their hash, in this order, is source_sha256.
	files func(schema layout.Schema, from string) ([]string, error)

	// part returns what fills the tables beside the typed one; nil for none. It reads src.paths
	// with src.objects; or with src.open, and then hands each bad row to src.leaveOut.
	part func(src *source) (layout.Part, error)
}

// importers returns the importers of all datasets.
func importers() map[toolqa.Dataset]importer {
	return map[toolqa.Dataset]importer{
		toolqa.Agenda:  {files: agendaFiles, part: importAgenda},
		toolqa.Airbnb:  {files: onePublished},
		toolqa.Coffee:  {files: onePublished},
		toolqa.DBLP:    {files: dblpFiles, part: importDBLP},
		toolqa.Flights: {files: onePublished},
		toolqa.SciREX:  {files: scirexFiles, part: importScirex},
		toolqa.Yelp:    {files: onePublished},
	}
}

// ErrMissing is that the published files of a dataset are not where they were looked for.
var ErrMissing = errors.New("the published files are not there")

// Import reads the published files of a dataset and writes them as DIR/corpus/DATASET.sqlite,
// replacing the old corpus only when all of them were read. The argument from is the published
// file, or a folder that holds it under its published name, with or without "corpus" and the
// dataset as folders between. The error of a missing, truncated or different file says which line,
// and what was expected there; a file with fewer rows than the published one counts as truncated
// unless AllowShort is set. If the corpus exists already and these options would import the same
// from the same files, nothing is done: an interrupted import of all datasets continues where it
// stopped. It fails while another process writes corpora of dir. Where the files are not there the
// error is [ErrMissing].
func Import(ctx context.Context, dir string, ds toolqa.Dataset, from string,
	opts Options) (_ Result, err error) {
	imp, ok := importers()[ds]
	if !ok {
		return Result{}, fmt.Errorf("corpus: import %q: no such dataset", ds)
	}

	// dblp and scirex have no table: their schema holds only the dataset.
	schema, err := layout.SchemaOf(ds)
	hasTable := err == nil
	schema.Dataset = ds

	src := &source{dataset: ds, schema: schema, opts: opts}
	if src.paths, err = imp.files(schema, from); err != nil {
		return Result{}, err
	}

	if err := src.hash(ctx); err != nil {
		return Result{}, fmt.Errorf("corpus: import %s: %w", ds, err)
	}

	// After hashing, although that reads everything: nothing else tells whether the published files
	// are those of the corpus.
	if info, ok := src.alreadyThere(ctx, dir); ok {
		return Result{Info: info, Unchanged: true}, nil
	}

	release, err := claimFolder(filepath.Dir(layout.Path(dir, ds)))
	if err != nil {
		return Result{}, fmt.Errorf("corpus: import %s: %w", ds, err)
	}
	defer func() { err = errors.Join(err, release()) }()

	claim, err := corpus.Claim(dir, ds)
	if err != nil {
		return Result{}, err
	}
	defer claim.Close()

	in := layout.Input{Files: src, Progress: opts.Progress}
	if hasTable {
		// The rows are read while they are written, so the file stays open until Import returns.
		rows, file, err := src.table(schema)
		if err != nil {
			return Result{}, err
		}
		defer file.Close()

		in.Next = rows
	}

	var part layout.Part
	if imp.part != nil {
		if part, err = imp.part(src); err != nil {
			return Result{}, err
		}
	}

	info, err := layout.Write(ctx, dir, layout.Info{
		Dataset:      ds,
		Source:       layout.Published,
		SourceSHA256: src.sum,
		Tool:         opts.Tool,
	}, in, part)
	if err != nil {
		return Result{}, err
	}

	return Result{Info: info, Bad: src.firstBad}, nil
}

// claimFolder keeps the folder of the corpora from being replaced by [disk.ReplaceFolder], which
// would discard what is written in it meanwhile, until release is called.
func claimFolder(folder string) (release func() error, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}

	// As there: the claim of a link is another than that of the folder.
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return nil, err
	}

	_, release, err = disk.ClaimFolder(folder)
	return release, err
}

// onePublished is the files function of datasets in one file.
func onePublished(schema layout.Schema, from string) ([]string, error) {
	path, err := findPublished(schema.Dataset, from, schema.File)
	return []string{path}, err
}

// findPublished returns the path of the published file called name that from names: the file
// itself, or a folder that holds it. Where it is in neither, the error is [ErrMissing].
func findPublished(ds toolqa.Dataset, from, name string) (string, error) {
	stat, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", ErrMissing, err)
	}

	if err != nil {
		return "", fmt.Errorf("corpus: import %s: %w; expected the published %s or a folder that holds it", ds, err,
			name)
	}

	if !stat.IsDir() {
		return from, nil
	}

	for _, parts := range [][]string{{}, {string(ds)}, {"corpus", string(ds)}, {"corpus"}} {
		path := filepath.Join(append(append([]string{from}, parts...), name)...)
		if stat, err := os.Stat(path); err == nil && !stat.IsDir() {
			return path, nil
		}
	}

	return "", fmt.Errorf("corpus: import %s: %w: no %s in %s, nor in its folders %s and %s", ds,
		ErrMissing, name, from, ds, filepath.Join("corpus", string(ds)))
}
