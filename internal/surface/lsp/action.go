package lsp

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/unsaved"
)

type actionParams struct {
	TextDocument textDocument `json:"textDocument"`
	Range        span         `json:"range"`
	Context      struct {
		Diagnostics []diagnostic `json:"diagnostics"`
		Only        []string     `json:"only"`
	} `json:"context"`
}

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
	Edit        *workspaceEdit `json:"edit,omitempty"`
	Command     *command       `json:"command,omitempty"`
}

// The kinds of actions.
const (
	kindFix     = "quickfix"
	kindRewrite = "refactor.rewrite"
	kindSource  = "source" // of a whole document: editors show no sign for it on each line
)

// maxRelations is how many types of relations an action offers.
const maxRelations = 5

// codeActions offers what can be done at a place: create the page that a broken link names,
// resolve a contradiction, add a relation to the page that a link leads to, open the page in
// the web UI.
func codeActions(ctx context.Context, t *turn, p actionParams) (any, error) {
	at, err := t.at(ctx, positionParams{p.TextDocument, p.Range.Start})
	if err != nil || at == nil {
		return nil, err
	}
	out := []codeAction{}
	add := func(a codeAction) {
		wanted := len(p.Context.Only) == 0
		for _, only := range p.Context.Only {
			wanted = wanted || a.Kind == only || strings.HasPrefix(a.Kind, only+".")
		}
		if wanted {
			out = append(out, a)
		}
	}
	doing := func(title, name string, args ...any) *command { return &command{title, name, args} }
	for _, d := range p.Context.Diagnostics {
		if d.Source != "cairn" {
			continue
		}
		own := []diagnostic{d}
		switch {
		case d.Code == unsaved.FaultLink && d.Data.Name != "":
			title := "Create the page " + d.Data.Name
			add(codeAction{Title: title, Kind: kindFix, Diagnostics: own, Command: doing(title, commandCreate, p.TextDocument.URI, d.Data.Name)})
		case d.Code == unsaved.FaultContradiction && d.Data.ID != "":
			for _, side := range []string{"a", "b"} {
				title := "Resolve: keep the " + map[string]string{"a": "first", "b": "second"}[side] + " statement"
				add(codeAction{Title: title, Kind: kindFix, Diagnostics: own, Command: doing(title, commandResolve, d.Data.ID, side)})
			}
			title := "Dismiss the contradiction"
			add(codeAction{Title: title, Kind: kindFix, Diagnostics: own, Command: doing(title, commandDismiss, d.Data.ID)})
		}
	}
	l, ok, err := t.link(ctx, at)
	if err != nil {
		return nil, err
	}
	if ok && l.Page != nil && l.Type == kb.PlainLink {
		if err := t.relate(ctx, at, l, add); err != nil {
			return nil, err
		}
	}
	if t.server.opts.Web == nil {
		return out, nil
	}
	page, err := t.page(ctx, at)
	if err != nil {
		return nil, err
	}
	if page.Row != 0 {
		title := "Open in the web UI"
		add(codeAction{Title: title, Kind: kindSource, Command: doing(title, commandWeb, page.ID)})
	}
	return out, nil
}

// relate offers relations from the page of a text to one that it links to: of the types that the
// space uses most.
func (t *turn) relate(ctx context.Context, at *place, l unsaved.Link, add func(codeAction)) error {
	v, err := t.vocabulary(ctx, at.File)
	if err != nil {
		return err
	}
	types := []string{}
	for _, r := range v.Relations[:min(len(v.Relations), maxRelations)] {
		types = append(types, r.Value)
	}
	if len(types) == 0 {
		types = append(types, "relates_to")
	}
	for _, kind := range types {
		after, err := t.reader.Related(at.Text, l.Node, kind, l.Name)
		if err != nil {
			continue // the text cannot take the line
		}
		edit, err := t.edit(ctx, []unsaved.Changed{{Text: at.Text, After: after}})
		if err == nil && len(edit.Changes)+len(edit.DocumentChanges) > 0 {
			add(codeAction{Title: "Add the relation: " + kind + " " + l.Page.Title, Kind: kindRewrite, Edit: &edit})
		}
	}
	return nil
}
