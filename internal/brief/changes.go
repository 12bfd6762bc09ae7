package brief

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/sentence"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
	"github.com/cairn-kb/cairn/internal/store"
)

const (
	maxChanged = 1 << 20 // bytes of a compared document
	maxQuoted  = 160     // bytes of a quoted line
)

// lead matches the marks of headings, lists and quotations at the start of a line.
var lead = lazyregexp.New(`^(?:[#>*+-]+\s+)+`)

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// changes lists the changed pages, each with its first line that is new.
func (l *look) changes(ctx context.Context, s *api.BriefingSection) error {
	spaces, err := l.tx.Spaces().All(ctx)
	if err != nil {
		return err
	}
	rows := make(map[kb.ID]int64, len(spaces))
	for _, sp := range spaces {
		rows[sp.ID] = sp.Row
	}
	return l.changed(ctx, s, store.Filter{UpdatedSince: l.since}, func(p kb.Page, it *api.BriefingItem) error {
		if p.Node != "" {
			return nil // one of several pages in a document
		}
		was, err := l.tx.History().AsOf(ctx, rows[p.SpaceID], p.ID, l.since.Add(-time.Microsecond))
		switch {
		case kb.CodeOf(err) == kb.NotFound, err == nil && was.Change == kb.Deleted:
			it.Text = strings.TrimSuffix("new: "+it.Text, ": ")
			return nil
		case err != nil:
			return err
		}
		before, after, err := l.texts(ctx, was, p)
		if text := changedLines(before, after); err == nil && text != "" {
			it.Text = text
		}
		return err
	})
}

// texts returns the old and the current text of a page; both are "" when one was
// pruned or is too large.
func (l *look) texts(ctx context.Context, was kb.Version, p kb.Page) (before, after string, err error) {
	if was.Size > maxChanged || p.Size > maxChanged {
		return "", "", nil
	}
	var out [2]string
	for i, hash := range []kb.Hash{was.Hash, p.Hash} {
		text, err := l.tx.History().Bytes(ctx, hash)
		if kb.CodeOf(err) == kb.NotFound {
			return "", "", nil
		}
		if err != nil {
			return "", "", err
		}
		out[i] = string(text)
	}
	return out[0], out[1], nil
}

// changedLines describes the difference of two texts by the first added line, or
// the first removed one if none was added, and the number of others. It is "" for
// equal texts.
func changedLines(before, after string) string {
	for _, d := range []struct{ name, from, to string }{{"added", before, after}, {"removed", after, before}} {
		first, n := "", 0
		had := map[string]int{}
		for line := range strings.Lines(d.from) {
			had[strings.TrimSpace(line)]++
		}
		for line := range strings.Lines(d.to) {
			line = strings.TrimSpace(line)
			if had[line] > 0 {
				had[line]--
				continue
			}
			if says := lead().ReplaceAllString(line, ""); strings.ContainsFunc(says, isWord) {
				if n++; n == 1 {
					first = says
				}
			}
		}
		switch {
		case n == 1:
			return d.name + ": " + firstSentence(first)
		case n > 1:
			return fmt.Sprintf("%s: %s (and %s)", d.name, firstSentence(first), api.Plural(n-1, "more line"))
		}
	}
	return ""
}

// firstSentence returns the first sentence of a line, shortened if long, with
// credentials masked.
func firstSentence(line string) string {
	line = masked(sentence.First(line))
	if len(line) <= maxQuoted {
		return line
	}
	cut := maxQuoted
	for !utf8.RuneStart(line[cut]) {
		cut--
	}
	if blank := strings.LastIndexByte(line[:cut], ' '); blank > 0 {
		cut = blank
	}
	return line[:cut] + "…"
}
