package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// What is stored is compressed with zstd, one frame for each value, most of which are about a
// kilobyte: too little to find repetitions in. They repeat each other, though: the guidelines of
// one task, names of tools, the phrases of one model. So the first values of a run are its
// dictionary. Values before it exist are compressed without; each frame says whether it needs it.
const (
	metaDictionary = "dictionary"
	dictionaryID   = 1        // as it stands in a frame
	dictionarySize = 32 << 10 // more does not help
	dictionaryPart = 4 << 10  // what one value may give, so that several do

	// unpackedLimit bounds what a damaged or hostile frame unpacks to.
	unpackedLimit = 256 << 20
)

// packer compresses values. It is safe for concurrent use.
type packer struct {
	coder atomic.Pointer[coder]

	mu     sync.Mutex // guards what follows
	sample []byte     // the dictionary in the making
	made   bool       // whether there is one, or it is being written
}

// coder is a pair of an encoder and a decoder that know the same dictionary.
type coder struct {
	in         *zstd.Encoder
	out        *zstd.Decoder
	dictionary bool
}

// newCoder returns a coder; dictionary is nil when there is none.
func newCoder(dictionary []byte) (*coder, error) {
	threads := min(runtime.GOMAXPROCS(0), 4) // each takes memory of its own
	in := []zstd.EOption{
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(threads),
		zstd.WithWindowSize(4 * dictionarySize), zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderCRC(false), // each row has a hash
	}
	out := []zstd.DOption{
		zstd.WithDecoderConcurrency(threads), zstd.WithDecoderMaxMemory(unpackedLimit),
		zstd.WithDecoderLowmem(true),
	}
	if dictionary != nil {
		in = append(in, zstd.WithEncoderDictRaw(dictionaryID, dictionary))
		out = append(out, zstd.WithDecoderDictRaw(dictionaryID, dictionary))
	}

	c := &coder{dictionary: dictionary != nil}
	var err error
	if c.in, err = zstd.NewWriter(nil, in...); err != nil {
		return nil, fmt.Errorf("compression: %w", err)
	}
	if c.out, err = zstd.NewReader(nil, out...); err != nil {
		return nil, fmt.Errorf("compression: %w", err)
	}
	return c, nil
}

// loadDictionary makes the store compress with the run's dictionary, where there is one.
func (s *Store) loadDictionary(ctx context.Context) error {
	text, err := s.Meta(ctx, metaDictionary)
	if err != nil {
		return err
	}
	var dictionary []byte
	if text != "" {
		dictionary = []byte(text)
	}
	c, err := newCoder(dictionary)
	if err != nil {
		return err
	}
	s.packer.mu.Lock()
	defer s.packer.mu.Unlock()
	s.packer.made = c.dictionary
	s.packer.coder.Store(c)
	return nil
}

// pack compresses a value. The one that completes the sample makes it the dictionary: the frames
// that need it are written after it is.
func (s *Store) pack(ctx context.Context, raw []byte) ([]byte, error) {
	if sample := s.packer.take(raw); sample != nil {
		if err := s.SetMeta(ctx, metaDictionary, string(sample)); err != nil {
			return nil, err
		}
		c, err := newCoder(sample)
		if err != nil {
			return nil, err
		}
		s.packer.coder.Store(c)
	}
	return s.packer.coder.Load().in.EncodeAll(raw, make([]byte, 0, len(raw)/2)), nil
}

// take adds the beginning of a value to the sample, and returns the sample once it is complete.
func (p *packer) take(raw []byte) []byte {
	if p.coder.Load().dictionary {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made {
		return nil
	}
	p.sample = append(p.sample, raw[:min(len(raw), dictionaryPart, dictionarySize-len(p.sample))]...)
	if len(p.sample) < dictionarySize {
		return nil
	}
	p.made = true
	return p.sample
}

// unpack is the inverse of pack.
func (s *Store) unpack(ctx context.Context, packed []byte) ([]byte, error) {
	raw, err := s.packer.coder.Load().out.DecodeAll(packed, nil)
	if errors.Is(err, zstd.ErrUnknownDictionary) {
		// Another process has made the dictionary since this one opened the run.
		if err := s.loadDictionary(ctx); err != nil {
			return nil, err
		}
		raw, err = s.packer.coder.Load().out.DecodeAll(packed, nil)
	}
	if err != nil {
		return nil, damaged("%w", err)
	}
	return raw, nil
}
