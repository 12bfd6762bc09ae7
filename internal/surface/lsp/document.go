package lsp

import (
	"bytes"
	"context"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory/unsaved"
)

// document is a text that is open in the editor, in one version. It is immutable, but for what
// was read from it.
type document struct {
	uri     string
	file    string // absolute path; "" for a document without a file
	version int
	text    []byte
	units   encoding
	sent    *published // of all versions, from when it was opened

	mu   sync.Mutex
	read *unsaved.Text // nil before it was read, and outside of all spaces
	made *textMap
}

// changed returns the document after changes, each to the result of the one before.
func (d *document) changed(version int, changes []contentChange) *document {
	text := d.text
	var m *textMap
	for _, c := range changes {
		if c.Range == nil {
			text, m = []byte(c.Text), nil
			continue
		}
		if m == nil {
			m = linesOf(slices.Clone(text), d.units)
		}
		start := m.offset(c.Range.Start)
		m.replace(doc.Span{Start: start, End: max(start, m.offset(c.Range.End))}, c.Text)
		text = m.text
	}
	return &document{uri: d.uri, file: d.file, version: version, text: text, units: d.units, sent: d.sent}
}

// in returns the text as that of a page; nil outside of all spaces.
func (d *document) in(ctx context.Context, r unsaved.Reader) (*unsaved.Text, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.read != nil || d.file == "" {
		return d.read, nil
	}
	f, ok, err := r.Find(ctx, d.file)
	if err != nil || !ok {
		return nil, err
	}
	d.read = r.Parse(f, d.text)
	return d.read, nil
}

// fresh returns the document to be read again, since the spaces may have changed.
func (d *document) fresh() *document { return d.changed(d.version, nil) }

// byteOrderMark may be at the start of the text of an editor. No text of a page has it.
const byteOrderMark = "\ufeff"

// mapOf returns the positions of a text. They are counted in the text of the editor where it
// has it open.
func (t *turn) mapOf(text *unsaved.Text) *textMap {
	for _, d := range t.docs {
		d.mu.Lock()
		own := d.read == text || d.read != nil && d.read.Document == text.Document
		m := d.made
		if own && m == nil {
			m = newTextMap(text.Document.Text, d.units)
			if bytes.HasPrefix(d.text, []byte(byteOrderMark)) && !bytes.HasPrefix(text.Document.Text, []byte(byteOrderMark)) {
				m.bom, _ = d.units.units([]byte(byteOrderMark))
			}
			d.made = m
		}
		d.mu.Unlock()
		if own {
			return m
		}
	}
	return newTextMap(text.Document.Text, t.server.units)
}

// fileOf returns the path of a file URI, "" for any other.
func fileOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[2] == ':' { // file:///C:/notes
		path = strings.TrimPrefix(path, "/")
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return ""
	}
	return filepath.Clean(path)
}

// uriOf returns the URI of a file.
func uriOf(file string) string {
	path := filepath.ToSlash(file)
	if runtime.GOOS == "windows" && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// uriOf returns the URI of a text, as the editor spells it where it has it open; "" for one
// without a file.
func (t *turn) uriOf(text *unsaved.Text) string {
	for _, d := range t.docs {
		if d.file != "" && d.file == text.Name {
			return d.uri
		}
	}
	if text.Name == "" {
		return ""
	}
	return uriOf(text.Name)
}
