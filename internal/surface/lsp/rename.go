package lsp

import (
	"bytes"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/unsaved"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

type renameParams struct {
	positionParams
	NewName string `json:"newName"`
}

type placeholder struct {
	Range       span   `json:"range"`
	Placeholder string `json:"placeholder"`
}

// workspaceEdit changes documents and files, in order.
type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes,omitempty"` // by URI, for clients without the other
	DocumentChanges []any                 `json:"documentChanges,omitempty"`
}

type documentEdit struct {
	TextDocument versionedDocument `json:"textDocument"`
	Edits        []textEdit        `json:"edits"`
}

// versionedDocument is a document in a version; nil is the one on disk.
type versionedDocument struct {
	URI     string `json:"uri"`
	Version *int   `json:"version"`
}

type renameFile struct {
	Kind   string `json:"kind"`
	OldURI string `json:"oldUri"`
	NewURI string `json:"newUri"`
}

// renamed is what a rename at a place is about.
type renamed struct {
	page    kb.Page
	heading string // "" for the page
	name    string // that is replaced
	at      doc.Span
}

// toRename returns what a place names that can be renamed; its page has no Row where nothing is.
func (t *turn) toRename(ctx context.Context, at *place) (n renamed, err error) {
	if l, ok := own(at); ok {
		page, err := t.page(ctx, at)
		return renamed{page, l.Heading, l.Heading, l.Span}, err
	}
	l, ok, err := t.link(ctx, at)
	if err != nil {
		return n, err
	}
	if ok {
		if l.Page == nil {
			return n, nil
		}
		n = renamed{page: *l.Page, name: strings.TrimSuffix(path.Base(l.Name), ".md"), at: l.Target.NameAt}
		if l.Target.Heading != "" && at.offset > l.Target.NameAt.End {
			n.heading, n.name, n.at = l.Target.Heading, l.Target.Heading, l.Target.Span
		} else if kb.NameKey(n.name) != kb.NameKey(fileName(*l.Page)) {
			n.name = l.Page.Title // or an alias of it
		}
		return n, nil
	}
	node := &at.Document.Nodes[at.NodeAt(at.offset)]
	if h := at.heading(); h != nil && h.Text != "" {
		page, err := t.page(ctx, at)
		line := at.Document.Slice(h.Line)
		start := max(0, strings.Index(line, h.Text)) + h.Line.Start
		n = renamed{page, h.Text, h.Text, doc.Span{Start: start, End: start + len(h.Text)}}
		if isTitle(at.Document, h) {
			n.heading = ""
		}
		return n, err
	}
	if title, ok := node.Property("title"); ok && title.Span.Start <= at.offset && at.offset <= title.Span.End {
		page, err := t.page(ctx, at)
		return renamed{page, "", page.Title, title.Span}, err
	}
	return n, nil
}

func fileName(p kb.Page) string { return strings.TrimSuffix(path.Base(p.Path), path.Ext(p.Path)) }

// prepareRename answers what a rename at a place would replace.
func prepareRename(ctx context.Context, t *turn, p positionParams) (any, error) {
	at, err := t.at(ctx, p)
	if err != nil || at == nil {
		return nil, err
	}
	n, err := t.toRename(ctx, at)
	if err != nil || n.page.Row == 0 {
		return nil, err
	}
	return placeholder{at.lines.inLine(n.at), n.name}, nil
}

// rename renames a page or a heading with all links to it. The editor makes the change, so that
// texts that are not saved get it, and its undo takes it back. For an editor that moves no files
// the server does it, in one write.
func rename(ctx context.Context, t *turn, p renameParams) (any, error) {
	spaces, err := t.reader.Session.Spaces.Directories(ctx)
	if err != nil {
		return nil, err
	}
	// Links to the page may have come into any file since it was read.
	if _, err := freshness.LookAt(ctx, t.reader.Session, spaces); err != nil {
		return nil, err
	}
	at, err := t.at(ctx, p.positionParams)
	if err != nil || at == nil {
		return nil, err
	}
	n, err := t.toRename(ctx, at)
	if err != nil {
		return nil, err
	}
	if n.page.Row == 0 {
		return nil, &failure{codeRequestFailed, "there is no page or heading to rename here; save a new page first"}
	}
	if n.heading != "" {
		changed, err := t.reader.RenameHeading(ctx, n.page, n.heading, p.NewName)
		if err != nil {
			return nil, err
		}
		return t.edit(ctx, changed)
	}
	renaming := unsaved.Renaming{Page: n.page, From: n.name, To: p.NewName}
	changed, err := t.reader.Rename(ctx, renaming)
	if err != nil {
		return nil, err
	}
	moves := slices.ContainsFunc(changed, func(c unsaved.Changed) bool { return c.To != "" })
	if t.server.client.movesFiles || !moves {
		return t.edit(ctx, changed)
	}
	for _, c := range changed {
		if !c.Saved {
			return nil, &failure{codeRequestFailed, "this editor moves no files, and cairn does not change a text that is not saved: save " + c.Path + " first"}
		}
	}
	if err := t.reader.RenameByServer(ctx, renaming); err != nil {
		return nil, err
	}
	poke(t.server.look)
	return nil, nil
}

