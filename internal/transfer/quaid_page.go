package transfer

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

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/ingest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/ref"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/sqlite/quaid"
	"github.com/cairn-kb/cairn/internal/vault"
)

// pages places each page, and renders those that are new.
func (m *fromQuaid) pages(ctx context.Context) error {
	t := m.out.tally("pages", len(m.from.Pages))
	bytesOf, past := map[int64][]byte{}, map[int64][]quaid.Import{}
	for i, in := range m.from.Imports {
		if in.Active {
			bytesOf[in.Page] = in.Bytes
		} else {
			past[in.Page] = append(past[in.Page], in)
		}
		m.from.Imports[i].Bytes = nil // the page has them
	}
	names := map[int64]string{}
	for _, c := range m.from.Collections {
		names[c.ID] = c.Name
	}
	rebuilt := 0
	for i, row := range m.from.Pages {
		p := &quaidPage{
			Page: row, key: strings.Join([]string{names[row.Collection], row.Namespace, row.Slug}, "::"),
			home: m.homes[quaidGroup{row.Collection, row.Namespace}], bytes: bytesOf[row.ID], past: past[row.ID],
		}
		why, err := m.place(ctx, p)
		if err != nil {
			return err
		}
		if why != "" {
			t.LeftOut++
			m.out.lose("page "+p.key, why)
			continue
		}
		m.all, m.byRow[row.ID] = append(m.all, p), p
		if p.there() {
			t.There++
			if p.bytes != nil && p.home.have[p.key].Hash != sha256.Sum256(p.bytes) && !agrees(p.was, row) {
				m.out.lose("page "+p.key, "it changed in quaid since it was imported: the page stays as it is")
			}
		} else {
			t.Brought++
			made, err := m.render(p)
			if err != nil {
				return err
			}
			if made {
				rebuilt++
			}
		}
		for _, x := range []*quaid.Page{&p.Page, &m.from.Pages[i]} {
			x.Truth, x.Timeline, x.Frontmatter = "", "", nil // its text says it
		}
	}
	if t.Brought > 0 {
		m.out.lose("created_at, updated_at and version", "pages begin in version 1, when they are imported; those that were rebuilt keep created_at")
	}
	if rebuilt > 0 {
		m.out.lose("the files of pages", "those of "+api.Plural(rebuilt, "page")+" are not there or say something else than the database, from which the pages were rebuilt")
	}
	return nil
}

// place finds the page that an earlier import brought, or a path for a new one. It says why
// there can be none.
func (m *fromQuaid) place(ctx context.Context, p *quaidPage) (why string, err error) {
	s := p.home.space
	at, same := safePath(p.Slug)
	if at == "" {
		at, same = vault.FileName(cmp.Or(p.Title, "page"), ""), false
	}
	p.path = path.Join(m.req.Folder, at+".md")
	p.codec = doc.ForPath(m.Codecs, p.path)
	if s == nil {
		p.id = kb.DerivedID("", p.key, "", 0)
		return "", nil
	}
	p.codec = p.codec.In(s.Syntax)
	err = m.DB.View(ctx, func(tx store.Tx) error {
		if it := p.home.have[p.key]; it.Page != "" {
			found, err := tx.Pages().ByID(ctx, it.Page)
			if err != nil {
				return err
			}
			for _, f := range found {
				if f.SpaceID == s.ID {
					return m.load(ctx, tx, p, f)
				}
			}
		}
		if m.taken[s.Name] == nil {
			m.taken[s.Name] = map[string]bool{}
		}
		there, err := m.saysTheSame(ctx, tx, p)
		if err != nil || there {
			return err
		}
		free, err := ref.FreePath(ctx, tx, s.Space, p.path, m.taken[s.Name])
		same = same && free == p.path
		p.path = free
		m.taken[s.Name][strings.ToLower(free)] = true
		return err
	})
	if err != nil || p.there() {
		return "", err
	}
	if err := s.CheckPath(p.path); err != nil {
		return kb.AsError(err).Message, nil
	}
	p.id = kb.DerivedID(s.ID, p.path, "", 0)
	if !same {
		m.out.lose("the slug of "+p.key, "it is "+strings.TrimSuffix(p.path, ".md")+" now")
	}
	return "", nil
}

