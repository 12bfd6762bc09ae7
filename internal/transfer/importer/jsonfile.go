package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Bounds of the input, so that a small file cannot exhaust memory.
const (
	maxElement = 128 << 20 // bytes of one conversation, project or entity
	freeUnpack = 64 << 20  // bytes that any entry of an archive may unpack to
	maxRatio   = 100       // beyond that, the maximum ratio of unpacked to packed size
	maxBlank   = 1 << 20   // bytes of consecutive white space, which the decoder scans repeatedly
)

// File is a file of an export, on disk or in an archive. An export may have 100,000 files.
type File struct {
	name string
	content
}

// content is the source of a file's bytes.
type content interface {
	open() (io.ReadCloser, error)
	changed() time.Time // zero if unknown
}

// onDisk is a file outside of archives, by its path.
type onDisk string

func (at onDisk) open() (io.ReadCloser, error) { return fsys.OpenRegular(string(at)) }

func (at onDisk) changed() time.Time {
	info, err := os.Stat(string(at))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// most returns the maximum size of a file; 0 for no limit.
func (f File) most() int64 {
	if p, ok := f.content.(*packed); ok {
		return max(freeUnpack, min(p.packed, 1<<40)*maxRatio)
	}
	return 0
}

// Open opens an export: a directory, a ZIP archive, or a file. Of a directory or archive it
// returns the files with paths that match one of the patterns.
func Open(file string, patterns ...string) (_ []File, closeAll func() error, err error) {
	none := func() error { return nil }
	info, err := stat(file)
	if err != nil {
		return nil, none, err
	}
	matches := func(name string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, name); return ok })
	}
	var (
		out   []File
		disks []string
	)
	switch {
	case info.IsDir():
		for _, p := range patterns {
			found, err := filepath.Glob(filepath.Join(literal(file), filepath.FromSlash(p)))
			if err != nil {
				return nil, none, kb.Errorf(kb.Invalid, "%s cannot be read: %w", file, err)
			}
			disks = append(disks, found...)
		}
	case isArchive(file):
		all, done, err := unzipped(file)
		if err != nil {
			return nil, none, err
		}
		slices.SortStableFunc(all, byName)
		for _, f := range all {
			if matches(f.name) {
				out = append(out, f)
			}
		}
		none = done
	default:
		disks = append(disks, file)
	}
	slices.Sort(disks)
	for _, f := range disks {
		out = append(out, File{f, onDisk(f)})
	}
	if len(out) == 0 {
		return nil, none, errors.Join(kb.Errorf(kb.NotFound, "%s holds no %s", file, strings.Join(patterns, " or ")), none())
	}
	return out, none, nil
}

func stat(file string) (fs.FileInfo, error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, kb.Errorf(kb.NotFound, "there is no file %s", file)
	case err != nil:
		return nil, kb.Errorf(kb.Invalid, "%s cannot be read: %w", file, err)
	}
	return info, nil
}

// unzipped lists the files of a ZIP archive, which stays open until close is called.
func unzipped(file string) (files []File, closeIt func() error, err error) {
	f, err := fsys.OpenRegular(file)
	var info fs.FileInfo
	if err == nil {
		info, err = f.Stat()
	}
	if err != nil {
		return nil, nil, kb.Errorf(kb.Invalid, "cannot read %s as a ZIP archive: %w", file, err)
	}
	if files, err = entries(file, f, info.Size()); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return files, f.Close, nil
}

func byName(x, y File) int { return strings.Compare(x.name, y.name) }

