package store

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/s2"
)

// Each value is compressed alone, and most have about a kilobyte: too little to find repetitions
// in. They repeat each other, though: names of tools, the words of one question, the phrases of one
// model. So the first values of a run become its dictionary, and are themselves packed without. S2
// takes a tenth of the time of zstd here, and a twentieth more space.
const (
	metaDictionary = "dictionary"
	dictionarySize = 32 << 10 // more does not help
	dictionaryPart = 4 << 10  // most of one value, so that several contribute

	// unpackedLimit bounds what a damaged or hostile value unpacks to.
	unpackedLimit = 256 << 20
)

// The first byte of a packed value.
const (
	packedAlone          = 0
	packedWithDictionary = 1
)

// packer compresses values. It is safe for concurrent use.
type packer struct {
	dictionary atomic.Pointer[s2.Dict] // nil before there is one

	mu     sync.Mutex // guards what follows
	sample []byte     // what becomes the dictionary
	made   bool       // whether it exists, or is being written
}

// loadDictionary makes the store use the run's dictionary, if the run has one.
func (s *Store) loadDictionary(ctx context.Context) error {
	text, err := s.Meta(ctx, metaDictionary)
	if err != nil || text == "" {
		return err
	}

	dictionary := s2.MakeDict([]byte(text), nil)
	if dictionary == nil {
		return damaged("its dictionary cannot be read")
	}

	s.packer.mu.Lock()
	defer s.packer.mu.Unlock()

	s.packer.made = true
	s.packer.dictionary.Store(dictionary)
	return nil
}

// pack compresses a value. The value that completes the sample makes it the dictionary, which is
// written before anything that needs it.
func (s *Store) pack(ctx context.Context, raw []byte) ([]byte, error) {
	if sample := s.packer.take(raw); sample != nil {
		if err := s.SetMeta(ctx, metaDictionary, string(sample)); err != nil {
			s.packer.retry()
			return nil, err
		}

		s.packer.dictionary.Store(s2.MakeDict(sample, nil))
	}

	packed := make([]byte, 1+s2.MaxEncodedLen(len(raw)))
	if dictionary := s.packer.dictionary.Load(); dictionary != nil {
		packed[0] = packedWithDictionary
		return packed[:1+len(dictionary.Encode(packed[1:], raw))], nil
	}

	packed[0] = packedAlone
	return packed[:1+len(s2.Encode(packed[1:], raw))], nil
}

// take adds the beginning of a value to the sample, and returns the sample once it is complete.
func (p *packer) take(raw []byte) []byte {
	if p.dictionary.Load() != nil {
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

// retry has the next value complete the sample again, because the dictionary could not be written.
func (p *packer) retry() {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.made = false
}

// unpack is the inverse of pack.
func (s *Store) unpack(ctx context.Context, packed []byte) ([]byte, error) {
	if len(packed) == 0 {
		return nil, damaged("a value is missing")
	}

	// Before any memory is asked for: a few forged bytes can claim any length. Decoding finds
	// whatever is wrong with the length itself.
	kind, packed := packed[0], packed[1:]
	if n, _ := s2.DecodedLen(packed); n > unpackedLimit {
		return nil, damaged("a value of %d bytes unpacked", n)
	}

	decode := s2.Decode

	if kind == packedWithDictionary {
		// Another process may have made the dictionary since this one opened the run.
		if s.packer.dictionary.Load() == nil {
			if err := s.loadDictionary(ctx); err != nil {
				return nil, err
			}
		}

		dictionary := s.packer.dictionary.Load()
		if dictionary == nil {
			return nil, damaged("its dictionary is missing")
		}

		decode = dictionary.Decode
	}

	raw, err := decode(nil, packed)
	if err != nil {
		return nil, damaged("%w", err)
	}
	return raw, nil
}
