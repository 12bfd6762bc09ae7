package fsys

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// readTries is how often ReadFile starts again when the file changes under
// it. An editor that saves in place is done long before the third try.
const readTries = 3

// ReadFile returns the whole of a regular file of at most limit bytes, with
// the file's description at the moment when its bytes were these. A larger
// file fails with ErrTooLarge before its bytes are read. A file that keeps
// changing fails with ErrChanged. The bytes of an empty file are not nil.
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

func readOnce(fsys FS, name string, limit int64) (data []byte, info fs.FileInfo, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			err = cerr
		}
	}()
	before, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if before.Size() > limit {
		return nil, nil, &fs.PathError{Op: "read", Path: name, Err: ErrTooLarge}
	}
	// One byte more than the size lets the last read see the end, and one
	// more than that would be a file that grew.
	var buf bytes.Buffer
	buf.Grow(int(before.Size()) + bytes.MinRead)
	if _, err := buf.ReadFrom(io.LimitReader(f, before.Size()+1)); err != nil {
		return nil, nil, err
	}
	after, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if int64(buf.Len()) != after.Size() || before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime()) {
		return nil, nil, ErrChanged
	}
	return buf.Bytes(), after, nil
}

// ReadRegular returns the bytes of a regular file of at most limit bytes. A FIFO or a
// device, also behind a link, fails with ErrNotRegular without blocking.
func ReadRegular(path string, limit int64) (data []byte, err error) {
	fail := func(err error) ([]byte, error) { return nil, &fs.PathError{Op: "read", Path: path, Err: err} }
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return fail(ErrNotRegular)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	switch {
	case !info.Mode().IsRegular(): // replaced since Stat
		return fail(ErrNotRegular)
	case info.Size() > limit:
		return fail(ErrTooLarge)
	}
	data, err = io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return fail(ErrTooLarge)
	}
	return data, err
}
