package link

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Named returns a text that may name a page as a relation to that page: "Ada", or a link
// as in [[people/ada#Work|Ada]] or [[id:UUID][Ada]].
func Named(text string) kb.Link {
	name := strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(name, "[["); ok {
		name, _, _ = strings.Cut(inner, "]")
		name, _, _ = strings.Cut(name, "|")
		name, _, _ = strings.Cut(name, "#")
		name = strings.TrimPrefix(name, idRef)
	}
	return kb.Link{Kind: RelationKind, Name: name, Key: Key(RelationKind, name)}
}