// edit is a change of texts as the editor makes it. Files that are not open must be as they are
// indexed: the editor counts the positions in them.
func (t *turn) edit(ctx context.Context, changed []unsaved.Changed) (out workspaceEdit, err error) {
	for _, c := range changed {
		uri := t.uriOf(c.Text)
		if uri == "" {
			return out, kb.Errorf(kb.Refused, "%s is in the database: an editor does not change it", c.Path)
		}
		if t.versionOf(uri) == nil {
			if err := t.asIndexed(ctx, c.Text); err != nil {
				return out, err
			}
		}
		edits := edits(t.mapOf(c.Text), c.Document.Text, c.After)
		if len(edits) == 0 {
			continue
		}
		if !t.server.client.documentChanges {
			if out.Changes == nil {
				out.Changes = map[string][]textEdit{}
			}
			out.Changes[uri] = edits
			continue
		}
		out.DocumentChanges = append(out.DocumentChanges, documentEdit{versionedDocument{uri, t.versionOf(uri)}, edits})
	}
	for _, c := range changed {
		if c.To != "" {
			to := filepath.Join(c.Space.Root, filepath.FromSlash(c.To))
			out.DocumentChanges = append(out.DocumentChanges, renameFile{"rename", t.uriOf(c.Text), uriOf(to)})
		}
	}
	return out, nil
}

// asIndexed refuses a text that is no longer the one of its file.
func (t *turn) asIndexed(ctx context.Context, text *unsaved.Text) error {
	home, err := t.reader.Session.Spaces.OpenSpace(ctx, text.Space)
	if err != nil {
		return err
	}
	on, _, err := fsys.ReadFile(ctx, home.Files, text.Path, write.MaxDocument)
	if err == nil && bytes.Equal(on, text.Document.Source) || ctx.Err() != nil {
		return ctx.Err()
	}
	return kb.Errorf(kb.Conflict, "%s changed since it was indexed: try again", text.Path)
}

// versionOf returns the version of an open document, nil for one that is not open.
func (t *turn) versionOf(uri string) *int {
	if d := t.docs[uri]; d != nil {
		return &d.version
	}
	return nil
}

// edits are the changes of a text: of each line that differs, or of the lines from the first to
// the last one that does where some came or went.
func edits(lines *textMap, before, after []byte) (out []textEdit) {
	old, now := bytes.SplitAfter(before, []byte("\n")), bytes.SplitAfter(after, []byte("\n"))
	if len(old) != len(now) {
		return editOf(lines, doc.Span{Start: 0, End: len(before)}, before, after)
	}
	at := 0
	for i := range old {
		out = append(out, editOf(lines, doc.Span{Start: at, End: at + len(old[i])}, before, now[i])...)
		at += len(old[i])
	}
	return out
}

// editOf is the change of a span to a text, without the characters that stay at both ends.
func editOf(lines *textMap, at doc.Span, text, now []byte) []textEdit {
	old := text[at.Start:at.End]
	if bytes.Equal(old, now) {
		return nil
	}
	start := 0
	for start < min(len(old), len(now)) && old[start] == now[start] {
		start++
	}
	for start > 0 && (start < len(old) && !utf8.RuneStart(old[start]) || start < len(now) && !utf8.RuneStart(now[start])) {
		start--
	}
	end := 0
	for end < min(len(old), len(now))-start && old[len(old)-1-end] == now[len(now)-1-end] {
		end++
	}
	for end > 0 && !utf8.RuneStart(old[len(old)-end]) {
		end--
	}
	return []textEdit{{lines.span(doc.Span{Start: at.Start + start, End: at.End - end}), string(now[start : len(now)-end])}}
}
