package ingest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"

	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lint"
)

// filesDir is the subdirectory for full sources.
const filesDir = "files"

// maxName limits the length of a file name.
const maxName = 60

// Commit creates missing files, and commits them in a git space; waits is the
// reason why they are not committed yet. It is gitsync.Keep.
type Commit func(ctx context.Context, sess *memory.Session, w *write.Space, files []git.Change, operation, message string) (commit string, waits, err error)

// AddSource stores a source.
func AddSource(ctx context.Context, sess *memory.Session, req api.SourceRequest, commit Commit) (api.Source, error) {
	sess = sess.In(req.Space)
	w, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return api.Source{}, err
	}
	dir := w.Policy.Sources.Dir
	if dir == "" || w.Files == nil {
		return api.Source{}, kb.Errorf(kb.Usage, "the policy of %s names no directory for sources", w.Name).WithHint("That is dir in [sources].")
	}
	s, err := makeStub(sess, req)
	if err != nil {
		return api.Source{}, err
	}
	format, ext := doc.Markdown, ".md"
	if w.Policy.Format == string(doc.Org) {
		format, ext = doc.Org, ".org"
	}
	name := strings.TrimRight(s.day+"-"+cmp.Or(short(doc.Slug(s.title)), "source"), "-")
	out := api.Source{Space: w.Name, URL: req.URL, Title: s.title, Retrieved: s.day, DryRun: req.DryRun}
	for n := 1; ; n++ {
		base := name
		if n > 1 {
			base = fmt.Sprintf("%s-%d", name, n)
		}
		out.Path = path.Join(dir, base+ext)
		files := []git.Change{{Path: out.Path}}
		if req.Full {
			s.whole = path.Join(filesDir, base+extension(req.Name))
			files = append(files, git.Change{Path: path.Join(dir, s.whole), New: []byte(req.Text)})
			out.File = files[1].Path
		}
		files[0].New = s.text(format)
		out.Bytes = len(files[0].New)
		there, taken, err := findExisting(ctx, sess, w, files)
		switch {
		case err != nil:
			return out, err
		case taken:
			continue
		}
		kept, err := keep(ctx, sess, w, files, out, commit)
		if err != nil && ctx.Err() == nil {
			// Another source with this title may have been added in the meantime.
			if _, taken, _ := findExisting(ctx, sess, w, files); taken {
				continue
			}
		}
		out = kept
		out.Unchanged = there && err == nil && out.Commit == "" && len(out.Warnings) == 0
		return out, err
	}
}

// active are the URL schemes that Emacs or a browser executes when a link is
// followed.
var active = []string{"data", "elisp", "file+emacs", "file+sys", "javascript", "shell", "vbscript"}

// makeStub validates a request.
func makeStub(sess *memory.Session, req api.SourceRequest) (stub, error) {
	s := stub{url: req.URL, day: sess.Now().Format(time.DateOnly)}
	u, err := url.Parse(req.URL)
	if err != nil || u.Scheme == "" || strings.ContainsFunc(req.URL, func(r rune) bool { return r <= ' ' }) {
		return s, kb.Errorf(kb.Usage, "%q is not an address", req.URL).WithHint("Give the whole address, such as https://example.org/page.")
	}
	if slices.Contains(active, strings.ToLower(u.Scheme)) {
		return s, kb.Errorf(kb.Usage, "the address begins with %s:, which runs what follows it", u.Scheme).
			WithHint("Nothing was written. Give the address of the source, such as https://example.org/page.")
	}
	if _, has := u.User.Password(); has {
		return s, kb.Errorf(kb.Secret, "the address has a password in it").WithHint("Nothing was written. Leave it out.")
	}
	s.title = kb.WithoutInvisible(strings.Join(strings.Fields(req.Title), " "))
	if s.title == "" {
		s.title = cmp.Or(u.Host+strings.TrimRight(u.Path, "/"), u.Opaque, req.URL)
	}
	text, opaque := readable([]byte(req.Text))
	switch {
	case req.Full && len(req.Text) == 0:
		return s, kb.Errorf(kb.Usage, "there is no text to keep whole")
	case req.Full && len(req.Text) > write.MaxDocument:
		return s, kb.Errorf(kb.Invalid, "the source has %d bytes, and at most %d are kept", len(req.Text), write.MaxDocument).WithHint("Nothing was written.")
	case req.Full: // the stub only names the file
	case opaque:
		return s, kb.Errorf(kb.Invalid, "an excerpt is text").WithHint("Nothing was written. Other bytes are kept whole only.").WithReason(kb.SourceTooLarge)
	case len(text) > MaxExcerpt:
		return s, kb.Errorf(kb.Invalid, "the excerpt has %d bytes, and at most %d are kept of a source", len(text), MaxExcerpt).
			WithHint("Nothing was written. Give the part that matters.").WithReason(kb.SourceTooLarge)
	default:
		s.excerpt = text
	}
	return s, nil
}

// readable decodes text, and reports whether the bytes are binary.
func readable(b []byte) (text string, opaque bool) {
	decoded, encoding := doc.Decode(b)
	return string(decoded), encoding == doc.Opaque || strings.ContainsRune(string(decoded), 0)
}

// short cuts a name to a number of bytes, between words if possible.
func short(name string) string {
	if len(name) <= maxName {
		return name
	}
	name = name[:maxName]
	for !utf8.ValidString(name) {
		name = name[:len(name)-1]
	}
	if i := strings.LastIndexByte(name, '-'); i > maxName/2 {
		name = name[:i]
	}
	return name
}

// extension returns the extension of a file if it is a plain one.
func extension(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if len(ext) < 2 || len(ext) > 8 || doc.Slug(ext[1:]) != ext[1:] {
		return ".txt"
	}
	return ext
}

// findExisting reports whether all files exist, and whether one of them has
// different bytes. Files with equal bytes belong to this source: an earlier attempt
// may have ended before they were committed.
func findExisting(ctx context.Context, sess *memory.Session, w *write.Space, files []git.Change) (all, taken bool, err error) {
	all = true
	for _, f := range files {
		now, _, err := fsys.ReadFile(ctx, w.Files, f.Path, write.MaxDocument)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			all = false
		case ctx.Err() != nil:
			return false, false, ctx.Err()
		case err != nil || !bytes.Equal(now, f.New):
			taken = true
		}
	}
	return all, taken, nil
}

// keep checks whether the files may be created, and creates them.
func keep(ctx context.Context, sess *memory.Session, w *write.Space, files []git.Change, out api.Source, commit Commit) (api.Source, error) {
	for _, f := range files {
		if err := w.Check(policy.Request{Actor: sess.Actor, Operation: policy.OpCreate, Path: f.Path}); err != nil {
			return out, err
		}
		if err := noSecret(f, w.Policy); err != nil {
			return out, err
		}
	}
	if out.DryRun {
		return out, nil
	}
	id, waits, err := commit(ctx, sess, w, files, "source", out.URL)
	if err != nil {
		return out, err
	}
	out.Commit = id
	if waits != nil {
		out.Warnings = append(out.Warnings, "not committed yet: "+kb.AsError(waits).Error())
	}
	return out, nil
}

// noSecret rejects a file with a credential.
func noSecret(f git.Change, p *policy.Policy) error {
	for _, x := range lint.Source(f.Path, f.New, p) {
		if x.Rule == policy.LintSecret && x.Fatal() {
			return kb.Errorf(kb.Secret, "line %d of the source has %s", x.Line, x.Message).WithHint("Nothing was written. Leave it out.")
		}
	}
	return nil
}
