package importer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// eachIn gives the elements of lists in the object that a file holds to functions, by the name
// of the list. Other fields are skipped, and one that is no list is one element.
func eachIn(ctx context.Context, f File, lists map[string]func(json.RawMessage) error) (err error) {
	m, err := f.metered()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	buffered := bufio.NewReaderSize(m, 64<<10)
	base, _, err := begin(buffered)
	if err != nil {
		return f.damaged(base, err)
	}
	dec := json.NewDecoder(buffered)
	fail := func(err error) error { return f.damaged(base+dec.InputOffset(), err) }
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		if err == nil {
			err = errors.New("it holds no object")
		}
		return fail(err)
	}
	element := func(do func(json.RawMessage) error) error {
		m.end = dec.InputOffset() + base + maxElement
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return fail(err)
		}
		if do == nil {
			return nil
		}
		if err := do(raw); err != nil {
			return fail(err)
		}
		return ctx.Err()
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return fail(err)
		}
		name, _ := key.(string)
		do := lists[name]
		if do == nil || !opens(dec, buffered) {
			if err := element(do); err != nil {
				return err
			}
			continue
		}
		if _, err := dec.Token(); err != nil {
			return fail(err)
		}
		for dec.More() {
			if err := element(do); err != nil {
				return err
			}
		}
		if _, err := dec.Token(); err != nil {
			return fail(unclosed(err))
		}
	}
	if _, err := dec.Token(); err != nil {
		return fail(unclosed(err))
	}
	return nil
}

// decoded is a function of elements for eachIn.
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
func opens(dec *json.Decoder, rest *bufio.Reader) bool {
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
	if c, ok := next(bufio.NewReader(dec.Buffered())); ok {
		return c == '['
	}
	for n := 1; ; n++ { // what the decoder has not read yet
		head, err := rest.Peek(n)
		if err != nil {
			return false
		}
		if c := head[n-1]; !strings.ContainsRune(" \t\r\n:", rune(c)) {
			return c == '['
		}
	}
}

// fieldsOf reports whether the object of a file begins with one of some fields, within its
// first 64 KB.
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

// elementsHave reports whether the list of a file has objects with each of some fields, within
// its first 64 KB.
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

// head is the first 64 KB of a file, or less.
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

// relinked is Markdown with its links to other notes as links to their pages.
func relinked(text string, to links) string {
	return relinkedBy(text, to, func(_ bool, address, _ string) (string, bool) { return "", false })
}

// relinkedBy is relinked for a program that has further ways to name notes and files: other
// returns the text of a link, or of an image, that it knows.
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

// outsideCode changes a text, but for its fenced code.
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