// saysTheSame takes the page that is at the path, where it says what the row says: an
// attached directory may hold it, or an import that broke off.
func (m *fromQuaid) saysTheSame(ctx context.Context, tx store.Tx, p *quaidPage) (bool, error) {
	s := p.home.space
	found, err := tx.Pages().ByPath(ctx, s.Row, p.path)
	if err != nil || len(found) == 0 || m.taken[s.Name][strings.ToLower(p.path)] {
		return false, err
	}
	text, err := tx.History().Bytes(ctx, found[0].Hash)
	if err != nil || !agrees(text, p.Page) {
		return false, err
	}
	m.taken[s.Name][strings.ToLower(p.path)] = true
	return true, m.load(ctx, tx, p, found[0])
}

// load takes the page that is there.
func (m *fromQuaid) load(ctx context.Context, tx store.Tx, p *quaidPage, old kb.Page) (err error) {
	p.old, p.path, p.id = &old, old.Path, old.ID
	p.codec = doc.ForPath(m.Codecs, old.Path).In(old.Syntax)
	if p.was, err = tx.History().Bytes(ctx, old.Hash); err != nil {
		return err
	}
	p.text = p.was
	if old.Side.IsZero() {
		return nil
	}
	side, err := tx.History().Bytes(ctx, old.Side)
	if err != nil {
		return err
	}
	f, err := sidecar.Parse(side)
	if err != nil {
		return kb.AsError(err).With("path", vault.SidecarPath(old.Path))
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

// safePath is a slug as a path within a space, and whether it is that of the slug.
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

// render makes the text of a new page: the bytes that it came from, if they say what the
// database says, and reports whether it was made of the rows instead.
func (m *fromQuaid) render(p *quaidPage) (made bool, err error) {
	if p.bytes != nil && agrees(p.bytes, p.Page) {
		p.text = p.bytes
	} else if err := m.rebuild(p); err != nil {
		return true, err
	} else {
		made = true
	}
	node := p.node()
	kind := "concept"
	if s := p.home.space; s != nil {
		kind, _ = s.Policy.NewPage(p.path)
	}
	if node.Type == "" && p.Type != "" && p.Type != "concept" && p.Type != kind {
		if err := p.apply(doc.SetProperty{Key: "type", Value: p.Type}); err != nil {
			return made, err
		}
	}
	if p.Quarantined != "" {
		m.out.lose("page "+p.key, "quaid did not show it, since its file was gone: it is stale")
		if node.Status == "" {
			return made, p.apply(doc.SetProperty{Key: "status", Value: string(kb.Stale)})
		}
	}
	return made, nil
}

// agrees reports whether the text of a file says what the row of its page says: the same
// lines, below a front matter with the same keys.
func agrees(text []byte, p quaid.Page) bool {
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

// plainLines are the lines of a text without blanks around them, empty ones and rules.
func plainLines(text string) (out []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line != "---" {
			out = append(out, line)
		}
	}
	return out
}

// rebuild makes the text of a page of its row.
func (m *fromQuaid) rebuild(p *quaidPage) error {
	body := strings.TrimSpace(ingest.Undivided(p.Truth))
	if timeline := strings.TrimSpace(p.Timeline); timeline != "" {
		body += "\n\n---\n\n" + timeline
	}
	fresh := doc.NewPage{Title: cmp.Or(inLine(p.Title), p.Slug), Type: inLine(p.Type), Created: p.Created, Body: body}
	text, err := p.codec.New(fresh)
	if err != nil {
		return kb.AsError(err).With("page", p.key)
	}
	p.text = text
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(p.Frontmatter, &keys); err != nil && len(p.Frontmatter) > 0 {
		m.out.lose("front matter of "+p.key, "it is no JSON object")
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if key == "title" || key == "type" {
			continue
		}
		if err := p.apply(property(key, keys[key])); err != nil {
			m.out.lose("front matter of "+p.key+", "+key, kb.AsError(err).Message)
		}
	}
	return nil
}

// property is the edit that sets a key to a JSON value.
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
