package relational

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Codecs of blobs.
const (
	codecRaw  = 0
	codecZstd = 1
)

// minCompress is the size below which zstd's frame costs more than it saves.
const minCompress = 128

var (
	// Level 1: notes compress to within a few percent of the default level, in half the
	// time.
	compressor = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false)) // the hash is the check
		if err != nil {
			panic(fmt.Sprintf("relational: zstd options: %v", err)) // constants
		}
		return e
	})
	decompressor = sync.OnceValue(newDecompressor)
)

func newDecompressor() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlob))
	if err != nil {
		panic(fmt.Sprintf("relational: zstd options: %v", err))
	}
	return d
}

// PutBlob is the start of the statement that stores bytes under a hash.
const PutBlob = "INSERT INTO blobs (hash, size, codec, bytes)"

// putBlob stores bytes under a hash that is not stored yet.
func (t *Tx) putBlob(ctx context.Context, h kb.Hash, b []byte) error {
	stored, codec := b, codecRaw
	if len(b) >= minCompress {
		if small := compressor().EncodeAll(b, make([]byte, 0, compressedSize(b))); len(small) < len(b) {
			stored, codec = small, codecZstd
		}
	}
	err := t.exec(ctx, PutBlob+" VALUES (?, ?, ?, "+t.blobValue(stored)+")", h[:], len(b), codec, stored)
	return err
}

// blobValue returns the SQL expression for bytes as a parameter. The driver binds an empty
// slice as NULL, so that needs coalesce. SQLite copies its result, so other bytes do without
// it.
func (t *Tx) blobValue(b []byte) string {
	if len(b) == 0 {
		return "coalesce(?, " + t.d.NoBytes + ")"
	}
	return "?"
}

// largeBlob is the size from which the buffer for the compressed form is smaller than the
// bytes.
const largeBlob = 1 << 20

// compressedSize estimates the compressed size of bytes from a part of them. A buffer that
// has to grow takes twice as much memory meanwhile.
func compressedSize(b []byte) int {
	if len(b) < largeBlob {
		return len(b) / 2 // enough for most; else it grows
	}
	const part = 256 << 10
	at := len(b) / 2
	small := compressor().EncodeAll(b[at:at+part], make([]byte, 0, part))
	return (len(b)/part+1)*len(small)*17/16 + 4<<10
}

// maxBlob bounds the memory that a damaged size can make us allocate. SQLite
// stores no larger values.
const maxBlob = 1 << 30

// ReadBlob reads stored bytes by their hash.
const ReadBlob = "SELECT bytes, size, codec FROM blobs WHERE hash = ?"

// Limits of the cache of a connection with round trips, see Dialect.Far.
const (
	MaxAnswer  = 1 << 20  // bytes of one answer
	MaxAnswers = 32 << 20 // bytes of all answers of a memory
)

// Ahead implements store.History. The connection remembers the answers.
func (h history) Ahead(ctx context.Context, pages []kb.Page) error {
	if !h.t.d.Far {
		return nil
	}
	const besides = 1 << 10 // bytes of an answer in addition to the text
	var args [][]any
	all, seen := int64(0), map[kb.Hash]bool{}
	for _, p := range pages {
		if p.Size > MaxAnswer-besides || all+p.Size > MaxAnswers/2 || seen[p.Hash] {
			continue
		}
		seen[p.Hash] = true
		all += p.Size
		args = append(args, []any{p.Hash[:]})
	}
	return h.t.each(ctx, ReadBlob, args, func(Row) error { return nil })
}

func (h history) Bytes(ctx context.Context, hash kb.Hash) ([]byte, error) {
	var stored []byte
	var size int64
	codec := codecRaw
	found, err := h.t.one(ctx, ReadBlob, []any{hash[:]}, func(r Row) {
		stored, size, codec = r.Blob(0), r.Int(1), r.Num(2)
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, kb.Errorf(kb.NotFound, "the bytes of this version have been pruned")
	}
	return verified(hash, stored, size, codec)
}

// verified unpacks stored bytes; kb.Damaged if their hash differs.
func verified(hash kb.Hash, stored []byte, size int64, codec int) ([]byte, error) {
	b, err := unpack(stored, size, codec)
	if err != nil || sha256.Sum256(b) != hash {
		e := kb.Errorf(kb.Damaged, "the stored bytes %s are damaged", hash).
			WithReason(kb.VersionDamaged)
		e.Err = err
		return nil, e
	}
	return b, nil
}

// sound reports whether stored bytes have the hash, without holding the unpacked bytes.
func sound(hash kb.Hash, stored []byte, size int64, codec int) bool {
	if codec != codecZstd || size < largeBlob {
		_, err := verified(hash, stored, size, codec)
		return err == nil
	}
	d, err := zstd.NewReader(bytes.NewReader(stored), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlob))
	if err != nil {
		return false
	}
	defer d.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, d)
	return err == nil && n == size && kb.Hash(sum.Sum(nil)) == hash
}

func unpack(stored []byte, size int64, codec int) ([]byte, error) {
	switch codec {
	case codecRaw:
		if stored == nil {
			return []byte{}, nil
		}
		return bytes.Clone(stored), nil // the same slice may be in the cache
	case codecZstd:
		if size < 0 || size > maxBlob {
			return nil, fmt.Errorf("size %d", size)
		}
		d := decompressor()
		if size >= largeBlob { // a reused decoder would keep its last output
			d = newDecompressor()
			defer d.Close()
		}
		return d.DecodeAll(stored, make([]byte, 0, size))
	}
	return nil, fmt.Errorf("codec %d", codec)
}
