package importer

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/transfer/documents"
	"github.com/cairn-kb/cairn/internal/transfer/markup"
)

// Bounds of archives.
const (
	maxEntries = 2_000_000 // names in an archive
	maxInner   = 256 << 20 // bytes of the nested archives that are in memory
)

// tree holds the files of an export: those of a directory or an archive, or a single file.
type tree struct {
	at      string
	files   []File // by name
	skipped []Loss // such as symbolic links of a directory
	closers []func() error

	left  map[string]bool // documents that are left out
	spill *spill          // data that pages need from other parts of the export; nil before it is read
}

// openTree lists the files at a path. Archives with names that lead out of them, with links,
// or with duplicate names are kb.Invalid.
func openTree(ctx context.Context, at string) (_ *tree, err error) {
	t := &tree{at: at}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
		}
	}()
	info, err := stat(at)
	switch {
	case err != nil:
	case info.IsDir():
		err = t.directory(ctx)
	case isArchive(at) && !documents.Reads(at):
		var done func() error
		if t.files, done, err = unzipped(at); err == nil {
			t.closers = append(t.closers, done)
			err = t.inner()
		}
	case isTar(at):
		err = t.tar(ctx)
	default:
		t.files = []File{{filepath.Base(at), onDisk(at)}}
	}
	if err != nil {
		return t, err
	}
	slices.SortStableFunc(t.files, byName)
	for i := 1; i < len(t.files); i++ {
		if t.files[i].name == t.files[i-1].name {
			return t, kb.Errorf(kb.Invalid, "%s holds %q twice", at, t.files[i].name).WithHint("Nothing was written.")
		}
	}
	var hidden []string
	t.files = slices.DeleteFunc(t.files, func(f File) bool {
		at := hiddenPart(f.name)
		if at != "" && (len(hidden) == 0 || hidden[len(hidden)-1] != at) {
			hidden = append(hidden, at)
		}
		return at != "" || strings.HasPrefix(f.name, "__MACOSX/")
	})
	for _, at := range hidden {
		t.hide(at)
	}
	return t, nil
}

// hiddenPart returns the part of a path up to the first name that starts with a dot; "" for
// none.
func hiddenPart(name string) string {
	for i := range name {
		if name[i] == '.' && (i == 0 || name[i-1] == '/') {
			end := strings.IndexByte(name[i:], '/')
			if end < 0 {
				return name
			}
			return name[:i+end]
		}
	}
	return ""
}

// hide skips a file or directory with a name that starts with a dot. Those that operating systems
// add to directories are not reported.
func (t *tree) hide(at string) {
	switch base := path.Base(at); {
	case base == ".DS_Store", strings.HasPrefix(base, "._"), base == ".git":
	default:
		t.skipped = append(t.skipped, Loss{at, "its name begins with a dot"})
	}
}

func (t *tree) close() error {
	var errs []error
	for _, c := range t.closers {
		errs = append(errs, c())
	}
	t.closers = nil
	return errors.Join(errs...)
}

