package layout

import (
	"net/url"
	"path/filepath"

	"toolevo/envs/durable"
)

// RemoveLeftovers removes what killed programs left of the corpus file at path, which may be gigabytes.
func RemoveLeftovers(path string) error {
	folder, name := filepath.Split(path)
	return durable.RemoveLeftovers(folder, "."+name+".", "")
}

// DSN returns the SQLite URI of the file at path; query holds its parameters.
func DSN(path, query string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query
}
