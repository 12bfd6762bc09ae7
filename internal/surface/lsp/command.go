package lsp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
)

// The commands, which people choose.
const (
	commandCreate    = "cairn.createPage"
	commandResolve   = "cairn.resolve"
	commandDismiss   = "cairn.dismiss"
	commandBacklinks = "cairn.backlinks"
	commandWeb       = "cairn.openWeb"
)

var commands = []string{commandCreate, commandResolve, commandDismiss, commandBacklinks, commandWeb}

type executeParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// strings reads the arguments, which are texts.
func (p executeParams) strings(n int) ([]string, error) {
	out := make([]string, n)
	if len(p.Arguments) < n {
		return nil, &failure{codeInvalidParams, p.Command + " lacks an argument"}
	}
	for i := range out {
		if err := decode(p.Arguments[i], &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// execute does what a person chose.
func execute(ctx context.Context, t *turn, p executeParams) (any, error) {
	switch p.Command {
	case commandCreate:
		args, err := p.strings(2)
		if err != nil {
			return nil, err
		}
		return t.create(ctx, args[0], args[1])
	case commandResolve:
		args, err := p.strings(2)
		if err != nil {
			return nil, err
		}
		return t.resolve(ctx, args[0], args[1])
	case commandDismiss:
		args, err := p.strings(1)
		if err != nil {
			return nil, err
		}
		_, err = contradiction.Dismiss(ctx, t.reader.Session, args[0], "")
		poke(t.server.wake)
		return nil, err
	case commandBacklinks:
		args, err := p.strings(1)
		if err != nil {
			return nil, err
		}
		in := referenceParams{positionParams: positionParams{TextDocument: textDocument{args[0]}}}
		if len(p.Arguments) > 1 {
			if err := decode(p.Arguments[1], &in.Position); err != nil {
				return nil, err
			}
		}
		return references(ctx, t, in)
	case commandWeb:
		args, err := p.strings(1)
		if err != nil {
			return nil, err
		}
		id, ok := kb.ParseID(args[0])
		if !ok {
			return nil, &failure{codeInvalidParams, "the argument of " + p.Command + " is the id of a page"}
		}
		if t.server.opts.Web == nil {
			return nil, &failure{codeRequestFailed, "this server opens no web UI"}
		}
		return nil, t.server.opts.Web(ctx, id)
	}
	return nil, &failure{codeInvalidParams, "the server has no command " + p.Command}
}

// create makes the page that a link of a document names, and shows it.
func (t *turn) create(ctx context.Context, uri, name string) (any, error) {
	text, err := t.text(ctx, uri)
	if err != nil {
		return nil, err
	}
	if text == nil {
		return nil, kb.Errorf(kb.NotFound, "the document is in no space")
	}
	home := text.Space
	if prefix, page, ok := strings.Cut(name, ":"); ok && strings.Trim(page, "/ ") != "" {
		spaces, err := t.reader.Session.Spaces.All(ctx)
		if err != nil {
			return nil, err
		}
		if named, ok := link.Space(spaces, prefix); ok {
			home, name = named, strings.TrimSpace(page)
		}
	}
	req := change.PutRequest{Title: name}
	if strings.Contains(name, "/") {
		req = change.PutRequest{Ref: home.Name + ":" + name, Title: name[strings.LastIndexByte(name, '/')+1:]}
	}
	out, err := change.Put(ctx, t.reader.Session.In(home.Name), req)
	if err != nil {
		return nil, err
	}
	poke(t.server.look)
	if len(out.Pages) == 0 || home.Root == "" {
		return nil, nil
	}
	made := uriOf(filepath.Join(home.Root, filepath.FromSlash(out.Pages[0].Path)))
	t.server.show(made)
	return textDocument{made}, nil
}

// resolve ends the statements of the side of a contradiction that is not kept. A text that is
// open and not saved stays as it is: the write would come from behind.
func (t *turn) resolve(ctx context.Context, id, keep string) (any, error) {
	req := contradiction.ResolveRequest{WriteOptions: api.WriteOptions{DryRun: true}, ID: id, Keep: keep}
	plan, err := change.Resolve(ctx, t.reader.Session, req)
	if err != nil {
		return nil, err
	}
	for _, p := range plan.Pages {
		for _, open := range t.reader.Open {
			if open.Path != p.Path || open.Space.Name != p.Space {
				continue
			}
			saved, err := t.reader.Saved(ctx, open)
			if err != nil {
				return nil, err
			}
			if !saved {
				return nil, &failure{codeRequestFailed, "save " + p.Path + " first: the change is made in its file"}
			}
		}
	}
	req.DryRun = false
	_, err = change.Resolve(ctx, t.reader.Session, req)
	poke(t.server.look)
	return nil, err
}

// show asks the client to show a document.
func (s *Server) show(uri string) {
	if !s.client.shows {
		s.notify("window/showMessage", map[string]any{"type": 3, "message": uri})
		return
	}
	params, err := json.Marshal(map[string]any{"uri": uri, "takeFocus": true})
	if err == nil {
		s.send(message{ID: json.RawMessage(`"cairn-show"`), Method: "window/showDocument", Params: params})
	}
}
