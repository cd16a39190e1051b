package facts

import (
	"errors"
	"path/filepath"

	"toolevo/trajectories"
)

// The files of an evaluation's run directory that hold its tables.
const (
	FactsFile    = "facts.parquet"
	CallsFile    = "calls.parquet"
	VerdictsFile = "verdicts.parquet"
)

// format is the version of the tables' contents. It grows when a column is added, removed or
// changes its meaning.
const format = "3 "

// Write writes the facts and calls beside the episodes that they were made from. episodes is the
// hash of that file.
func (b *Board) Write(dir, episodes string) error {
	for i := range b.Facts {
		b.Facts[i].Source = format + episodes
	}
	return errors.Join(trajectories.WriteTable(filepath.Join(dir, CallsFile), b.Calls),
		trajectories.WriteTable(filepath.Join(dir, FactsFile), b.Facts))
}

// Read reads what Write wrote. ok is false if nothing was written for the episodes with that hash.
func Read(dir, episodes string) (b *Board, ok bool) {
	b = &Board{}

	var err, callsErr error

	b.Facts, err = trajectories.ReadTable[Fact](filepath.Join(dir, FactsFile))
	b.Calls, callsErr = trajectories.ReadTable[Call](filepath.Join(dir, CallsFile))

	ok = errors.Join(err, callsErr) == nil && len(b.Facts) > 0 && b.Facts[0].Source == format+episodes
	return b, ok
}
