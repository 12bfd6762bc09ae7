package fsys

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
)

// readTries is how often ReadFile tries to read a file that changes while it is read. An
// editor that saves in place has finished long before the third try.
const readTries = 3

// ReadFile returns the content of a regular file of at most limit bytes, with a description
// of the file that matches these bytes. A larger file fails with ErrTooLarge before its
// bytes are read. A file that keeps changing fails with ErrChanged. The bytes of an empty
// file are not nil.
func ReadFile(ctx context.Context, fsys FS, name string, limit int64) ([]byte, fs.FileInfo, error) {
	for range readTries {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		data, info, err := readOnce(fsys, name, limit)
		if !errors.Is(err, ErrChanged) {
			return data, info, err
		}
	}
	return nil, nil, &fs.PathError{Op: "read", Path: name, Err: ErrChanged}
}

func readOnce(fsys FS, name string, limit int64) ([]byte, fs.FileInfo, error) {
	var buf bytes.Buffer
	info, err := readWith(fsys, name, limit, func(r io.Reader, size int64) (int64, error) {
		// One byte more than the size lets the last read see the end.
		buf.Grow(int(size) + bytes.MinRead)
		return buf.ReadFrom(r)
	})
	if err != nil {
		return nil, nil, err
	}
	return buf.Bytes(), info, nil
}

// Sum returns the SHA-256 of a file as ReadFile would read it, without holding its bytes.
func Sum(ctx context.Context, fsys FS, name string, limit int64) (sum [sha256.Size]byte, info fs.FileInfo, err error) {
	for range readTries {
		if err := ctx.Err(); err != nil {
			return sum, nil, err
		}
		h := sha256.New()
		info, err := readWith(fsys, name, limit, func(r io.Reader, _ int64) (int64, error) { return io.Copy(h, r) })
		if !errors.Is(err, ErrChanged) {
			h.Sum(sum[:0])
			return sum, info, err
		}
	}
	return sum, nil, &fs.PathError{Op: "read", Path: name, Err: ErrChanged}
}

// readWith lets read consume the bytes of a regular file, and returns a description of the
// file that matches these bytes. It fails with ErrChanged if the file changed meanwhile.
// read returns the number of bytes it got.
func readWith(fsys FS, name string, limit int64, read func(r io.Reader, size int64) (int64, error)) (info fs.FileInfo, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			err = cerr
		}
	}()
	before, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if before.Size() > limit {
		return nil, &fs.PathError{Op: "read", Path: name, Err: ErrTooLarge}
	}
	n, err := read(io.LimitReader(f, before.Size()+1), before.Size()) // one more: a file that grew
	if err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if n != after.Size() || before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime()) {
		return nil, ErrChanged
	}
	return after, nil
}

// compareAtOnce is the buffer size for comparing files.
const compareAtOnce = 64 << 10

// errOther reports that the bytes of a file differ.
var errOther = errors.New("the file has other bytes")

// holds returns an error that wraps ErrChanged when name has other bytes. It reads the file
// in small parts.
func holds(ctx context.Context, fsys FS, name string, want []byte) error {
	buf := make([]byte, min(len(want)+1, compareAtOnce))
	compare := func(r io.Reader, _ int64) (int64, error) {
		at := 0
		for {
			n, err := r.Read(buf)
			if n > len(want)-at || !bytes.Equal(buf[:n], want[at:at+n]) {
				return 0, errOther
			}
			switch at += n; {
			case errors.Is(err, io.EOF) && at < len(want):
				return 0, errOther
			case errors.Is(err, io.EOF):
				return int64(at), nil
			case err != nil:
				return 0, err
			}
		}
	}
	for range readTries {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := readWith(fsys, name, int64(len(want)), compare)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, errOther), errors.Is(err, ErrTooLarge), errors.Is(err, ErrNotRegular):
			return &fs.PathError{Op: "check", Path: name, Err: ErrChanged}
		case !errors.Is(err, ErrChanged):
			return err
		}
	}
	return &fs.PathError{Op: "check", Path: name, Err: ErrChanged}
}

// OpenRegular opens a regular file to read it. A FIFO, a socket or a device, also behind a
// link, fails with ErrNotRegular without blocking.
func OpenRegular(path string) (*os.File, error) {
	fail := &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fail
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() { // replaced since Stat
		err = fail
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadRegular returns the bytes of a file that OpenRegular opens, of at most limit bytes.
func ReadRegular(path string, limit int64) (data []byte, err error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	tooLarge := &fs.PathError{Op: "read", Path: path, Err: ErrTooLarge}
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if info.Size() > limit {
		return nil, tooLarge
	}
	if data, err = io.ReadAll(io.LimitReader(f, limit+1)); err == nil && int64(len(data)) > limit {
		return nil, tooLarge
	}
	return data, err
}
