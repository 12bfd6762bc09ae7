package note

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
)

// MaxContent is the maximum number of bytes read of a file.
const MaxContent = 1 << 20

// Content is a file of a space.
type Content struct {
	Path  string
	Bytes []byte
	Media string
	Size  int64
}

// ReadContent reads any file of the current space, which need not be a document. It
// does not read files outside of the space, hidden or ignored files, and files of
// the memory.
func ReadContent(ctx context.Context, sess *memory.Session, name string) (out Content, err error) {
	s, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return out, err
	}
	out.Path = strings.TrimPrefix(strings.TrimPrefix(name, "memory://"), "/")
	missing := kb.Errorf(kb.NotFound, "there is no file %q in %s", name, s.Name)
	if s.Files == nil || doc.ForPath(sess.Codecs, out.Path) == nil && path.Ext(out.Path) == "" {
		return findPage(ctx, sess, name)
	}
	if out.Path != path.Clean(out.Path) || !fs.ValidPath(out.Path) {
		return out, kb.Errorf(kb.Usage, "%q is not a path within %s", name, s.Name)
	}
	for _, part := range strings.Split(out.Path, "/") {
		if strings.HasPrefix(part, ".") {
			return out, missing
		}
	}
	rule, err := vault.NewMatcher(s.Files, false).Ignored(ctx, out.Path, false)
	if err != nil {
		return out, err
	}
	if rule != nil {
		return out, missing
	}
	info, err := s.Files.Lstat(out.Path)
	if fsys.Missing(err) || err == nil && !info.Mode().IsRegular() {
		return out, missing
	}
	if err != nil {
		return out, fsys.Explain(err, "read %s", out.Path)
	}
	if of, err := space.OfMemory(sess.Spaces.Place, filepath.Join(s.Root, filepath.FromSlash(out.Path))); err != nil {
		return out, err
	} else if of {
		return out, missing
	}
	if ofDatabase(s.Files, out.Path) {
		return out, missing
	}
	if out.Size = info.Size(); out.Size > MaxContent {
		return out, kb.Errorf(kb.Usage, "%s has %d bytes, and at most %d are read", out.Path, out.Size, MaxContent)
	}
	f, err := s.Files.Open(out.Path)
	if err != nil {
		return out, fsys.Explain(err, "read %s", out.Path)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out.Bytes, err = io.ReadAll(io.LimitReader(f, MaxContent+1))
	out.Media = mediaOf(out.Path, out.Bytes)
	return out, err
}

// besideDatabase lists the name suffixes of files and directories that belong to
// the memory.
var besideDatabase = []string{"", "-wal", "-shm", ".token", ".tokens", ".locks", ".address", ".host", ".login.html", ".tickets"}

// ofDatabase reports whether a file of a space is a memory, such as a backup, or
// belongs to one.
func ofDatabase(files fsys.FS, name string) bool {
	for ; name != "."; name = path.Dir(name) {
		for _, end := range besideDatabase {
			if base, is := strings.CutSuffix(name, end); is && isMemory(files, base) {
				return true
			}
		}
	}
	return false
}

// isMemory reports whether a file starts like an SQLite file with the application
// id of a memory.
func isMemory(files fsys.FS, name string) bool {
	info, err := files.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := files.Open(name)
	if err != nil {
		return false
	}
	head := make([]byte, 72)
	_, err = io.ReadFull(f, head)
	return errors.Join(err, f.Close()) == nil && bytes.HasPrefix(head, []byte("SQLite format 3\x00")) && string(head[68:]) == "cair"
}

// findPage reads a page by any ref.
func findPage(ctx context.Context, sess *memory.Session, name string) (Content, error) {
	n, err := Read(ctx, sess, name)
	if err != nil {
		return Content{}, err
	}
	return Content{Path: n.FilePath, Bytes: []byte(n.Raw), Media: mediaOf(n.FilePath, []byte(n.Raw)), Size: int64(len(n.Raw))}, nil
}

// media maps extensions to media types.
var media = map[string]string{
	".md": "text/markdown", ".canvas": "application/json", ".json": "application/json", ".html": "text/html", ".csv": "text/csv", ".org": "text/org",
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".pdf": "application/pdf", ".zip": "application/zip", ".mp3": "audio/mpeg", ".mp4": "video/mp4",
}

// mediaOf returns the media type of a file: the type for its name, if the bytes may
// be of that type.
func mediaOf(name string, text []byte) string {
	readable := utf8.Valid(text) && !bytes.ContainsRune(text, 0)
	kind, known := media[strings.ToLower(path.Ext(name))]
	textual := strings.HasPrefix(kind, "text/") || kind == "application/json"
	switch {
	case known && textual == readable:
		return kind
	case readable:
		return "text/plain"
	}
	return "application/octet-stream"
}
