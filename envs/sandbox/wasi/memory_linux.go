package wasi

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// memory is the linear memory of the one instance a machine has. Its addresses are reserved once, so that
// growing copies nothing; the Go heap has no part in it.
type memory struct {
	reserved []byte
	size     uint64 // bytes in use, the start of reserved
	limit    uint64 // bytes it may grow to
	image    image
}

// image is what a memory held at one moment.
type image struct {
	size   uint64
	pieces []piece
}

// piece is a stretch of an image; everything between the pieces is zero.
type piece struct {
	at   uint64
	data []byte
}

const (
	pageSize = 4096
	gap      = 64 * pageSize // a stretch of zeros that is worth a system call
)

// withMemory makes m the linear memory of the next instance.
func withMemory(ctx context.Context, m *memory) context.Context {
	return experimental.WithMemoryAllocator(ctx,
		experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
			m.reserve(most)
			return m
		}))
}

// reserve takes addresses, but no memory yet. It panics if there are none, as wazero's own allocator does.
func (m *memory) reserve(most uint64) {
	reserved, err := unix.Mmap(-1, 0, int(most), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		panic(fmt.Errorf("reserve %d bytes of addresses: %w", most, err))
	}

	m.reserved, m.size, m.limit = reserved, 0, math.MaxUint64
}

// Reallocate implements [experimental.LinearMemory]. A size above the limit is refused, and Python then
// raises MemoryError.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.size {
		if size > m.limit || unix.Mprotect(m.reserved[m.size:size], unix.PROT_READ|unix.PROT_WRITE) != nil {
			return nil
		}

		m.size = size
	}

	return m.reserved[:size:size]
}

// Free implements [experimental.LinearMemory].
func (m *memory) Free() {
	unix.Munmap(m.reserved)
	m.reserved = nil
}

// keep makes the image of what the memory holds now.
func (m *memory) keep() {
	m.image = image{size: m.size}
	var zeros [pageSize]byte
	begin, end := uint64(0), uint64(0) // the stretch being collected
	collect := func() {
		if end > begin {
			m.image.pieces = append(m.image.pieces, piece{begin, bytes.Clone(m.reserved[begin:end])})
		}
	}

	for at := uint64(0); at < m.size; at += pageSize {
		if bytes.Equal(m.reserved[at:at+pageSize], zeros[:]) {
			continue
		}

		if at-end > gap {
			collect()

			begin = at
		}

		end = at + pageSize
	}

	collect()
}

// grown reports whether the memory is larger than its image.
func (m *memory) grown() bool { return m.size != m.image.size }

// restore makes the memory, which has not grown, what it was when the image was made.
func (m *memory) restore() error {
	at := uint64(0)
	for _, p := range m.image.pieces {
		if err := m.clear(at, p.at); err != nil {
			return err
		}

		copy(m.reserved[p.at:], p.data)
		at = p.at + uint64(len(p.data))
	}

	return m.clear(at, m.image.size)
}

// clear gives pages back, which makes them zero.
func (m *memory) clear(from, to uint64) error {
	if from >= to {
		return nil
	}

	return os.NewSyscallError("madvise", unix.Madvise(m.reserved[from:to], unix.MADV_DONTNEED))
}
