package importer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/transfer/foreign"
)

// place assigns each page the page of an earlier import, or a path for a new page.
func (m *fromQuaid) place(ctx context.Context) error {
	var replaced []foreign.Page
	s := &m.rows.pages
	s.Kind = foreign.Pages.Name
	var rows []foreign.Page
	err := foreign.Pages.Each(ctx, m.from, func(row foreign.Page) error {
		rows = append(rows, row)
		return nil
	})
	for i := 0; i < len(rows) && err == nil; i++ {
		group := m.groupOf(rows[i])
		rows[i].Collection = group.collection
		p := &quaidPage{Page: rows[i], nth: i, home: m.homes[group]}
		if p.SupersededBy != 0 {
			replaced = append(replaced, p.Page)
		}
		m.report(s, i, func(t *Tally) {
			var why string
			t.Total++
			switch why, err = m.placeOne(ctx, p); {
			case err != nil:
				return
			case why != "":
				m.out.note(t, leftOut, "page "+m.key(p), why)
				return
			case p.there():
				t.There++
			default:
				t.Brought++
			}
			m.all, m.byRow[p.ID] = append(m.all, p), p
		})
	}
	for _, h := range m.homes {
		h.have = nil // not needed any more
	}
	m.replacements(replaced)
	return err
}

// placeOne assigns a place to a page, or returns the reason why that is impossible.
func (m *fromQuaid) placeOne(ctx context.Context, p *quaidPage) (why string, err error) {
	s := p.home.space
	at, same := safePath(m.hideIn(s, p.Slug))
	if at == "" {
		at = vault.FileName(cmp.Or(m.hideIn(s, p.Title), "page"), "")
	}
	same = same && at == p.Slug
	p.path = path.Join(m.req.Folder, at+".md")
	if s == nil {
		return "", nil
	}
	asked := p.path
	p.path = m.spelled(s.Name, p.path)
	same = same && p.path == asked
	err = m.Session.DB.View(ctx, func(tx store.Tx) error {
		it := p.home.have[m.key(p)]
		if it.page != "" {
			found, err := m.stayed(ctx, tx, p.home, it.page)
			if err != nil || found.ID != "" {
				p.before, p.path = &it, found.Path
				m.spelled(s.Name, p.path)
				return err
			}
		}
		taken := m.taken[s.Name]
		if taken == nil {
			taken = map[string]bool{}
			m.taken[s.Name] = taken
		}
		if !taken[kb.FoldPath(p.path)] {
			found, err := m.saysTheSame(ctx, tx, p)
			if err != nil || found != "" {
				it.page = found
				p.before, taken[kb.FoldPath(p.path)] = &it, true
				return err
			}
		}
		free, err := ref.FreePath(ctx, tx, s.Space, p.path, func(at string) bool { return taken[at] })
		same = same && free == p.path
		p.path = free
		taken[kb.FoldPath(free)] = true
		return err
	})
	if err != nil || p.there() {
		return "", err
	}
	if err := s.CheckPath(p.path); err != nil {
		return kb.AsError(err).Message, nil
	}
	if slug := strings.TrimSuffix(p.path, ".md"); !same {
		m.out.lose("the slug of "+m.key(p), "it is "+slug+" now")
	} else if slug == p.Slug {
		p.Slug = slug // they share one string
	}
	return "", nil
}

// spelled returns a path with its directories spelled as in earlier paths of this import, if
// some system would take them for the same.
func (m *fromQuaid) spelled(space, p string) string {
	dir, base := path.Split(p)
	if dir = path.Clean(dir); dir == "." {
		return p
	}
	key := space + "/" + kb.FoldPath(dir)
	if m.dirs[key] == "" {
		m.dirs[key] = m.spelled(space, dir)
	}
	return path.Join(m.dirs[key], base)
}

