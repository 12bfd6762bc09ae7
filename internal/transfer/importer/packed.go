package importer

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"sync"
	"time"
)

// packed is an entry of a ZIP archive. It takes a fraction of the memory of a zip.File.
type packed struct {
	from    io.ReaderAt
	start   int64
	packed  int64
	size    uint64
	time    int64
	sum     uint32
	deflate bool
}

// errEncrypted means that an entry of an archive has a password.
var errEncrypted = errors.New("it is encrypted: unpack the archive with its password first")

func packedIn(from io.ReaderAt, f *zip.File) (packed, error) {
	if f.Flags&1 != 0 {
		return packed{}, errEncrypted
	}
	if f.Method != zip.Store && f.Method != zip.Deflate {
		return packed{}, zip.ErrAlgorithm
	}
	start, err := f.DataOffset()
	if f.CompressedSize64 > 1<<40 {
		err = errors.Join(err, zip.ErrFormat)
	}
	return packed{from, start, int64(f.CompressedSize64), f.UncompressedSize64, f.Modified.Unix(), f.CRC32, f.Method == zip.Deflate}, err
}

// unreadable is an entry of a ZIP archive that cannot be unpacked.
type unreadable struct{ error }

func (u unreadable) open() (io.ReadCloser, error) { return nil, u.error }
func (u unreadable) changed() time.Time           { return time.Time{} }

// raw reads the packed bytes.
func (p *packed) raw() *io.SectionReader { return io.NewSectionReader(p.from, p.start, p.packed) }

func (p *packed) changed() time.Time { return time.Unix(p.time, 0) }

// inflaters are reusable readers of 40 KiB each.
var inflaters sync.Pool

// open reads the unpacked bytes, and verifies their checksum.
func (p *packed) open() (io.ReadCloser, error) {
	raw := p.raw()
	u := &unpacking{packed: p, in: raw}
	if !p.deflate {
		return u, nil
	}
	if old, ok := inflaters.Get().(flate.Resetter); ok && old.Reset(raw, nil) == nil {
		u.in = old.(io.Reader)
	} else {
		u.in = flate.NewReader(raw)
	}
	return u, nil
}

// unpacking is an entry being read.
type unpacking struct {
	*packed
	in   io.Reader
	read uint64
	have uint32
}

func (u *unpacking) Read(b []byte) (int, error) {
	n, err := u.in.Read(b)
	u.read += uint64(n)
	u.have = crc32.Update(u.have, crc32.IEEETable, b[:n])
	switch {
	case u.read > u.size, err == io.EOF && u.read < u.size:
		err = zip.ErrFormat
	case err == io.EOF && u.have != u.sum:
		err = zip.ErrChecksum
	}
	return n, err
}

func (u *unpacking) Close() error {
	if again, ok := u.in.(flate.Resetter); ok {
		inflaters.Put(again)
	}
	u.in = strings.NewReader("")
	return nil
}
