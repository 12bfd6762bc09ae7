package importer

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// walk reads the JSON of a file value by value.
type walk struct {
	ctx  context.Context
	file File
	in   *meter
	rest *bufio.Reader // buffered input that dec has not read yet
	dec  *json.Decoder
	base int64 // number of bytes before the input of dec
}

// walked calls do for each object of a file: a single object, a sequence or a list. do reads
// the object with walk.object.
func walked(ctx context.Context, f File, do func(*walk) error) (err error) {
	m, err := f.metered()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	w := &walk{ctx: ctx, file: f, in: m, rest: bufio.NewReaderSize(m, 64<<10)}
	base, list, err := begin(w.rest)
	if err != nil {
		return f.damaged(base, err)
	}
	w.base, w.dec = base, json.NewDecoder(w.rest)
	w.dec.UseNumber() // a skipped number may be too large for a float
	next := func() error { return do(w) }
	if list {
		err = w.list(next)
	} else {
		for err = next(); err == nil && w.more(); {
			err = next()
		}
	}
	if err != nil {
		return err
	}
	if _, err := w.dec.Token(); err != io.EOF {
		return w.fail(cmp.Or(err, errors.New("there is more after its end")))
	}
	return nil
}

func (w *walk) at() int64 { return w.base + w.dec.InputOffset() }

func (w *walk) fail(err error) error { return w.file.damaged(w.at(), err) }

// more reports whether the list, the object or the file has another value.
func (w *walk) more() bool {
	w.in.end = w.at() + maxElement
	return w.dec.More()
}

// object reads an object, or null. do reads the value of each member.
func (w *walk) object(do func(key string) error) error {
	return w.values('{', "it holds no object", func() error {
		key, err := w.dec.Token()
		if err != nil {
			return w.fail(err)
		}
		name, _ := key.(string)
		return do(name)
	})
}

// list reads a list, or null. do reads each element.
func (w *walk) list(do func() error) error {
	return w.values('[', "it holds no list", do)
}

func (w *walk) values(open json.Delim, other string, do func() error) error {
	w.in.end = w.at() + maxElement
	switch t, err := w.dec.Token(); {
	case err != nil:
		return w.fail(unclosed(err))
	case t == nil:
		return nil
	case t != open:
		return w.fail(errors.New(other))
	}
	for w.more() {
		if err := do(); err != nil {
			return err
		}
		if err := w.ctx.Err(); err != nil {
			return err
		}
	}
	if _, err := w.dec.Token(); err != nil {
		return w.fail(unclosed(err))
	}
	return nil
}

// value reads a value and calls do with it.
func value[T any](w *walk, do func(T) error) error {
	v := new(T)
	return w.value(v, func() error { return do(*v) })
}

func (w *walk) value(into any, do func() error) error {
	w.in.end = w.at() + maxElement
	v := sized{into: into}
	err := w.dec.Decode(&v)
	if err == nil {
		err = do()
	}
	if err != nil {
		return w.file.damaged(w.at()-int64(v.bytes), err)
	}
	return nil
}

// maxDepth is the maximum nesting of a skipped value. encoding/json has the same limit.
const maxDepth = 10000

// skip skips a value of any size.
func (w *walk) skip() error {
	for depth := 0; ; {
		w.in.end = w.at() + maxElement
		t, err := w.dec.Token()
		if err != nil {
			return w.fail(unclosed(err))
		}
		switch t {
		case json.Delim('['), json.Delim('{'):
			if depth++; depth > maxDepth {
				return w.fail(errors.New("it is nested too deeply"))
			}
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth == 0 {
			return w.ctx.Err()
		}
	}
}

// eachIn calls the functions, by the name of a list, with the elements of the lists in the
// objects of a file. Other fields are skipped; a value that is not a list counts as one
// element.
func eachIn(ctx context.Context, f File, lists map[string]func(json.RawMessage) error) error {
	return walked(ctx, f, func(w *walk) error {
		return w.object(func(key string) error {
			do := lists[key]
			if do == nil {
				return w.skip()
			}
			element := func() error { return value(w, do) }
			if w.opens() {
				return w.list(element)
			}
			return element()
		})
	})
}

// decoded returns a function for eachIn that decodes each element for do.
func decoded[T any](do func(T) error) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		return do(v)
	}
}

