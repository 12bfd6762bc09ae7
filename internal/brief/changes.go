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
	mostChanged = 1 << 20 // bytes of a compared document
	mostQuoted  = 160     // bytes of a quoted line
)

// lead matches the marks of headings, lists and quotations at the start of a line.
var lead = lazyregexp.New(`^(?:[#>*+-]+\s+)+`)

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// changes lists the pages that changed, each with the first line that it has now and did
// not have before.
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
			return nil // one of several pages of a document
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

// texts returns a page's text as it was and as it is; both "" where one is pruned or large.
func (l *look) texts(ctx context.Context, was kb.Version, p kb.Page) (before, after string, err error) {
	if was.Size > mostChanged || p.Size > mostChanged {
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

// changedLines describes how a text differs from what it was: by the first line that was
// added, or removed if none was, and how many more there are. It is "" without any.
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

// firstSentence is the first sentence of a line, cut where it is long, without credentials.
func firstSentence(line string) string {
	line = masked(sentence.First(line))
	if len(line) <= mostQuoted {
		return line
	}
	cut := mostQuoted
	for !utf8.RuneStart(line[cut]) {
		cut--
	}
	if blank := strings.LastIndexByte(line[:cut], ' '); blank > 0 {
		cut = blank
	}
	return line[:cut] + "…"
}