// stayed returns the page with an id, if it is still in a space.
func (m *fromQuaid) stayed(ctx context.Context, tx store.Tx, h *quaidHome, id kb.ID) (kb.Page, error) {
	found, err := tx.Pages().ByID(ctx, id)
	for _, f := range found {
		if f.SpaceID == h.space.ID {
			return f, err
		}
	}
	return kb.Page{}, err
}

// saysTheSame returns the existing page at the path if it agrees with the row: it may be of
// an attached directory, or of an interrupted import.
func (m *fromQuaid) saysTheSame(ctx context.Context, tx store.Tx, p *quaidPage) (same kb.ID, err error) {
	found, err := tx.Pages().ByPath(ctx, p.home.space.Row, p.path)
	if err != nil || len(found) == 0 {
		return "", err
	}
	text, err := tx.History().Bytes(ctx, found[0].Hash)
	if err != nil {
		return "", err
	}
	err = foreign.Texts.Read(ctx, m.from, []int64{p.ID}, func(x foreign.Text) error {
		if agrees(text, x) {
			same, p.path = found[0].ID, found[0].Path
		}
		return nil
	})
	return same, err
}

// texts makes the texts of new pages, and reads those of existing pages.
func (m *fromQuaid) texts(ctx context.Context, pages []*quaidPage) error {
	return m.Session.DB.View(ctx, func(tx store.Tx) (err error) {
		for _, p := range pages {
			for i, in := range slices.Backward(p.past) {
				if in.Active {
					p.bytes, p.past = in.Bytes, slices.Delete(p.past, i, i+1)
					break
				}
			}
			if p.there() {
				err = m.load(ctx, tx, p)
			}
			if err == nil {
				m.report(&m.rows.pages, p.nth, func(*Tally) { err = m.text(p) })
			}
			if err != nil {
				return err
			}
			p.Truth, p.Timeline, p.Frontmatter = "", "", nil // contained in the text
		}
		return nil
	})
}

// text makes the text of a new page, or checks whether an existing one changed in quaid.
func (m *fromQuaid) text(p *quaidPage) error {
	if p.there() {
		if p.bytes != nil && p.before.hash != sha256.Sum256(p.bytes) && !agrees(p.was, p.Text) {
			m.out.lose("page "+m.key(p), "it changed in quaid since it was imported: the page stays as it is")
		}
		return nil
	}
	p.codec = doc.ForPath(m.Session.Codecs, p.path)
	if s := p.home.space; s != nil {
		p.codec = p.codec.In(s.Syntax)
	}
	return m.render(p)
}

// load reads an existing page.
func (m *fromQuaid) load(ctx context.Context, tx store.Tx, p *quaidPage) (err error) {
	p.old, err = m.stayed(ctx, tx, p.home, p.before.page)
	if err == nil && p.old.ID == "" {
		err = kb.Errorf(kb.Conflict, "%s was removed meanwhile", p.path)
	}
	if err != nil {
		return err
	}
	p.codec = doc.ForPath(m.Session.Codecs, p.path).In(p.old.Syntax)
	if p.was, err = tx.History().Bytes(ctx, p.old.Hash); err != nil {
		return err
	}
	p.text = p.was
	if p.old.Side.IsZero() {
		return nil
	}
	side, err := tx.History().Bytes(ctx, p.old.Side)
	if err != nil {
		return err
	}
	f, err := sidecar.Parse(side)
	if err != nil {
		return kb.AsError(err).With("path", vault.SidecarPath(p.path))
	}
	for _, at := range f.Assertions {
		if a, err := f.Assertion(at); err == nil {
			p.side = append(p.side, a)
		}
	}
	p.raw = map[string]string{}
	for _, s := range f.Sources {
		p.raw[s.Name] = string(f.Data(s))
	}
	return nil
}