// opens reports whether the next value is a list.
func (w *walk) opens() bool {
	next := func(r io.ByteReader) (byte, bool) {
		for {
			c, err := r.ReadByte()
			if err != nil {
				return 0, false
			}
			if !strings.ContainsRune(" \t\r\n:", rune(c)) {
				return c, true
			}
		}
	}
	if c, ok := next(bufio.NewReader(w.dec.Buffered())); ok {
		return c == '['
	}
	for n := 1; ; n++ { // input that the decoder has not read yet
		head, err := w.rest.Peek(n)
		if err != nil {
			return false
		}
		if c := head[n-1]; !strings.ContainsRune(" \t\r\n:", rune(c)) {
			return c == '['
		}
	}
}

// fieldsOf reports whether a file starts with an object and contains the name of one of the
// fields, within its first 64 KB.
func fieldsOf(f File, names ...string) bool {
	head := string(f.head())
	start := strings.TrimLeft(strings.TrimPrefix(head, "\xef\xbb\xbf"), " \t\r\n")
	for _, name := range names {
		if strings.HasPrefix(start, "{") && strings.Contains(head, `"`+name+`"`) {
			return true
		}
	}
	return false
}

// elementsHave reports whether a file starts with a list and contains the names of all given
// fields, within its first 64 KB.
func elementsHave(f File, names ...string) bool {
	head := string(f.head())
	if !strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(head, "\xef\xbb\xbf"), " \t\r\n"), "[") {
		return false
	}
	for _, name := range names {
		if !strings.Contains(head, `"`+name+`"`) {
			return false
		}
	}
	return true
}

// head returns the first 64 KB of a file, or less.
func (f File) head() []byte {
	in, err := f.open()
	if err != nil {
		return nil
	}
	defer in.Close() // it was only read
	b, _ := io.ReadAll(io.LimitReader(in, 64<<10))
	return b
}

var (
	markdownLink = lazyregexp.New(`(!?)\[((?:[^\[\]\\]|\\.)*)\]\(<?([^()<>\s]*(?:\([^()\s]*\)[^()<>\s]*)*)>?(?:\s+"[^"]*")?\)`)
	bracketLink  = lazyregexp.New(`\[\[([^\[\]|#^]+)((?:#[^\[\]|]*)?)(?:\|([^\[\]]*))?\]\]`)
)

// relinked turns the links of Markdown to other notes into links to their pages.
func relinked(text string, to links) string {
	return relinkedBy(text, to, func(_ bool, address, _ string) (string, bool) { return "", false })
}

// relinkedBy is relinked for a program with additional ways to refer to notes and files:
// other returns the text of a link or an image that it recognises.
func relinkedBy(text string, to links, other func(image bool, address, label string) (string, bool)) string {
	return outsideCode(text, func(text string) string {
		text = bracketLink().ReplaceAllStringFunc(text, func(l string) string {
			m := bracketLink().FindStringSubmatch(l)
			label := m[3]
			if label == "" {
				label = m[1]
			}
			if at := to(m[1]); at != "" {
				if label == at || label == m[1] && m[2] != "" {
					return "[[" + at + m[2] + "]]"
				}
				return "[[" + at + m[2] + "|" + label + "]]"
			}
			return l
		})
		return markdownLink().ReplaceAllStringFunc(text, func(l string) string {
			m := markdownLink().FindStringSubmatch(l)
			if out, ok := other(m[1] == "!", m[3], m[2]); ok {
				return out
			}
			if m[1] == "" {
				if linked := to.linked(m[3], m[2]); linked != "" {
					return linked
				}
			}
			return l
		})
	})
}

// outsideCode applies change to a text except its fenced code.
func outsideCode(text string, change func(string) string) string {
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") {
		return change(text)
	}
	var (
		out, part strings.Builder
		fence     doc.Fence
	)
	flush := func() {
		if part.Len() > 0 {
			out.WriteString(change(part.String()))
			part.Reset()
		}
	}
	for line := range strings.Lines(text) {
		if fence.Line(line) {
			flush()
			out.WriteString(line)
		} else {
			part.WriteString(line)
		}
	}
	flush()
	return out.String()
}
