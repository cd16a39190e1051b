package corpus

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strconv"

	"toolevo/toolqa"
)

// FormatVersion is the version of the file format this package writes and reads.
const FormatVersion = 2

// Source is where the rows of a corpus come from.
type Source string

// The sources.
const (
	Published Source = "published" // imported from the published file
	Synthetic Source = "synthetic" // invented, from a seed
)

// Info is what a corpus file says about itself.
type Info struct {
	Dataset toolqa.Dataset
	Source  Source
	// of the published file; of several, of the lines of their hashes; of a synthetic corpus, its
	// content
	SourceSHA256  string
	ContentSHA256 string // of the rows as CSV text with a header; of several tables, of lines of name and hash
	Rows          int    // of the table; of a dataset without one, papers (dblp) or passages (scirex)
	Skipped       int    // bad rows of the published files that were left out
	Short         bool   // less was imported than is published: only [ImportOptions].AllowShort accepts that
	Seed          uint64 // of a synthetic corpus
	Tool          string // the program that wrote the file
}

// Path returns the path of a dataset's corpus file below the data folder dir.
func Path(dir string, ds toolqa.Dataset) string {
	return filepath.Join(dir, "corpus", string(ds)+".sqlite")
}

func (i Info) pairs() [][2]string {
	return [][2]string{
		{"format", strconv.Itoa(FormatVersion)},
		{"dataset", string(i.Dataset)},
		{"source", string(i.Source)},
		{"source_sha256", i.SourceSHA256},
		{"content_sha256", i.ContentSHA256},
		{"rows", strconv.Itoa(i.Rows)},
		{"skipped", strconv.Itoa(i.Skipped)},
		{"short", strconv.FormatBool(i.Short)},
		{"seed", strconv.FormatUint(i.Seed, 10)},
		{"tool", i.Tool},
	}
}

// readInfo reads the meta table and checks that the file is one this package can read.
func readInfo(ctx context.Context, db *sql.DB, ds toolqa.Dataset) (Info, error) {
	rows, err := db.QueryContext(ctx, "SELECT key, value FROM meta")
	if err != nil {
		return Info{}, fmt.Errorf("not a toolevo corpus: %w", err)
	}
	defer rows.Close()

	meta := map[string]string{}

	for rows.Next() {
		var k, v string
		if err := rows.Scan(&k, &v); err != nil {
			return Info{}, err
		}

		meta[k] = v
	}

	if err := rows.Err(); err != nil {
		return Info{}, err
	}

	if got := meta["format"]; got != strconv.Itoa(FormatVersion) {
		return Info{}, fmt.Errorf("format version %q; this program reads version %d: %s", got, FormatVersion, remedy)
	}

	if got := meta["dataset"]; got != string(ds) {
		return Info{}, fmt.Errorf("the file holds dataset %q; expected %q", got, ds)
	}

	info := Info{
		Dataset: ds, Source: Source(meta["source"]), Tool: meta["tool"],
		SourceSHA256: meta["source_sha256"], ContentSHA256: meta["content_sha256"],
	}
	if info.Rows, err = strconv.Atoi(meta["rows"]); err != nil {
		return Info{}, fmt.Errorf("meta rows: %w", err)
	}

	if info.Skipped, err = strconv.Atoi(meta["skipped"]); err != nil {
		return Info{}, fmt.Errorf("meta skipped: %w", err)
	}

	if info.Short, err = strconv.ParseBool(cmp.Or(meta["short"], "false")); err != nil {
		return Info{}, fmt.Errorf("meta short: %w", err)
	}

	if info.Seed, err = strconv.ParseUint(meta["seed"], 10, 64); err != nil {
		return Info{}, fmt.Errorf("meta seed: %w", err)
	}

	return info, nil
}
