package store

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// Every row ends with a hash of its key and its content, which is compared whenever the row is
// read: a flipped bit would otherwise be taken for what a model wrote. It does not protect against
// an attacker, who can compute hashes, too.

// rowHash is the hash of the fields of a row so far.
type rowHash uint64

// hashOf begins the hash of a row of a table. The fields follow in a fixed order.
func hashOf(table string) rowHash { return rowHash(xxh3.HashString(table)) }

func (h rowHash) text(s string) rowHash  { return rowHash(xxh3.HashStringSeed(s, uint64(h))) }
func (h rowHash) bytes(b []byte) rowHash { return rowHash(xxh3.HashSeed(b, uint64(h))) }

func (h rowHash) number(n uint64) rowHash {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	return rowHash(xxh3.HashSeed(b[:], uint64(h)))
}

// column is the hash as it is stored: SQLite has no unsigned integers.
func (h rowHash) column() int64 { return int64(h) }
