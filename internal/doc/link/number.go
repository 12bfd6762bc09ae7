package link

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Edge identifies a link while its page is edited: a relation that ends stays the same edge.
type Edge struct {
	Page  kb.ID // page with the link
	Type  string
	To    string // id of the target page, else the target as written
	Since string
}

// The lower bits of a number identify the edge, the upper bits the page. A number has 53
// bits, which every JSON number can represent.
const (
	pageBits = 16
	edgeBits = 53 - pageBits
)

// Number returns the number of the nth link of a page with this edge, counted from 0. It
// depends only on the documents.
func (e Edge) Number(nth int) int64 {
	text := make([]byte, 0, 160)
	for _, part := range []string{string(e.Page), e.Type, e.To, e.Since, strconv.Itoa(nth)} {
		if strings.IndexFunc(part, isQuotedOtherwise) < 0 {
			text = append(append(append(text, '"'), part...), '"') // like AppendQuote, which is slow
		} else {
			text = strconv.AppendQuote(text, part)
		}
	}
	sum := sha256.Sum256(text)
	return pageMark(e.Page)<<edgeBits | int64(binary.BigEndian.Uint64(sum[:])>>(64-edgeBits))
}

func isQuotedOtherwise(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }

// MayHold reports whether a page may have the link with a number: one of many thousand pages
// may.
func MayHold(page kb.ID, number int64) bool { return pageMark(page) == number>>edgeBits }

func pageMark(page kb.ID) int64 {
	sum := sha256.Sum256([]byte(page))
	return int64(binary.BigEndian.Uint64(sum[:]) >> (64 - pageBits))
}

// AssertionNumber returns the number of an assertion in a sidecar. It depends
// on the sidecar alone, and stays the same when the assertion ends.
func AssertionNumber(page kb.ID, c kb.Claim, nth int) int64 {
	about := strconv.Quote(c.Subject) + strconv.Quote(c.Object)
	return Edge{Page: page, Type: c.Predicate, To: about, Since: c.Since}.Number(nth)
}
