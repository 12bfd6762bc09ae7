package lsp

import (
	"encoding/json"
	"maps"
	"slices"
)

// requests are the methods of requests while a session is open. It is filled in init, since
// handlers refer to the server that refers to it.
var requests map[string]handler

func init() {
	requests = map[string]handler{
		"textDocument/definition":          taking(definition),
		"textDocument/hover":               taking(hoverAt),
		"textDocument/references":          taking(references),
		"textDocument/documentSymbol":      taking(documentSymbols),
		"textDocument/documentLink":        taking(documentLinks),
		"textDocument/completion":          taking(completion),
		"textDocument/prepareRename":       taking(prepareRename),
		"textDocument/rename":              taking(rename),
		"textDocument/codeAction":          taking(codeActions),
		"textDocument/codeLens":            taking(codeLenses),
		"textDocument/foldingRange":        taking(foldingRanges),
		"textDocument/inlayHint":           taking(inlayHints),
		"textDocument/semanticTokens/full": taking(semanticTokens),
		"workspace/symbol":                 taking(workspaceSymbols),
		"workspace/executeCommand":         taking(execute),
	}
}

// capabilities are what the server offers.
func (s *Server) capabilities() map[string]any {
	return map[string]any{
		"positionEncoding": s.units,
		"textDocumentSync": map[string]any{
			"openClose": true, "change": 2, "save": map[string]any{"includeText": false},
		},
		"definitionProvider":      true,
		"hoverProvider":           true,
		"referencesProvider":      true,
		"documentSymbolProvider":  true,
		"documentLinkProvider":    map[string]any{},
		"renameProvider":          map[string]any{"prepareProvider": true},
		"codeActionProvider":      map[string]any{"codeActionKinds": []string{kindFix, kindRewrite, kindSource}},
		"codeLensProvider":        map[string]any{},
		"foldingRangeProvider":    true,
		"inlayHintProvider":       s.client.hints,
		"workspaceSymbolProvider": true,
		"executeCommandProvider":  map[string]any{"commands": commands},
		"semanticTokensProvider": map[string]any{
			"legend": map[string]any{"tokenTypes": tokenTypes, "tokenModifiers": []string{}}, "full": true,
		},
		"completionProvider": map[string]any{"triggerCharacters": []string{"[", "#", "^", ":", "/"}},
	}
}

// initialize begins the session.
func (s *Server) initialize(params json.RawMessage) (any, error) {
	if s.state != fresh {
		return nil, &failure{codeInvalidRequest, "the session is initialized"}
	}
	var p initializeParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	for _, e := range p.Capabilities.General.PositionEncodings {
		if e == utf8Units || e == utf16Units || e == utf32Units {
			s.units = e
		}
		if e == utf8Units { // as texts are kept here
			break
		}
	}
	movesFiles := slices.Contains(p.Capabilities.Workspace.Edit.Operations, "rename")
	s.client = clientAbilities{
		markdown:   slices.Contains(p.Capabilities.TextDocument.Hover.ContentFormat, "markdown"),
		symbolTree: p.Capabilities.TextDocument.DocumentSymbol.Hierarchical,
		watches:    p.Capabilities.Workspace.Watched.Dynamic,
		shows:      p.Capabilities.Window.ShowDocument.Support,
		hints:      p.Options.InlayHints,

		documentChanges: p.Capabilities.Workspace.Edit.DocumentChanges || movesFiles, // Neovim 0.7 does not say so
		movesFiles:      movesFiles,
	}
	if dir := fileOf(p.RootURI); dir != "" {
		s.opts.Caller.Dir = dir
	}
	for _, f := range slices.Backward(p.Folders) { // the first one counts
		if dir := fileOf(f.URI); dir != "" {
			s.opts.Caller.Dir = dir
		}
	}
	s.state = initialized
	return map[string]any{
		"capabilities": s.capabilities(),
		"serverInfo":   map[string]any{"name": "cairn", "version": s.opts.Version},
	}, nil
}

// notified takes a notification. One that the server does not know is left out, as the protocol
// wants it, and so is one with parameters of another form: nobody waits for an answer.
func (s *Server) notified(m message) {
	switch m.Method {
	case "initialized":
		s.registerWatcher()
		poke(s.look)
	case "$/cancelRequest":
		var p cancelParams
		if decode(m.Params, &p) == nil {
			s.mu.Lock()
			if cancel := s.running[string(p.ID)]; cancel != nil {
				cancel()
			}
			s.mu.Unlock()
		}
	case "textDocument/didOpen":
		var p openParams
		if decode(m.Params, &p) == nil {
			d := p.TextDocument
			s.put(&document{uri: d.URI, file: fileOf(d.URI), version: d.Version, text: []byte(d.Text), units: s.units, sent: &published{}})
			poke(s.look) // a checkout by git may have come before
		}
	case "textDocument/didChange":
		var p changeParams
		if decode(m.Params, &p) == nil {
			if d := s.doc(p.TextDocument.URI); d != nil {
				s.put(d.changed(p.TextDocument.Version, p.Changes))
			}
		}
	case "textDocument/didClose":
		var p documentParams
		if decode(m.Params, &p) == nil {
			s.close(p.TextDocument.URI)
		}
	case "textDocument/didSave", "workspace/didChangeWatchedFiles", "workspace/didRenameFiles":
		poke(s.look)
	}
}

// registerWatcher asks the client to report changes of files by other programs.
func (s *Server) registerWatcher() {
	if !s.client.watches {
		return
	}
	params, err := json.Marshal(map[string]any{"registrations": []any{map[string]any{
		"id": "cairn-files", "method": "workspace/didChangeWatchedFiles",
		"registerOptions": map[string]any{"watchers": []any{map[string]any{"globPattern": "**/*.{md,markdown,org}"}}},
	}}})
	if err == nil {
		s.send(message{ID: json.RawMessage(`"cairn-watch"`), Method: "client/registerCapability", Params: params})
	}
}

func (s *Server) doc(uri string) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.docs[uri]
}

// put makes a document the open one of its URI.
func (s *Server) put(d *document) {
	s.mu.Lock()
	docs := maps.Clone(s.docs)
	docs[d.uri] = d
	s.docs = docs
	if at := s.checked; at.doc != nil && at.doc.uri == d.uri {
		at.stop()
	}
	s.mu.Unlock()
	poke(s.wake)
}

// close forgets a document and its diagnostics.
func (s *Server) close(uri string) {
	s.mu.Lock()
	docs := maps.Clone(s.docs)
	delete(docs, uri)
	s.docs = docs
	s.mu.Unlock()
	s.notify("textDocument/publishDiagnostics", map[string]any{"uri": uri, "diagnostics": []any{}})
}

// poke notes that there is something to do.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is noted already
	}
}
