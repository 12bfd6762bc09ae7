package day

import (
	"cmp"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb/dates"
	"github.com/cairn-kb/cairn/internal/policy"
)

// ahead is the number of days that a page's date may be in the future: after
// travelling west, the local date can be a day earlier.
const ahead = 1

// decide returns the action for a page with a date on a given day; known is false
// for a page without a date.
func decide(r policy.Rotation, there, known bool, date, today dates.Date) api.RotationAction {
	switch {
	case !there:
		return api.RotationMade
	case !known:
		return api.RotationDated
	case date > today+ahead:
		return api.RotationCorrected
	case r.Every.First(date) < r.Every.First(today):
		return api.RotationTurned
	}
	return api.RotationNone
}

// dateOf reads the date of a document.
func dateOf(d *doc.Document, key string) (dates.Date, bool) {
	for _, p := range d.Nodes[0].Metadata {
		if strings.EqualFold(p.Key, key) && len(p.Values) == 1 {
			return dates.ParseDate(strings.Trim(p.Values[0], "[]<>"))
		}
	}
	return 0, false
}

// fresh returns the initial text of a rotated page, with the carried-over sections
// of from; from is nil for none.
func fresh(codec doc.Codec, path string, r policy.Rotation, date dates.Date, from *doc.Document) ([]byte, error) {
	d := codec.Parse(path, []byte(r.Text.Of(date)))
	edits := []doc.Edit{doc.SetProperty{Key: r.Key, Value: date.String()}}
	for _, heading := range r.Carry {
		text := section(from, heading)
		if text == "" {
			continue
		}
		edits = append(edits, carried(codec, d, cmp.Or(r.Into, heading), text))
	}
	return codec.Apply(d, "", edits...)
}

// carried adds a text to a section, which is made if it is missing.
func carried(codec doc.Codec, d *doc.Document, heading, text string) doc.Edit {
	if _, err := d.Nodes[0].Section(heading); err == nil {
		return doc.Append{Section: heading, Text: text}
	}
	return doc.Append{Text: codec.Format().Heading(heading) + "\n\n" + text}
}

// section returns the text under the headings of a name, "" for none.
func section(d *doc.Document, heading string) string {
	if d == nil {
		return ""
	}
	var parts []string
	for _, h := range d.Nodes[0].Headings {
		if strings.EqualFold(strings.TrimSpace(h.Text), heading) {
			parts = append(parts, strings.Trim(d.Slice(doc.Span{Start: h.Line.End, End: h.Section.End}), "\r\n"))
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}

// isHeld reports whether the whole content of a document is also in another
// document or in the initial text of its page. Such a document was never edited.
func isHeld(codec doc.Codec, r policy.Rotation, d, by *doc.Document) bool {
	if blank(d) || string(d.Text) == string(by.Text) {
		return true
	}
	date, known := dateOf(d, r.Key)
	if !known {
		return false
	}
	if of, ok := dateOf(by, r.Key); ok && of == date && within(d.Source, by.Source) {
		return true
	}
	from := d
	if r.Into != "" {
		from = nil // carried-over text cannot be distinguished from text written there
	}
	untouched, err := fresh(codec, d.Path, r, date, from)
	if err != nil || string(untouched) != string(d.Source) {
		return false
	}
	for _, heading := range r.Carry {
		if text := section(d, heading); text != "" && text != section(by, heading) {
			return false
		}
	}
	return true
}

func blank(d *doc.Document) bool { return len(strings.TrimSpace(string(d.Text))) == 0 }

// within reports whether a text has all lines of another, as often, in any order.
func within(lines, text []byte) bool {
	n := map[string]int{}
	for line := range strings.Lines(string(text)) {
		n[strings.TrimSpace(line)]++
	}
	for line := range strings.Lines(string(lines)) {
		line = strings.TrimSpace(line)
		if n[line]--; line != "" && n[line] < 0 {
			return false
		}
	}
	return true
}

// copied returns the text of a document for another page, with another id.
func copied(codec doc.Codec, d *doc.Document) ([]byte, error) {
	text := d.Source
	for i := range d.Nodes {
		id := d.Nodes[i].ID
		if id == "" {
			continue
		}
		node := id
		if i == 0 {
			node = ""
		}
		var err error
		if text, err = codec.Apply(codec.Parse(d.Path, text), node, doc.RemoveProperty{Key: "id"}); err != nil {
			return nil, err
		}
	}
	return text, nil
}
