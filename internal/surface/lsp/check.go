package lsp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/memory/unsaved"
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
	doc     *document
	version int
	text    []byte // nil before the first
	dropped int    // checks of outdated versions since the last that was sent
}

// maxDropped is how many checks of outdated versions are given up in a row. The next one is sent:
// the check of a page of several MB takes longer than the time between two keys.
const maxDropped = 3

// checking is the document that is being checked, and how to stop that; nil where it goes on.
type checking struct {
	doc  *document
	stop context.CancelFunc
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

// publish sends the diagnostics of a document, unless the client has them for this version: it may
// drop those of an earlier one. A document that could not be checked keeps what it had. The check of
// a version that is outdated is stopped, unless that was so several times.
func (s *Server) publish(ctx context.Context, t *turn, d *document) {
	had := *d.sent
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	last := had.dropped >= maxDropped
	s.mu.Lock()
	outdated := s.docs[d.uri] != d
	if !last {
		s.checked = checking{d, stop}
	}
	s.mu.Unlock()
	if outdated && !last {
		d.sent.dropped++
		return
	}
	d.sent.doc = d
	found, done, err := t.diagnostics(ctx, d)
	s.mu.Lock()
	s.checked = checking{}
	s.mu.Unlock()
	if err != nil {
		if ctx.Err() != nil {
			*d.sent = had
			d.sent.dropped++
		}
		return
	}
	if !done {
		poke(s.wake)
	}
	text, err := json.Marshal(found)
	if err != nil || d.version == had.version && bytes.Equal(text, had.text) {
		return
	}
	s.mu.Lock()
	now := s.docs[d.uri]
	s.mu.Unlock()
	if now == nil || now.sent != d.sent || now.version != d.version && !last {
		*d.sent = had
		d.sent.dropped++
		return // closed, or changed: that one is checked next
	}
	s.notify("textDocument/publishDiagnostics", map[string]any{"uri": d.uri, "version": d.version, "diagnostics": json.RawMessage(text)})
	d.sent.version, d.sent.text, d.sent.dropped = d.version, text, 0
}

// maxDiagnostics bounds the diagnostics of a document. Editors take seconds to show more.
const maxDiagnostics = 1000

// codeMore is the code of the diagnostic that counts those that are left out.
const codeMore = "more"

// diagnostics returns the faults of a document, of too many the gravest.
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
	shown, more := gravest(faults, maxDiagnostics)
	for _, f := range shown {
		out = append(out, diagnostic{
			Range: lines.span(f.Span), Severity: int(f.Severity), Code: f.Code, Source: "cairn", Message: f.Text,
			Data: diagnosticData{f.Name, f.ID},
		})
	}
	if more > 0 {
		out = append(out, diagnostic{
			Range: out[len(out)-1].Range, Severity: int(unsaved.Note), Code: codeMore, Source: "cairn",
			Message: fmt.Sprintf("%d more faults of this page are not shown", more),
		})
	}
	return out, done, nil
}

// gravest returns at most limit of the faults of a text, which are in its order, and how many it
// left out.
func gravest(faults []unsaved.Fault, limit int) (shown []unsaved.Fault, more int) {
	if len(faults) <= limit {
		return faults, 0
	}
	left := limit
	for severity := unsaved.Grave; severity <= unsaved.Note; severity++ {
		for _, f := range faults {
			if f.Severity == severity && left > 0 {
				shown, left = append(shown, f), left-1
			}
		}
	}
	slices.SortStableFunc(shown, func(a, b unsaved.Fault) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return shown, len(faults) - len(shown)
}
