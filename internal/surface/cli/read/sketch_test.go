package read_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/surface/cli/read"
)

// A title says what it likes, and ends no string of the drawing.
func TestSketch(t *testing.T) {
	t.Parallel()
	g := api.Graph{Root: "s:a",
		Nodes: []api.GraphNode{
			{Ref: "s:a", Title: `A "quoted" \ title`},
			{Ref: "s:b", Title: "B\n] --> x <i>#1 | `c`&", Distance: 1},
		},
		Links: []api.GraphLink{{From: "s:a", To: "s:b", Type: "works_at", ValidFrom: "2017"}, {From: "s:b", To: "s:a", Type: "links_to"}},
	}
	const dot = `digraph cairn {
  rankdir=LR;
  node [shape=box];
  "s:a" [label="A \"quoted\" \\ title", style=bold];
  "s:b" [label="B ] --> x <i>#1 | ` + "`c`" + `&"];
  "s:a" -> "s:b" [label="works_at 2017.."];
  "s:b" -> "s:a" [label="links_to"];
}
`
	const mermaid = `flowchart LR
  n0["A #quot;quoted#quot; \ title"]
  n1["B ] --#gt; x #lt;i#gt;#35;1 #124; #96;c#96;#amp;"]
  n0 -->|"works_at 2017.."| n1
  n1 -->|"links_to"| n0
`
	if diff := cmp.Diff(dot, read.DOT(g)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(mermaid, read.Mermaid(g)); diff != "" {
		t.Error(diff)
	}
}
