package sidecar

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Edit is one change of a sidecar.
type Edit interface {
	apply(text []byte) ([]byte, error)
	// Adds reports whether the edit removes nothing.
	Adds() bool
}

// SetSource stores the data of a source verbatim.
type SetSource struct {
	Name    string
	Data    []byte // one JSON value
	Fetched time.Time
	// Overwrite replaces earlier data of the source, which is kb.Conflict
	// otherwise.
	Overwrite bool
}

// Apply performs edits in order. A page without a sidecar has no text; the
// edits create one.
func Apply(text []byte, edits ...Edit) ([]byte, error) {
	if text == nil {
		text = []byte("{\n}\n")
	}
	var err error
	for _, e := range edits {
		if text, err = e.apply(text); err != nil {
			return nil, err
		}
	}
	if len(text) > kb.MaxSidecar {
		return nil, kb.Errorf(kb.Invalid, "the sidecar would be %d bytes, more than the %d that one may have", len(text), kb.MaxSidecar).
			WithHint("Nothing was written.")
	}
	return text, nil
}

// maxName is the maximum length of the name of a source, in bytes.
const maxName = 200

// check returns an error for invalid names and data.
func (e SetSource) check() error {
	_, invisible := kb.Invisible(e.Name)
	switch {
	case strings.TrimSpace(e.Name) != e.Name || e.Name == "":
		return kb.Errorf(kb.Usage, "the source has no name, or blanks around it").WithHint("Name it as in crustdata.")
	case invisible || strings.ContainsFunc(e.Name, unicode.IsControl) || strings.ToValidUTF8(e.Name, "") != e.Name:
		return kb.Errorf(kb.Usage, "the name of the source has characters that cannot be seen").WithHint("Name it as in crustdata.")
	case len(e.Name) > maxName:
		return kb.Errorf(kb.Usage, "the name of the source is longer than %d bytes", maxName).WithHint("Name it as in crustdata.")
	case len(e.Data) > MaxData:
		return kb.Errorf(kb.Invalid, "the data is %d bytes, more than the %d that a source may give", len(e.Data), MaxData).
			WithHint("Nothing was written. Shorten the data.")
	}
	return checkData(e.Data)
}

func checkData(data []byte) error {
	flaw := valid(data)
	if flaw == nil {
		return nil
	}
	line := doc.NewLines(data).At(min(flaw.at, len(data)))
	return kb.Errorf(kb.Invalid, "the data is not JSON: line %d: %s", line, flaw.why).
		WithHint("Nothing was written. Give one JSON value.").With("line", line)
}

// Adds implements Edit.
func (e SetSource) Adds() bool { return !e.Overwrite }

func (e SetSource) apply(text []byte) ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	f, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if _, there := f.Source(e.Name); there && !e.Overwrite {
		return nil, kb.Errorf(kb.Conflict, "the page has data from %s already", e.Name).
			WithReason(kb.SourceStored).With("source", e.Name)
	}
	if f, err = f.set("sources", f.sources, e.Name, string(bytes.TrimSpace(e.Data))); err != nil {
		return nil, err
	}
	f, err = f.set("fetched", f.fetched, e.Name, quote(e.Fetched.UTC().Format(time.RFC3339)))
	if err != nil {
		return nil, err
	}
	return f.Text, nil
}

// set sets a member of a part of the file, and creates both if necessary.
func (f *File) set(part string, in object, name, value string) (*File, error) {
	member := quote(name) + ": " + value
	var splices []doc.Splice
	switch m, ok := in.find(name); {
	case ok:
		splices = in.keys.Set([]doc.Key{m}, value)
	case in.End == 0:
		splices = f.add(f.top, quote(part)+": {\n    "+member+"\n  }", "  ")
	default:
		splices = f.add(in, member, "    ")
	}
	text, err := doc.ApplySplices(f.Text, splices)
	if err != nil {
		return nil, err
	}
	return Parse(text)
}

// add adds a member at the end of an object, with the same indentation as the previous one.
func (f *File) add(o object, member, indent string) []doc.Splice {
	if n := len(o.keys.All); n > 0 {
		last := o.keys.All[n-1]
		return []doc.Splice{{Span: doc.Span{Start: last.Span.End, End: last.Span.End}, New: "," + f.blanks(o.Start, last.Span.Start) + member}}
	}
	inner := f.bytes(doc.Span{Start: o.Start + 1, End: o.End - 1})
	if i := bytes.IndexByte(inner, '\n'); i >= 0 { // the closing bracket is on a separate line
		at := o.Start + 1 + i + 1
		return []doc.Splice{{Span: doc.Span{Start: at, End: at}, New: indent + member + "\n"}}
	}
	return []doc.Splice{{Span: doc.Span{Start: o.Start + 1, End: o.End - 1}, New: member}}
}

// blanks returns the blanks between a bracket and a position.
func (f *File) blanks(bracket, at int) string {
	start := at
	for start > bracket+1 && strings.IndexByte(" \t\r\n", f.Text[start-1]) >= 0 {
		start--
	}
	return string(f.Text[start:at])
}

func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // strings always encode
	return strings.TrimRight(b.String(), "\n")
}
