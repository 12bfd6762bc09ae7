package render

import (
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/doc"
)

// maxWholes is how many bytes of text are kept. The outline and links of a text take several
// times as many.
const maxWholes = 16 << 20

// maxColoured is how many bytes of code are kept, as it is written and as it is shown.
const maxColoured = 8 << 20

// Wholes keeps the outlines of large documents, so that a part of one is rendered without
// reading all of it again, and code that was coloured. It is safe for concurrent use; the zero value is empty.
type Wholes struct {
	mu  sync.Mutex
	all []*whole // the last used first

	recent, before map[code]string // coloured code; before has that of a time before recent
	bytes          int             // of recent
}

// code is a block of code.
type code struct{ language, text string }

// colours returns a block as it was shown before.
func (w *Wholes) colours(of code) (string, bool) {
	if w == nil {
		return "", false
	}
	w.mu.Lock()
	shown, ok := w.recent[of]
	old, isOld := w.before[of]
	w.mu.Unlock()
	if !ok && isOld {
		w.keep(of, old)
		return old, true
	}
	return shown, ok
}

// keep keeps a block as it is shown. When the recent ones take half of the bytes, those from
// before that were not shown again are dropped.
func (w *Wholes) keep(of code, shown string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.recent == nil || w.bytes > maxColoured/2 {
		w.before, w.recent, w.bytes = w.recent, map[code]string{}, 0
	}
	if _, kept := w.recent[of]; !kept {
		of.text = strings.Clone(of.text) // of the document
		w.bytes += len(of.text) + len(shown)
		w.recent[of] = shown
	}
}

// whole is a document, and what its parts need of it.
type whole struct {
	key      [sha256.Size]byte
	text     []byte // with its credentials masked
	secrets  int
	mu       sync.Mutex
	doc      *doc.Document // nil until it is parsed
	newline  []int
	headings []Heading
	outline  *outline // of Markdown and Org; nil until it is found
}

// find returns the document with a key and moves it to the front; nil for none.
func (w *Wholes) find(key [sha256.Size]byte) *whole {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := slices.IndexFunc(w.all, func(x *whole) bool { return x.key == key })
	if at < 0 {
		return nil
	}
	found := w.all[at]
	w.all = slices.Insert(slices.Delete(w.all, at, at+1), 0, found)
	return found
}

// add keeps a document, and drops those that were not used for longest.
func (w *Wholes) add(x *whole) {
	w.mu.Lock()
	defer w.mu.Unlock()
	size := 0
	w.all = slices.DeleteFunc(slices.Insert(w.all, 0, x), func(x *whole) bool {
		size += len(x.text)
		return size > maxWholes
	})
}

// hasParts reports whether only a part of the document is shown.
func (s *Source) hasParts() bool { return s.Size > 0 && len(s.Text) > s.Size }

// read masks the credentials of the document, unless that was done before.
func (s *Source) read() *whole {
	if !s.hasParts() || s.Wholes == nil {
		text, n := s.hide(s.Text)
		return &whole{text: text, secrets: n}
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %d %d %v\n", path.Ext(s.Path), s.First, s.Size, s.Credentials)
	h.Write(s.Text)
	key := [sha256.Size]byte(h.Sum(nil))
	if w := s.Wholes.find(key); w != nil {
		return w
	}
	text, n := s.hide(s.Text)
	w := &whole{key: key, text: text, secrets: n}
	s.Wholes.add(w)
	return w
}

// parse parses the document, unless that was done before.
func (w *whole) parse(s *Source) *doc.Document {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.doc == nil {
		d := parse(s.Path, w.text)
		s.newlines(d.Text)
		s.ids = map[string]int{}
		for _, h := range headings(d) {
			w.headings = append(w.headings, Heading{h.Level, h.Text, s.newID(h.Text), s.lineAt(h.Section.Start)})
		}
		w.doc, w.newline = d, s.newline
	}
	s.newline = w.newline
	if s.hasParts() {
		s.whole = w
	}
	return w.doc
}
