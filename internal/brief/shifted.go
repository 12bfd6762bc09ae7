package brief

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Limits of the changes examined for shifts: a directory that was added today has
// as many changes as files, all of them new.
const (
	maxVersions = 500
	maxCompared = 50
)

// watched lists the metadata keys with reported changes.
var watched = []string{"status", "due"}

// shifted lists facts that no longer hold: ended relations, and changed states and
// dates of tasks.
func (l *look) shifted(ctx context.Context, s *api.BriefingSection) error {
	spaces, err := l.tx.Spaces().All(ctx)
	if err != nil {
		return err
	}
	byRow := make(map[int64]kb.Space, len(spaces))
	for _, sp := range spaces {
		byRow[sp.Row] = sp
	}
	f := store.VersionFilter{Spaces: l.spaces, Since: l.since}
	versions, total, err := l.tx.History().Versions(ctx, f, maxVersions, 0)
	if err != nil {
		return err
	}
	s.AtLeast = total > len(versions)
	type key struct {
		space int64
		page  kb.ID
	}
	seen, compared := map[key]bool{}, 0
	for _, v := range versions {
		k := key{v.Space, v.Page}
		if seen[k] || v.Version == 1 || v.Change == kb.Deleted {
			seen[k] = true
			continue
		}
		seen[k] = true
		if compared == maxCompared {
			s.AtLeast = true
			break
		}
		items, err := l.compare(ctx, byRow[v.Space], v)
		if err != nil {
			return err
		}
		compared++
		s.Items = append(s.Items, items...)
	}
	s.Total = len(s.Items)
	return nil
}

// compare reports how a page changed since the briefing's time.
func (l *look) compare(ctx context.Context, in kb.Space, now kb.Version) (out []api.BriefingItem, err error) {
	was, err := l.tx.History().AsOf(ctx, now.Space, now.Page, l.since.Add(-time.Microsecond))
	if kb.CodeOf(err) == kb.NotFound || err == nil && (was.Hash == now.Hash || was.Change == kb.Deleted) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	before, err := l.read(ctx, in, was)
	if err != nil || before == nil {
		return nil, err
	}
	after, err := l.read(ctx, in, now)
	if err != nil || after == nil {
		return nil, err
	}
	pages, err := l.tx.Pages().ByPath(ctx, in.Row, now.Path)
	if err != nil || len(pages) == 0 {
		return nil, err
	}
	for _, text := range shifts(before, after) {
		it := item(pages[0])
		it.Text, it.Date = text, now.Time.In(l.now.Location()).Format(time.DateOnly)
		out = append(out, it)
	}
	return out, nil
}

// read parses a version, nil for a pruned one.
func (l *look) read(ctx context.Context, in kb.Space, v kb.Version) (*doc.Document, error) {
	text, err := l.tx.History().Bytes(ctx, v.Hash)
	if kb.CodeOf(err) == kb.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return doc.ForNote(l.Session.Codecs, in.Syntax, v.Path).Parse(v.Path, text), nil
}

// shifts describes the differences between two states of a document.
func shifts(before, after *doc.Document) (out []string) {
	type relation struct{ kind, target, from string }
	open := map[relation]int{}
	for r := range relations(before) {
		if r.Until == "" {
			open[relation{doc.FoldName(r.Type), kb.NameKey(r.Target.Name), r.From}]++
		}
	}
	for r := range relations(after) {
		k := relation{doc.FoldName(r.Type), kb.NameKey(r.Target.Name), r.From}
		if r.Until != "" && open[k] > 0 {
			open[k]--
			out = append(out, fmt.Sprintf("%s %s ended %s", r.Type, r.Target.Name, r.Until))
		}
	}
	for _, key := range watched {
		was, is := value(before, key), value(after, key)
		if was != "" && was != is {
			out = append(out, fmt.Sprintf("%s: %s, was %s", key, orNone(is), was))
		}
	}
	return out
}

// relations returns the relations of all pages of a document.
func relations(d *doc.Document) func(func(doc.Relation) bool) {
	return func(yield func(doc.Relation) bool) {
		for _, n := range d.Nodes {
			for _, r := range n.Relations {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// value formats the value of a document's metadata key.
func value(d *doc.Document, key string) string {
	for _, p := range d.Nodes[0].Metadata {
		if doc.PropertyKey(p.Key) == key {
			return strings.Join(p.Values, ", ")
		}
	}
	return ""
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
