package layout

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"hash"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// Content is what a table holds.
type Content struct {
	Table string
	Rows  int
	Sum   string // of the rows as CSV text with a header, SHA-256 in hexadecimal digits
}

// ContentSum is the hash of a whole corpus: that of its only table, or of a line for each, the name
// and the hash.
func ContentSum(tables []Content) string {
	if len(tables) == 1 {
		return tables[0].Sum
	}

	var b strings.Builder
	for _, t := range tables {
		fmt.Fprintf(&b, "%s %s\n", t.Table, t.Sum)
	}
	return envs.SHA256(b.String())
}

// CSVHash hashes records as CSV text, as [csv.Writer] writes it.
type CSVHash struct {
	h   hash.Hash
	buf []byte
}

// flushSize is how much text is collected before it is hashed.
const flushSize = 1 << 15

// NewCSVHash begins with a header.
func NewCSVHash(header []string) *CSVHash {
	c := &CSVHash{h: sha256.New(), buf: make([]byte, 0, flushSize+flushSize/2)}
	for i, name := range header {
		c.Field(i, EncodeCSV(name))
	}

	c.EndRecord()
	return c
}

// Field adds field i of a record, which [EncodeCSV] has encoded.
func (c *CSVHash) Field(i int, encoded string) {
	if i > 0 {
		c.buf = append(c.buf, ',')
	}

	c.buf = append(c.buf, encoded...)
}

// EndRecord ends a record.
func (c *CSVHash) EndRecord() {
	c.buf = append(c.buf, '\n')
	if len(c.buf) >= flushSize {
		c.flush()
	}
}

func (c *CSVHash) flush() {
	c.h.Write(c.buf) // a hash never fails to write
	c.buf = c.buf[:0]
}

// Sum returns the hash in hexadecimal digits.
func (c *CSVHash) Sum() string {
	c.flush()
	return hex.EncodeToString(c.h.Sum(nil))
}

// EncodeCSV returns a field as [csv.Writer] writes it: s itself where nothing needs quotes.
func EncodeCSV(s string) string {
	if plain(s) {
		return s
	}

	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write([]string{s}) // a Builder never fails to write
	w.Flush()

	return strings.TrimSuffix(b.String(), "\n")
}

// plain reports whether s is sure to need no quotes.
func plain(s string) bool {
	if s == "" {
		return true // csv.Writer writes a record of one empty field as any other
	}

	for i := range len(s) {
		if c := s[i]; c < 0x80 && (c != ' ' || i == 0) && (c < '0' || c > '9') &&
			(c|0x20 < 'a' || c|0x20 > 'z') &&
			c != '.' && c != '-' && c != '_' && c != ':' && c != '/' && c != '$' {
			return false
		}
	}

	return s[0] < 0x80 // a space in another script needs quotes at the beginning
}

// SideText is a value of a side table as a CSV field.
func SideText(v driver.Value) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return pytext.FormatFloat(v)
	case string:
		return v
	case []byte:
		return string(v)
	}

	return ""
}

// CheckEvery is how many rows a writer writes before it checks its context and reports progress.
const CheckEvery = 256
