package export

import (
	"encoding/json"
	"fmt"
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

	// One sample at a time: files may be larger than memory.
	for _, err := range disk.Values[json.RawMessage](f) {
		if err != nil {
			return 0, fmt.Errorf("read %s: sample %d: %w", path, n+1, err)
		}

		n++
	}
	return n, nil
}
