package change_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
)

// Bytes that are no text take no title: a page that is made of them would hold nothing.
func TestComposeOfNoText(t *testing.T) {
	t.Parallel()
	e := memory.Session{Codecs: []doc.Codec{markdown.Codec{}}}
	space := &write.Space{Policy: &policy.Policy{}}
	if got, err := change.Compose(&e, space, "a.md", change.PutRequest{Title: "T", Text: []byte("a\x00b")}); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("%q, %v", got, err)
	}
}
