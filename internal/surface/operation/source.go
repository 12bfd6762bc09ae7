package operation

import (
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

var addSource = define(Operation{
	Name: "source_add", Title: "Keep a source", Group: more, Route: Route{"POST", "/sources"},
	Description: "Keeps what a page is made from, with address, day and excerpt, in the space's directory of sources. Fetches nothing and replaces nothing. Name the answer's path in the source of pages made from it.",
}, gitsync.AddSource)