// safePath returns a slug as a path within a space, and whether the two are the same.
func safePath(slug string) (at string, same bool) {
	var parts []string
	for part := range strings.SplitSeq(strings.ReplaceAll(slug, `\`, "/"), "/") {
		if part = strings.TrimSpace(part); strings.Trim(part, ". ") == "" {
			continue
		}
		if strings.HasPrefix(part, ".") || strings.ContainsAny(part, "[]|#^") || vault.CheckPath(part+".md") != nil {
			part = vault.FileName(part, "")
		}
		parts = append(parts, part)
	}
	at = strings.Join(parts, "/")
	return at, at == slug
}

// render makes the text of a new page: its original bytes, if they agree with the database.
func (m *fromQuaid) render(p *quaidPage) error {
	if p.bytes != nil && agrees(p.bytes, p.Text) {
		p.text = p.bytes
	} else {
		if err := m.rebuild(p); err != nil {
			return err
		}
		if !m.ahead {
			m.rows.rebuilt++
		}
	}
	node := p.node()
	kind := "concept"
	if s := p.home.space; s != nil {
		kind, _ = s.Policy.NewPage(p.path)
	}
	if node.Type == "" && p.Type != "" && p.Type != "concept" && p.Type != kind {
		if err := p.apply(doc.SetProperty{Key: "type", Value: p.Type}); err != nil {
			return err
		}
	}
	if p.Quarantined != "" {
		m.out.lose("page "+m.key(p), "quaid did not show it, since its file was gone: it is stale")
		if node.Status == "" {
			return p.apply(doc.SetProperty{Key: "status", Value: string(kb.Stale)})
		}
	}
	return nil
}

// agrees reports whether the text of a file matches the row of its page: the
// same lines, below a front matter with the same keys.
func agrees(text []byte, p foreign.Text) bool {
	if bytes.IndexByte(text, 0) >= 0 {
		return false
	}
	have, want := plainLines(string(text)), slices.Concat(plainLines(p.Truth), plainLines(p.Timeline))
	if len(have) < len(want) || !slices.Equal(have[len(have)-len(want):], want) {
		return false
	}
	head := have[:len(have)-len(want)]
	var keys map[string]json.RawMessage
	if json.Unmarshal(p.Frontmatter, &keys) != nil {
		return len(p.Frontmatter) == 0
	}
	for key := range keys {
		if !slices.ContainsFunc(head, func(line string) bool {
			name, _, _ := strings.Cut(line, ":")
			return strings.Trim(name, `"' `) == key
		}) {
			return false
		}
	}
	return len(head) == 0 || len(keys) > 0
}

// plainLines returns the lines of a text without surrounding blanks, empty lines and rules.
func plainLines(text string) (out []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line != "---" {
			out = append(out, line)
		}
	}
	return out
}

// rebuild makes the text of a page from its row.
func (m *fromQuaid) rebuild(p *quaidPage) error {
	body := strings.TrimSpace(ingest.Undivided(p.Truth))
	if timeline := strings.TrimSpace(p.Timeline); timeline != "" {
		body += "\n\n---\n\n" + timeline
	}
	fresh := doc.NewPage{Title: cmp.Or(kb.InLine(p.Title), p.Slug), Type: kb.InLine(p.Type), Created: p.Created, Body: body}
	text, err := p.codec.New(fresh)
	if err != nil {
		return kb.AsError(err).With("page", m.key(p))
	}
	p.text = text
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(p.Frontmatter, &keys); err != nil && len(p.Frontmatter) > 0 {
		m.out.lose("front matter of "+m.key(p), "not a JSON object")
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if key == "title" || key == "type" {
			continue
		}
		if err := p.apply(property(key, keys[key])); err != nil {
			m.out.lose("front matter of "+m.key(p)+", "+key, kb.AsError(err).Message)
		}
	}
	return nil
}

// property returns the edit that sets a key to a JSON value.
func property(key string, raw json.RawMessage) doc.Edit {
	var (
		text string
		list []string
	)
	switch {
	case json.Unmarshal(raw, &text) == nil:
		return doc.SetProperty{Key: key, Value: text}
	case json.Unmarshal(raw, &list) == nil && list != nil:
		return doc.SetList{Key: key, Values: list}
	}
	return doc.SetProperty{Key: key, Value: string(raw), Written: true}
}
