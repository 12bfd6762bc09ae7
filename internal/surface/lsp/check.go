package lsp

import (
	"bytes"
	"context"
	"encoding/json"
)

// diagnostic is a fault of a document.
type diagnostic struct {
	Range    span           `json:"range"`
	Severity int            `json:"severity"`
	Code     string         `json:"code"`
	Source   string         `json:"source"`
	Message  string         `json:"message"`
	Data     diagnosticData `json:"data"`
}

// diagnosticData is what an action needs to fix it.
type diagnosticData struct {
	Name string `json:"name,omitempty"` // of the missing page
	ID   string `json:"id,omitempty"`   // of a contradiction
}

// published are the diagnostics that the client has of a document since it was opened. Only check
// touches them.
type published struct {
	doc  *document
	text []byte
}

// check looks for faults in the open documents whenever one changed, until ctx is
// done: first with the changed ones, then with those that link to them.
func (s *Server) check(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		s.mu.Lock()
		docs := s.docs
		s.mu.Unlock()
		t, end, err := s.turn(ctx, docs)
		if err != nil || t == nil {
			continue
		}
		var others []*document
		for _, d := range t.docs {
			if d.sent.doc == d {
				others = append(others, d)
			} else if ctx.Err() == nil {
				s.publish(ctx, t, d)
			}
		}
		for _, d := range others {
			if len(s.wake) > 0 || ctx.Err() != nil {
				break // somebody types
			}
			s.publish(ctx, t, d)
		}
		end()
	}
}

// publish sends the diagnostics of a document, unless the client has them. A document that could
// not be checked keeps what it had.
func (s *Server) publish(ctx context.Context, t *turn, d *document) {
	had := *d.sent
	d.sent.doc = d
	found, done, err := t.diagnostics(ctx, d)
	if err != nil {
		return
	}
	if !done {
		poke(s.wake)
	}
	text, err := json.Marshal(found)
	if err != nil || bytes.Equal(text, had.text) {
		return
	}
	s.mu.Lock()
	now := s.docs[d.uri]
	s.mu.Unlock()
	if now == nil || now.sent != d.sent || now.version != d.version {
		*d.sent = had
		return // closed, or changed: that one is checked next
	}
	s.notify("textDocument/publishDiagnostics", map[string]any{"uri": d.uri, "version": d.version, "diagnostics": json.RawMessage(text)})
	d.sent.text = text
}

// diagnostics returns the faults of a document.
func (t *turn) diagnostics(ctx context.Context, d *document) (_ []diagnostic, done bool, err error) {
	out := []diagnostic{}
	text, err := d.in(ctx, t.reader)
	if err != nil || text == nil {
		return out, true, err
	}
	lines := t.mapOf(text)
	faults, done, err := t.reader.Check(ctx, text)
	if err != nil {
		return nil, false, err
	}
	for _, f := range faults {
		out = append(out, diagnostic{
			Range: lines.span(f.Span), Severity: int(f.Severity), Code: f.Code, Source: "cairn", Message: f.Text,
			Data: diagnosticData{f.Name, f.ID},
		})
	}
	return out, done, nil
}
