package index

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// The codes of warnings whose line is one of the sidecar.
const (
	WarnSidecar       = "sidecar" // it cannot be read
	WarnSidecarSecret = "sidecar-credential"
)

const textHidden = "looks like a credential: it is hidden from the index"

// Hash returns the hash by which the sidecar is known, zero for none.
func (s Side) Hash() kb.Hash { return s.record().Hash }

// OfSidecar reports whether the line of a warning with this code is one of the
// sidecar.
func OfSidecar(code string) bool { return code == WarnSidecar || code == WarnSidecarSecret }

// StoredSide reads the sidecar of a document as it is stored; kb.NotFound when its
// bytes are gone.
func StoredSide(ctx context.Context, tx store.Tx, s kb.Sidecar) (side Side, err error) {
	if !s.Exists() {
		return side, nil
	}
	side.ModTime = s.ModTime
	side.Bytes, err = tx.History().Bytes(ctx, s.Hash)
	return side, err
}

// record describes the sidecar as it is stored.
func (s Side) record() kb.Sidecar {
	if s.Bytes == nil {
		return kb.Sidecar{}
	}
	return kb.Sidecar{Hash: Hash(s.Bytes), Size: int64(len(s.Bytes)), ModTime: s.ModTime}
}

// warnings says what is wrong with the sidecar, as the index may see it.
func (s Side) warnings(mask Mask) []doc.Warning {
	if s.Bytes == nil {
		return nil
	}
	var out []doc.Warning
	text := s.Bytes
	if mask != nil {
		text = mask(s.Bytes)
		for _, line := range hiddenLines(s.Bytes, text) {
			out = append(out, doc.Warning{Code: WarnSidecarSecret, Text: textHidden, Line: line})
		}
	}
	if _, err := sidecar.Parse(text); err != nil {
		out = append(out, doc.Warning{Code: WarnSidecar, Text: sidecar.Why(err), Line: sidecar.Line(err)})
	}
	return out
}

// BrokenSidecar is one that cannot be read.
type BrokenSidecar struct {
	Path string // of its document
	Line int    // of the sidecar
	Text string
}

// BrokenSidecars returns those of a space, by path.
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

// hiddenLines returns the lines of text of which masked has something hidden.
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
