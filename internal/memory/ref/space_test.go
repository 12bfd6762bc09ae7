package ref_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A ref of a space that there is not is neither a page of another space nor a
// bad file name.
func TestRefOfASpaceThatThereIsNot(t *testing.T) {
	t.Parallel()
	s := newBed(t)
	apptest.OK(gitsync.AddSpace(s.ctx, s.me, space.AddRequest{Database: true, Name: "n"}))(t)
	me := s.me.In("m")
	put := func(ref string) error {
		_, err := change.Put(s.ctx, me, change.PutRequest{Ref: ref, Text: []byte("x\n")})
		return err
	}
	for _, ref := range []string{"page", "n:page"} {
		if err := put(ref); err != nil {
			t.Fatal(err)
		}
	}
	_, get := read.Get(s.ctx, me, read.GetRequest{Ref: "zzz:page"})
	_, move := change.Move(s.ctx, me, change.MoveRequest{Ref: "page", To: "zzz:pp"})
	for what, err := range map[string]error{"put": put("zzz:page"), "get": get, "move": move} {
		e := kb.AsError(err)
		if kb.CodeOf(err) != kb.NotFound || !strings.Contains(e.Error(), `no space "zzz"`) || !strings.Contains(e.Hint, "m, n") {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := change.Move(s.ctx, me, change.MoveRequest{Ref: "page", To: "n:pp"})
	if kb.CodeOf(err) != kb.Usage || !strings.Contains(err.Error(), "do not move between spaces") {
		t.Errorf("move into another space: %v", err)
	}
	if w := apptest.OK(change.Move(s.ctx, me, change.MoveRequest{Ref: "page", To: "m:pp"}))(t); w.Pages[0].Ref != "m:pp" {
		t.Errorf("moved to %+v", w.Pages)
	}
	// What only looks a little like one stays a name.
	for _, ref := range []string{"Notes: a title", "https://example.org"} {
		if _, err := read.Get(s.ctx, me, read.GetRequest{Ref: ref}); !strings.Contains(err.Error(), "no page") {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

// No two pages are made that only the extension of their files tells apart.
func TestNewPageOfATakenSlug(t *testing.T) {
	t.Parallel()
	s := newBed(t)
	s.put("foo.md", "One.\n")
	s.put("foo.md", "Two.\n")
	s.put("deep/foo.org", "Another.\n")
	_, put := change.Put(s.ctx, s.me, change.PutRequest{Ref: "foo.org", Text: []byte("Three.\n")})
	_, moved := change.Move(s.ctx, s.me, change.MoveRequest{Ref: "deep/foo.org", To: "foo.org"})
	for _, err := range []error{put, moved} {
		if kb.CodeOf(err) != kb.Conflict || !strings.Contains(err.Error(), "same ref as foo.md") {
			t.Errorf("got %v", err)
		}
	}
	s.put("bar.org", "A bar.\n")
	r := apptest.OK(ingest.Capture(s.ctx, s.me, api.CaptureRequest{Text: "bar."}))(t)
	if len(r.Pages) != 1 || r.Pages[0].Path != "bar-2.md" || r.Pages[0].Title != "bar (2)" || len(r.Similar) != 1 || r.Similar[0].Ref != "m:bar" {
		t.Errorf("got %+v", r)
	}
	r = apptest.OK(ingest.Capture(s.ctx, s.me, api.CaptureRequest{Title: "bar", Text: "A third bar.", Keep: true}))(t)
	if len(r.Pages) != 1 || r.Pages[0].Path != "bar-3.md" || r.Pages[0].Title != "bar" {
		t.Errorf("got %+v", r)
	}
}
