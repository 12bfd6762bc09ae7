package index

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Codes of warnings with a line of the sidecar.
const (
	WarnSidecar       = "sidecar" // the sidecar is unreadable
	WarnSidecarSecret = "sidecar-credential"
	WarnAssertion     = "assertion" // one of its assertions is invalid
)

const textHidden = "looks like a credential: it is hidden from the index"

// Hash returns the hash of the sidecar, zero without one.
func (s Side) Hash() kb.Hash { return s.record().Hash }

// OfSidecar reports whether the line of a warning with this code refers to the
// sidecar.
func OfSidecar(code string) bool {
	return code == WarnSidecar || code == WarnSidecarSecret || code == WarnAssertion
}

// StoredSide reads the stored sidecar of a document; kb.NotFound when its bytes are
// pruned.
func StoredSide(ctx context.Context, tx store.Tx, s kb.Sidecar) (side Side, err error) {
	if !s.Exists() {
		return side, nil
	}
	side.ModTime = s.ModTime
	side.Bytes, err = tx.History().Bytes(ctx, s.Hash)
	return side, err
}

// record returns the sidecar's record for the store.
func (s Side) record() kb.Sidecar {
	if s.Bytes == nil {
		return kb.Sidecar{}
	}
	return kb.Sidecar{Hash: Hash(s.Bytes), Size: int64(len(s.Bytes)), ModTime: s.ModTime}
}

// read returns the assertions in the sidecar of a document, and its problems, both
// masked for the index.
func (s Side) read(d *doc.Document, mask Mask) (out []kb.Assertion, warnings []doc.Warning) {
	if s.Bytes == nil {
		return nil, nil
	}
	text := s.Bytes
	if mask != nil {
		text = mask(s.Bytes)
		for _, line := range hiddenLines(s.Bytes, text) {
			warnings = append(warnings, doc.Warning{Code: WarnSidecarSecret, Text: textHidden, Line: line})
		}
	}
	f, err := sidecar.Parse(text)
	if err != nil {
		return nil, append(warnings, doc.Warning{Code: WarnSidecar, Text: sidecar.Why(err), Line: sidecar.Line(err)})
	}
	lines, seen := doc.NewLines(text), map[kb.Claim]int{}
	for _, at := range f.Assertions {
		line := lines.At(at.Start)
		read, err := f.Assertion(at)
		if err != nil {
			warnings = append(warnings, doc.Warning{Code: WarnAssertion, Text: kb.AsError(err).Message, Line: line})
			continue
		}
		a := assertion(d, read)
		a.Nth, a.Line = seen[a.Claim()], line
		seen[a.Claim()]++
		out = append(out, a)
	}
	return out, warnings
}

// assertion converts an assertion of a document to its stored form.
func assertion(d *doc.Document, a sidecar.Assertion) kb.Assertion {
	out := kb.Assertion{
		Subject: a.Subject, SubjectKey: link.Named(a.Subject).Key, Predicate: a.Predicate, Object: a.Object, ObjectKey: link.Named(a.Object).Key,
		ValidFrom: a.ValidFrom, ValidUntil: a.ValidUntil, Supersedes: a.Supersedes, Confidence: 1, AssertedBy: a.AssertedBy,
		Source: a.Source, Evidence: a.Evidence, Lines: quoted(d, a.Evidence), Created: a.Created,
	}
	if a.Confidence != nil {
		out.Confidence = *a.Confidence
	}
	return out
}

// quoted returns the lines of the truths and timelines of a document that
// contain the given words, with any line breaks; zero when they do not.
func quoted(d *doc.Document, words string) [2]int {
	all := strings.Fields(words)
	if len(all) == 0 {
		return [2]int{}
	}
	for i, w := range all {
		all[i] = regexp.QuoteMeta(w)
	}
	pattern := regexp.MustCompile(strings.Join(all, `[\s>]+`))
	for i := range d.Nodes {
		for _, half := range []doc.Span{d.Nodes[i].Truth, d.Nodes[i].Timeline} {
			if at := pattern.FindIndex(d.Text[half.Start:half.End]); at != nil {
				lines := doc.NewLines(d.Text)
				return [2]int{lines.At(half.Start + at[0]), lines.At(half.Start + at[1] - 1)}
			}
		}
	}
	return [2]int{}
}

// BrokenSidecar is an unreadable sidecar.
type BrokenSidecar struct {
	Path string // of its document
	Line int    // of the sidecar
	Text string
}

// BrokenSidecars returns the unreadable sidecars of a space, by path.
func BrokenSidecars(ctx context.Context, tx store.Tx, space int64) ([]BrokenSidecar, error) {
	all, err := tx.Pages().Warnings(ctx, space)
	all = slices.DeleteFunc(all, func(w store.Warning) bool { return w.Code != WarnSidecar })
	if err != nil || len(all) == 0 {
		return nil, err
	}
	rows := make([]int64, len(all))
	for i, w := range all {
		rows[i] = w.Page
	}
	pages, err := tx.Pages().Get(ctx, rows)
	paths := map[int64]string{}
	for _, p := range pages {
		paths[p.Row] = p.Path
	}
	var out []BrokenSidecar
	for _, w := range all {
		out = append(out, BrokenSidecar{paths[w.Page], w.Line, w.Text})
	}
	slices.SortFunc(out, func(a, b BrokenSidecar) int { return strings.Compare(a.Path, b.Path) })
	return out, err
}

// hiddenLines returns the lines of text with hidden parts in masked.
func hiddenLines(text, masked []byte) []int {
	var out []int
	lines, last := doc.NewLines(text), 0
	for i := range masked {
		if masked[i] == text[i] {
			continue
		}
		if line := lines.At(i); line != last {
			last = line
			out = append(out, line)
		}
	}
	return out
}
