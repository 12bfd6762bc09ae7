package sidecar

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// MaxData is the maximum size of the data of a source, in bytes.
const MaxData = 1 << 20

// File is a sidecar with the spans of its parts.
type File struct {
	Text       []byte
	Sources    []Source   // in the order of the file
	Assertions []doc.Span // of the objects, in the order of the file

	top, sources, fetched object
}

// Source is the data of one program.
type Source struct {
	Name    string
	Data    doc.Span
	Fetched string // as written, "" for none
}

// object is a JSON object, with the span of its braces; zero if it does not exist.
type object struct {
	doc.Span
	keys   doc.Keys
	byName map[string]int
}

func (o object) find(name string) (doc.Key, bool) {
	i, ok := o.byName[name]
	if !ok {
		return doc.Key{}, false
	}
	return o.keys.All[i], true
}

// Parse parses a sidecar; kb.Invalid with the line if it is malformed.
func Parse(text []byte) (*File, error) {
	f := &File{Text: text}
	if err := valid(text); err != nil {
		return nil, broken(text, err.at, err.why)
	}
	var err error
	if f.top, err = f.object(doc.Span{Start: 0, End: len(text)}); err != nil {
		return nil, err
	}
	if f.sources, err = f.part("sources"); err != nil {
		return nil, err
	}
	if f.fetched, err = f.part("fetched"); err != nil {
		return nil, err
	}
	for _, m := range f.sources.keys.All {
		s := Source{Name: m.Name, Data: m.Value}
		if at, ok := f.fetched.find(m.Name); ok && json.Unmarshal(f.bytes(at.Value), &s.Fetched) != nil {
			s.Fetched = "" // an invalid time is ignored
		}
		f.Sources = append(f.Sources, s)
	}
	if m, ok := f.top.find("assertions"); ok {
		if f.Assertions, err = f.list(m.Value); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Source returns the source with a name.
func (f *File) Source(name string) (Source, bool) {
	for _, s := range f.Sources {
		if s.Name == name {
			return s, true
		}
	}
	return Source{}, false
}

// Data returns the data of a source.
func (f *File) Data(s Source) []byte { return f.bytes(s.Data) }

func (f *File) bytes(s doc.Span) []byte { return f.Text[s.Start:s.End] }

// part reads the object of a key, which may be missing.
func (f *File) part(key string) (object, error) {
	m, ok := f.top.find(key)
	if !ok {
		return object{}, nil
	}
	return f.object(m.Value)
}

// object reads the object at a span of valid JSON.
func (f *File) object(at doc.Span) (object, error) {
	dec := f.decoder(at)
	err := f.open(dec, at, '{')
	if err != nil {
		return object{}, err
	}
	o := object{Span: doc.Span{Start: at.Start + int(dec.InputOffset()) - 1}, keys: doc.Keys{Text: f.Text}, byName: map[string]int{}}
	for dec.More() {
		start := at.Start + int(dec.InputOffset())
		for f.Text[start] != '"' { // a comma and blanks
			start++
		}
		token, err := dec.Token()
		if err != nil {
			return o, f.misread(at, err)
		}
		name, _ := token.(string)
		end := at.Start + int(dec.InputOffset())
		value, err := f.value(dec, at)
		if err != nil {
			return o, err
		}
		if _, twice := o.find(name); twice {
			return o, broken(f.Text, start, "duplicate key")
		}
		o.byName[name] = len(o.keys.All)
		o.keys.All = append(o.keys.All, doc.Key{Name: name, At: doc.Span{Start: start, End: end}, Value: value, Span: doc.Span{Start: start, End: value.End}})
	}
	o.End, err = f.end(dec, at)
	return o, err
}

// list reads an array of objects.
func (f *File) list(at doc.Span) ([]doc.Span, error) {
	dec := f.decoder(at)
	if err := f.open(dec, at, '['); err != nil {
		return nil, err
	}
	var out []doc.Span
	for dec.More() {
		value, err := f.value(dec, at)
		if err != nil {
			return nil, err
		}
		if f.Text[value.Start] != '{' {
			return nil, broken(f.Text, value.Start, "an assertion is an object")
		}
		out = append(out, value)
	}
	_, err := f.end(dec, at)
	return out, err
}

func (f *File) decoder(at doc.Span) *json.Decoder {
	return json.NewDecoder(bytes.NewReader(f.bytes(at)))
}

// open reads the opening bracket of a value.
func (f *File) open(dec *json.Decoder, at doc.Span, want json.Delim) error {
	token, err := dec.Token()
	switch {
	case err != nil:
		return f.misread(at, err)
	case token != want && want == '[':
		return broken(f.Text, at.Start, "the assertions are not a list")
	case token != want:
		return broken(f.Text, at.Start, "not an object")
	}
	return nil
}

// value reads one value of any kind.
func (f *File) value(dec *json.Decoder, at doc.Span) (doc.Span, error) {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return doc.Span{}, f.misread(at, err)
	}
	end := at.Start + int(dec.InputOffset())
	return doc.Span{Start: end - len(raw), End: end}, nil
}

// end reads the closing bracket, and returns its end.
func (f *File) end(dec *json.Decoder, at doc.Span) (int, error) {
	if _, err := dec.Token(); err != nil {
		return 0, f.misread(at, err)
	}
	return at.Start + int(dec.InputOffset()), nil
}

// misread returns an error of the decoder in valid JSON.
func (f *File) misread(at doc.Span, err error) error { return broken(f.Text, at.Start, err.Error()) }

// flaw is the position of malformed JSON.
type flaw struct {
	at  int
	why string
}

// valid searches for the first flaw; it returns nil for one JSON value in UTF-8.
func valid(text []byte) *flaw {
	var any json.RawMessage
	err := json.Unmarshal(text, &any)
	var s *json.SyntaxError
	switch {
	case errors.As(err, &s):
		return &flaw{max(int(s.Offset)-1, 0), s.Error()}
	case err != nil:
		return &flaw{0, err.Error()}
	}
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return &flaw{at, "it is not UTF-8"}
		}
		at += size
	}
	return nil
}

func broken(text []byte, at int, why string) error {
	line := doc.NewLines(text).At(min(at, len(text)))
	return kb.Errorf(kb.Invalid, "the sidecar cannot be read: line %d: %s", line, why).
		WithHint("Nothing was changed. Mend it in an editor first.").With("line", line).With("why", why)
}

// Why returns the explanation in an error of Parse.
func Why(err error) string {
	why, _ := kb.AsError(err).Details["why"].(string)
	return why
}

// Line returns the line in an error of Parse.
func Line(err error) int {
	line, _ := kb.AsError(err).Details["line"].(int)
	return line
}
