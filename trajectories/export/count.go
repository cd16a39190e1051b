package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"toolevo/envs/disk"
	"toolevo/trajectories/internal/pq"
)

// CountSamples counts the samples in a file: JSON (a list, or one value after another) or Parquet.
func CountSamples(path string) (int, error) {
	switch filepath.Ext(path) {
	case ".json", ".jsonl":
		return countJSON(path)
	case ".parquet":
		return pq.Rows(path)
	default:
		return 0, fmt.Errorf("%s: want a file that ends in .json, .jsonl or .parquet", path)
	}
}

func countJSON(path string) (n int, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()

	in := json.NewDecoder(bufio.NewReader(f))

	// In a list the samples follow its bracket. Otherwise the token was the beginning of a sample,
	// which has to be read again.
	first, err := in.Token()
	if first != json.Delim('[') {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return 0, err
		}

		in = json.NewDecoder(bufio.NewReader(f))
	}

	// One sample at a time: files may be larger than memory.
	for err == nil && in.More() {
		var sample json.RawMessage
		if err = in.Decode(&sample); err == nil {
			n++
		}
	}

	if err != nil && err != io.EOF {
		return 0, fmt.Errorf("read %s: sample %d: %w", path, n+1, err)
	}
	return n, nil
}
