package layout

import (
	"os"
)

// flushEvery is how many bytes are written between two Syncs.
const flushEvery = 64 << 20

// flusher makes the disk keep up with the writer of a file, so that little is left for the end,
// when no progress can be shown.
type flusher struct {
	file    *os.File
	flushed int64      // the size of the file when the last Sync began
	running chan error // takes the result of that Sync; nil before the first
}

// advance begins a Sync when enough was written since the last one, for which it waits first.
func (f *flusher) advance() error {
	stat, err := f.file.Stat()
	if err != nil || stat.Size()-f.flushed < flushEvery {
		return err
	}

	if err := f.wait(); err != nil {
		return err
	}

	f.flushed, f.running = stat.Size(), make(chan error, 1)
	go func(result chan<- error) { result <- f.file.Sync() }(f.running)
	return nil
}

// wait returns the result of the Sync that advance began, if any.
func (f *flusher) wait() error {
	if f.running == nil {
		return nil
	}

	err := <-f.running
	f.running = nil
	return err
}