// Read calls do with each element of the files of an export.
func Read[T any](ctx context.Context, file string, do func(context.Context, T) error, patterns ...string) (err error) {
	all, done, err := Open(file, patterns...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	return Each(ctx, all, do)
}

// Each calls do with each element of the files, in order.
func Each[T any](ctx context.Context, all []File, do func(context.Context, T) error) error {
	for _, s := range all {
		if err := each(ctx, s, do); err != nil {
			return err
		}
	}
	return nil
}

// literal escapes the characters of a directory name that are special in a pattern.
func literal(dir string) string {
	if os.PathSeparator == '\\' {
		return dir // there is no escape character
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

// isArchive reports whether a file starts like a ZIP archive.
func isArchive(file string) bool {
	head := string(File{file, onDisk(file)}.head())
	return strings.HasPrefix(head, "PK\x03\x04") || strings.HasPrefix(head, "PK\x05\x06")
}

var (
	errTooLong = errors.New("it is too long")
	errUnpacks = errors.New("it unpacks to far more than an export does")
	errBlank   = errors.New("it is blank for far longer than an export is")
	errHalf    = errors.New("it ends in the middle of a value") // the last of several
)

// meter reads up to a limit, which is raised for each element.
type meter struct {
	from           io.ReadCloser
	read, end, max int64
	blank          int // number of consecutive white-space bytes at the end
}

// metered opens a file.
func (f File) metered() (*meter, error) {
	in, err := f.open()
	if err != nil {
		return nil, kb.Errorf(kb.Invalid, "%s cannot be read: %w", f.name, err)
	}
	return &meter{from: in, end: maxElement, max: f.most()}, nil
}

func (m *meter) Close() error { return m.from.Close() }

func (m *meter) Read(p []byte) (int, error) {
	switch {
	case m.read > m.end:
		return 0, errTooLong
	case m.max > 0 && m.read > m.max:
		return 0, errUnpacks
	case m.blank > maxBlank:
		return 0, errBlank
	}
	n, err := m.from.Read(p)
	m.read += int64(n)
	if said := len(bytes.TrimRight(p[:n], " \t\r\n")); said > 0 {
		m.blank = n - said
	} else {
		m.blank += n
	}
	return n, err
}

// each calls do for each element of a file in order: the elements of its list, or its
// sequence of values. Damaged input is kb.Invalid, with its position.
func each[T any](ctx context.Context, s File, do func(context.Context, T) error) (err error) {
	m, err := s.metered()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	in := bufio.NewReaderSize(m, 64<<10)
	base, list, err := begin(in)
	if err != nil {
		return s.damaged(base, err)
	}
	dec := json.NewDecoder(in)
	if list {
		_, _ = dec.Token() // the bracket that begin found
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := base + dec.InputOffset()
		m.end = at + maxElement
		if !dec.More() {
			break
		}
		element := new(T)
		v := sized{into: element}
		err := dec.Decode(&v)
		if err != nil && v.bytes == 0 {
			if !list && at > base && err == io.ErrUnexpectedEOF {
				err = errHalf
			}
			return s.damaged(m.read, err) // the error has the position, unless the input ended early
		}
		if err == nil {
			err = do(ctx, *element)
		}
		if err != nil {
			return s.damaged(base+dec.InputOffset()-int64(v.bytes), err)
		}
	}
	if list {
		if _, err := dec.Token(); err != nil {
			return s.damaged(m.read, unclosed(err))
		}
	}
	if _, err := dec.Token(); err != io.EOF {
		return s.damaged(base+dec.InputOffset(), cmp.Or(err, errors.New("there is more after its end")))
	}
	return nil
}

// sized counts the bytes of a value without copying them.
type sized struct {
	into  any
	bytes int
}

func (s *sized) UnmarshalJSON(b []byte) error {
	s.bytes = len(b)
	return json.Unmarshal(b, s.into)
}

// unclosed converts an error at the end of a list or an object.
func unclosed(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// begin skips white space and byte order marks before the first value, and reports whether
// that is a list.
func begin(in *bufio.Reader) (skipped int64, list bool, err error) {
	if head, _ := in.Peek(3); string(head) == "\xef\xbb\xbf" {
		_, _ = in.Discard(3)
		skipped = 3
	}
	for {
		c, err := in.ReadByte()
		if err == io.EOF {
			return skipped, false, nil
		} else if err != nil {
			return skipped, false, err
		}
		if !strings.ContainsRune(" \t\r\n", rune(c)) {
			return skipped, c == '[', in.UnreadByte()
		}
		skipped++
	}
}

// damaged reports the position of damage in a file: the offset, or the position in the
// error.
func (s File) damaged(at int64, err error) error {
	if e := (*kb.Error)(nil); errors.As(err, &e) && e.Code != kb.Invalid {
		return err
	}
	var (
		syntax *json.SyntaxError
		kind   *json.UnmarshalTypeError
		why    = err
	)
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at += kind.Offset
		why = fmt.Errorf("got a %s, want %s", kind.Value, expected(kind))
	case errors.Is(err, io.ErrUnexpectedEOF):
		why = errors.New("it ends in the middle of a value")
	}
	line, e := s.line(at)
	if e != nil {
		return kb.Errorf(kb.Invalid, "%s cannot be read: %w", s.name, e)
	}
	return kb.Errorf(kb.Invalid, "%s, line %d, byte %d: %w", s.name, line, at, why).
		WithHint("Nothing was written. Export it again, or mend the file there.")
}

// expected names the type that a field expects, in JSON terms.
func expected(e *json.UnmarshalTypeError) string {
	what := "an object"
	switch e.Type.Kind().String() {
	case "string":
		what = "text"
	case "slice":
		what = "a list"
	case "bool":
		what = "true or false"
	case "float64":
		what = "a number"
	}
	if e.Field != "" {
		what += " (" + e.Field + ")"
	}
	return what
}

// line returns the line number of an offset, from 1.
func (s File) line(at int64) (n int, err error) {
	f, err := s.open()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	buf, in := make([]byte, 64<<10), io.LimitReader(f, at)
	for n = 1; ; {
		k, err := in.Read(buf)
		n += bytes.Count(buf[:k], []byte("\n"))
		if err != nil {
			return n, nil // the line is known even if the rest cannot be read
		}
	}
}