// mayHold checks the name and the kind of an archive's entry.
func mayHold(at, name string, mode fs.FileMode) error {
	switch {
	case !utf8.ValidString(name):
		return kb.Errorf(kb.Invalid, "%s holds a name that is not UTF-8: %q", at, name).WithHint("Nothing was written. Unpack it, and import the directory.")
	case !filepath.IsLocal(strings.TrimSuffix(name, "/")) || strings.ContainsRune(name, '\\') || strings.ContainsRune(name, 0):
		return kb.Errorf(kb.Invalid, "%s holds %q, a path outside it", at, name).WithHint("No export has such a name. Nothing was written.")
	case mode&(fs.ModeSymlink|fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0:
		return kb.Errorf(kb.Invalid, "%s holds %q, which is a link or a device", at, name).WithHint("No export has one. Nothing was written.")
	}
	return nil
}

// entries returns the files of a ZIP archive.
func entries(at string, from io.ReaderAt, size int64) (out []File, err error) {
	archive, err := zip.NewReader(from, size)
	if err != nil {
		return nil, kb.Errorf(kb.Invalid, "cannot read %s as a ZIP archive: %w", at, err)
	}
	if len(archive.File) > maxEntries {
		return nil, kb.Errorf(kb.Invalid, "%s holds %d files, more than any export", at, len(archive.File))
	}
	out = make([]File, 0, len(archive.File))
	all := make([]packed, len(archive.File))
	windows := !slices.ContainsFunc(archive.File, func(f *zip.File) bool { return strings.Contains(f.Name, "/") })
	for i, f := range archive.File {
		name := entryName(f)
		if windows && strings.Contains(name, `\`) && !strings.Contains(name, ":") {
			name = strings.ReplaceAll(name, `\`, "/")
		}
		if err := mayHold(at, name, f.Mode()); err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, "/") {
			continue
		}
		file := File{name, &all[i]}
		if all[i], err = packedIn(from, f); err != nil { // the file alone is unreadable; perhaps no page refers to it
			file.content = unreadable{err}
		}
		out = append(out, file)
		archive.File[i] = nil // free the large zip.File
	}
	return out, nil
}

// upper437 lists the characters of code page 437 from 0x80 on.
const upper437 = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0"

// entryName returns the name of an entry in UTF-8. A name that is not marked as UTF-8 has it
// in an extra field (Info-ZIP's 0x7075), or is in code page 437.
func entryName(f *zip.File) string {
	if utf8.ValidString(f.Name) {
		return f.Name
	}
	for extra := f.Extra; len(extra) >= 4; {
		size := int(binary.LittleEndian.Uint16(extra[2:]))
		if len(extra) < 4+size {
			break
		}
		field := extra[4 : 4+size]
		if binary.LittleEndian.Uint16(extra) == 0x7075 && size > 5 && binary.LittleEndian.Uint32(field[1:]) == crc32.ChecksumIEEE([]byte(f.Name)) {
			return string(field[5:])
		}
		extra = extra[4+size:]
	}
	if f.Flags&0x800 != 0 {
		return f.Name // the entry is marked as UTF-8
	}
	high := []rune(upper437)
	var out strings.Builder
	for i := range len(f.Name) {
		if c := f.Name[i]; c < 0x80 {
			out.WriteByte(c)
		} else {
			out.WriteRune(high[c-0x80])
		}
	}
	return out.String()
}

// inner replaces archives in an archive without other files, as Notion creates for
// large exports, by their contents.
func (t *tree) inner() error {
	if len(t.files) == 0 || slices.ContainsFunc(t.files, func(f File) bool { return !strings.HasSuffix(strings.ToLower(f.name), ".zip") }) {
		return nil
	}
	var all []File
	left := int64(maxInner)
	for _, f := range t.files {
		if p, ok := f.content.(*packed); ok && p.deflate && p.size > uint64(left) {
			return kb.Errorf(kb.Invalid, "the archives in %s have more than %d MiB", t.at, maxInner>>20).WithHint("Unpack it, and import its contents.")
		}
		from, size, err := f.within(&left)
		if err != nil {
			return kb.AsError(err).WithHint("Unpack %s, and import its contents.", t.at)
		}
		files, err := entries(f.name+" in "+t.at, from, size)
		if err != nil {
			return err
		}
		all = append(all, files...)
	}
	t.files = all
	return nil
}

// within gives random access to an archive inside an archive: in place, or in a copy in
// memory. The copies may take left bytes in all.
func (f File) within(left *int64) (io.ReaderAt, int64, error) {
	if p, ok := f.content.(*packed); ok && !p.deflate {
		return p.raw(), p.packed, nil
	}
	b, err := f.bytes(*left)
	if err != nil {
		return nil, 0, err
	}
	*left -= int64(len(b))
	return bytes.NewReader(b), int64(len(b)), nil
}

// directory lists the files of a directory. Links and other special files are skipped.
func (t *tree) directory(ctx context.Context) error {
	root, err := fsys.OpenDir(t.at)
	if err != nil {
		return fsys.Explain(err, "read %s", t.at)
	}
	t.closers = append(t.closers, root.Close)
	return t.walk(ctx, root, ".")
}

func (t *tree) walk(ctx context.Context, root *fsys.Dir, dir string) error {
	entries, err := root.ReadDir(dir)
	if err != nil {
		return fsys.Explain(err, "read %s", path.Join(t.at, dir))
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case strings.HasPrefix(e.Name(), "."):
			t.hide(name)
			continue
		case e.IsDir():
			if err := t.walk(ctx, root, name); err != nil {
				return err
			}
			continue
		case !e.Type().IsRegular():
			t.skipped = append(t.skipped, Loss{name, "it is a link or a special file"})
			continue
		}
		info, err := e.Info()
		if err != nil {
			return fsys.Explain(err, "read %s", path.Join(t.at, name))
		}
		t.files = append(t.files, File{name, &inDir{root, name, info.ModTime()}})
	}
	return nil
}

// inDir is a file in a directory.
type inDir struct {
	root *fsys.Dir
	name string
	time time.Time
}

func (f *inDir) open() (io.ReadCloser, error) { return f.root.Open(f.name) }
func (f *inDir) changed() time.Time           { return f.time }

// isTar reports whether a file starts like a TAR archive.
func isTar(file string) bool {
	head := File{file, onDisk(file)}.head()
	return len(head) >= 512 && string(head[257:262]) == "ustar"
}

// tar lists the files of a TAR archive, which are read in place.
func (t *tree) tar(ctx context.Context) error {
	f, err := fsys.OpenRegular(t.at)
	if err != nil {
		return kb.Errorf(kb.Invalid, "%s cannot be read: %w", t.at, err)
	}
	t.closers = append(t.closers, f.Close)
	archive := tar.NewReader(f)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := archive.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return kb.Errorf(kb.Invalid, "cannot read %s as a TAR archive: %w", t.at, err)
		}
		if err := mayHold(t.at, h.Name, h.FileInfo().Mode()); err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeReg:
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		default:
			return kb.Errorf(kb.Invalid, "%s holds %q, which is a link or a device", t.at, h.Name).WithHint("No export has one. Nothing was written.")
		}
		if len(t.files) >= maxEntries {
			return kb.Errorf(kb.Invalid, "%s holds more than %d files, more than any export", t.at, maxEntries)
		}
		at, err := f.Seek(0, io.SeekCurrent) // the reader does not buffer
		if err != nil {
			return err
		}
		t.files = append(t.files, File{path.Clean(h.Name), &inTar{f, at, h.Size, h.ModTime.Unix()}})
	}
}

// inTar is a file of a TAR archive.
type inTar struct {
	from     *os.File
	at, size int64
	time     int64
}

func (f *inTar) open() (io.ReadCloser, error) {
	return io.NopCloser(io.NewSectionReader(f.from, f.at, f.size)), nil
}

func (f *inTar) changed() time.Time { return time.Unix(f.time, 0) }

// bytes reads a file of at most that many bytes.
func (f File) bytes(most int64) (_ []byte, err error) {
	in, err := f.open()
	if err != nil {
		return nil, kb.Errorf(kb.Invalid, "%s cannot be read: %w", f.name, err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	limit := most
	if m := f.most(); m > 0 {
		limit = min(limit, m)
	}
	b, err := io.ReadAll(io.LimitReader(in, limit+1))
	switch {
	case err != nil:
		return nil, kb.Errorf(kb.Invalid, "%s cannot be read: %w", f.name, err)
	case int64(len(b)) > limit && limit < most:
		return nil, kb.Errorf(kb.Invalid, "%s: %w", f.name, errUnpacks)
	case int64(len(b)) > limit:
		return nil, kb.Errorf(kb.Invalid, "%s is larger than %d MiB", f.name, most>>20)
	}
	return b, nil
}

// text reads a text file in UTF-8, or in an encoding that it shows or declares.
func (f File) text() (string, error) {
	b, err := f.bytes(write.MaxDocument)
	if err != nil {
		return "", err
	}
	text := strings.TrimPrefix(string(b), "\ufeff")
	if !utf8.ValidString(text) {
		d, err := markup.Decode(b)
		if err != nil || d.Guessed != "" || d.Damaged > 0 {
			return "", kb.Errorf(kb.Invalid, "%s is not UTF-8 text", f.name)
		}
		text = d.Text
	}
	return strings.ReplaceAll(text, "\r\n", "\n"), nil
}

// named returns the files with a base name that matches a pattern, in any case.
func (t *tree) named(patterns ...string) (out []File) {
	for _, f := range t.files {
		base := strings.ToLower(path.Base(f.name))
		if slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, base); return ok }) {
			out = append(out, f)
		}
	}
	return out
}

// file finds a file by its name.
func (t *tree) file(name string) (File, bool) {
	i, there := slices.BinarySearchFunc(t.files, name, func(f File, name string) int { return strings.Compare(f.name, name) })
	if !there {
		return File{}, false
	}
	return t.files[i], true
}

// day returns the time of a file's last change, if its archive has it.
func (f File) day() time.Time {
	t := f.changed()
	if t.Year() < 1981 { // the archive has no times
		return time.Time{}
	}
	return t
}
