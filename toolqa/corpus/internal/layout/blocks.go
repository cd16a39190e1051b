package layout

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"toolevo/envs/disk"
)

// The hashes of a file's blocks are behind its database, where SQLite does not look: the XXH3 of
// each block, then a footer of the size of the database, the XXH3 of all that precedes it from the
// first hash on, and blockMagic. Numbers have eight bytes and are little-endian.
const (
	blockSize  = 1 << 20 // of the database; the last block may be shorter
	blockMagic = "toolevo blocks 1"
	footerSize = 8 + 8 + len(blockMagic)
)

// ErrDamaged is wrapped by the errors of files that are not as they were written.
var ErrDamaged = disk.ErrDamaged

// CheckBlocks compares the bytes of the file with the hashes that were written with it. The error
// of a file that was changed names the first block that differs.
func CheckBlocks(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()

	size, want, err := readHashes(f)
	if err != nil {
		return err
	}

	have, err := hashBlocks(ctx, f, size)
	if err != nil {
		return err
	}

	for i := range want {
		if have[i] != want[i] {
			return fmt.Errorf("%w: block %d of %d, from byte %d on, is not what was written", ErrDamaged,
				i+1, len(want), int64(i)*blockSize)
		}
	}

	return nil
}

// readHashes returns the size of the database in f, and the hashes of its blocks.
func readHashes(f *os.File) (size int64, hashes []uint64, err error) {
	stat, err := f.Stat()
	if err != nil {
		return 0, nil, err
	}

	// A file shorter than a footer leaves it zero, and so without the magic.
	footer := make([]byte, footerSize)

	start := stat.Size() - int64(footerSize)
	if start >= 0 {
		if _, err := f.ReadAt(footer, start); err != nil {
			return 0, nil, err
		}
	}

	if string(footer[16:]) != blockMagic {
		return 0, nil, fmt.Errorf("%w: the hashes of its blocks are missing", ErrDamaged)
	}

	// The size is not proven yet, but it must fit the file: nothing is read that is not there.
	size = int64(binary.LittleEndian.Uint64(footer))
	if size < 0 || size > start || blockCount(size)*8 != start-size {
		return 0, nil, fmt.Errorf("%w: %d bytes, and hashes of %d", ErrDamaged, stat.Size(), size)
	}

	text := make([]byte, start-size+8)
	if _, err := f.ReadAt(text, size); err != nil {
		return 0, nil, err
	}

	// This hash is over the size, too. From here on the footer is believed.
	if xxh3.Hash(text) != binary.LittleEndian.Uint64(footer[8:]) {
		return 0, nil, fmt.Errorf("%w: the hashes of its blocks are not those that were written", ErrDamaged)
	}

	for ; len(text) > 8; text = text[8:] {
		hashes = append(hashes, binary.LittleEndian.Uint64(text))
	}
	return size, hashes, nil
}

// AppendHashes writes the hashes of the blocks behind the database in f.
func AppendHashes(ctx context.Context, f *os.File) error {
	stat, err := f.Stat()
	if err != nil {
		return err
	}

	hashes, err := hashBlocks(ctx, f, stat.Size())
	if err != nil {
		return err
	}

	var text []byte
	for _, h := range hashes {
		text = binary.LittleEndian.AppendUint64(text, h)
	}

	text = binary.LittleEndian.AppendUint64(text, uint64(stat.Size()))
	text = binary.LittleEndian.AppendUint64(text, xxh3.Hash(text))
	_, err = f.WriteAt(append(text, blockMagic...), stat.Size())
	return err
}

func blockCount(size int64) int64 { return (size + blockSize - 1) / blockSize }

// hashBlocks returns the hash of every block of the first size bytes of r. All processors read side
// by side.
func hashBlocks(ctx context.Context, r io.ReaderAt, size int64) ([]uint64, error) {
	hashes := make([]uint64, blockCount(size))
	var next atomic.Int64

	group, ctx := errgroup.WithContext(ctx)
	for range min(runtime.GOMAXPROCS(0), len(hashes)) {
		// Blocks are handed out one by one, so that a slow read holds up only one goroutine.
		group.Go(func() error {
			block := make([]byte, min(blockSize, size))

			for {
				i := next.Add(1) - 1
				if i >= int64(len(hashes)) {
					return nil
				}

				if err := ctx.Err(); err != nil {
					return err
				}

				part := block[:min(blockSize, size-i*blockSize)]
				if _, err := r.ReadAt(part, i*blockSize); err != nil {
					return fmt.Errorf("block %d: %w", i+1, err)
				}

				// No lock: each block is taken by one goroutine, and has a place of its own.
				hashes[i] = xxh3.Hash(part)
			}
		})
	}

	return hashes, group.Wait()
}
