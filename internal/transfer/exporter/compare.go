package exporter

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

// Comparison lists differences in content between two directories of documents.
type Comparison struct {
	Pages       int          `json:"pages"` // of the original
	Differences []Difference `json:"differences"`
}

// Difference is one between two directories.
type Difference struct {
	Path string `json:"path"`
	What string `json:"what"`
}

// Compare compares the documents of two directories by what they say: the same pages, keys
// and values of metadata, truth, and timeline entries. What an export makes by itself does
// not count.
func Compare(ctx context.Context, sess *memory.Session, original, exported string) (Comparison, error) {
	out := Comparison{Differences: []Difference{}}
	var trees [2]*fsys.Dir
	var files [2][]string
	for i, dir := range []string{original, exported} {
		tree, err := fsys.OpenDir(dir)
		if err != nil {
			return out, fsys.Explain(err, "read %s", dir)
		}
		defer func() { _ = tree.Close() }() // it was only read
		rules := vault.Rules{MaxBytes: write.MaxDocument}
		for _, c := range sess.Codecs {
			rules.Extensions = append(rules.Extensions, c.Extensions()...)
		}
		list, err := vault.Scan(ctx, tree, rules)
		if err != nil {
			return out, fsys.Explain(err, "read %s", dir)
		}
		trees[i] = tree
		for _, f := range list.Files {
			if !slices.Contains(About, f.Path) {
				files[i] = append(files[i], f.Path)
			}
		}
	}
	out.Pages = len(files[0])
	differ := func(at, what string) { out.Differences = append(out.Differences, Difference{at, what}) }
	all := slices.Concat(files[0], files[1])
	slices.Sort(all)
	for _, at := range slices.Compact(all) {
		if _, there := slices.BinarySearch(files[0], at); !there {
			differ(at, "it is not in the original")
			continue
		}
		if _, there := slices.BinarySearch(files[1], at); !there {
			differ(at, "it is not in the export")
			continue
		}
		var docs [2]*doc.Document
		for i, tree := range trees {
			text, _, err := fsys.ReadFile(ctx, tree, at, write.MaxDocument)
			if err != nil {
				return out, fsys.Explain(err, "read %s", at)
			}
			docs[i] = doc.ForPath(sess.Codecs, at).Parse(at, text)
		}
		for _, what := range differences(docs[0], docs[1]) {
			differ(at, what)
		}
	}
	return out, nil
}

// differences lists differences in content between two documents.
func differences(a, b *doc.Document) (out []string) {
	if len(a.Nodes) != len(b.Nodes) {
		return []string{fmt.Sprintf("it has %d nodes, and %d in the export", len(a.Nodes), len(b.Nodes))}
	}
	for i := range a.Nodes {
		x, y := a.Nodes[i], b.Nodes[i]
		if x.Title != y.Title {
			out = append(out, fmt.Sprintf("the title %q is %q in the export", x.Title, y.Title))
		}
		for _, p := range x.Metadata {
			j := slices.IndexFunc(y.Metadata, func(q doc.Property) bool { return q.Key == p.Key })
			if j < 0 {
				out = append(out, "the key "+p.Key+" is missing in the export")
			} else if !slices.Equal(p.Values, y.Metadata[j].Values) {
				out = append(out, "the key "+p.Key+" has another value in the export")
			}
		}
		for _, q := range y.Metadata {
			if !slices.ContainsFunc(x.Metadata, func(p doc.Property) bool { return p.Key == q.Key }) {
				out = append(out, "the key "+q.Key+" is not in the original")
			}
		}
		if truthOf(a, x) != truthOf(b, y) {
			out = append(out, "the truth is another one in the export")
		}
		same := func(p, q doc.Entry) bool {
			return p.Date == q.Date && p.Source == q.Source && p.Text == q.Text && plain(p.Detail) == plain(q.Detail)
		}
		if !slices.EqualFunc(x.Entries, y.Entries, same) || plain(a.Slice(x.Timeline)) != plain(b.Slice(y.Timeline)) {
			out = append(out, "the timeline is another one in the export")
		}
	}
	return out
}

// truthOf is the text above the line of a node.
func truthOf(d *doc.Document, n doc.Node) string {
	s := n.Truth
	s.Start = max(s.Start, n.Head.End)
	if s.Start > s.End {
		return ""
	}
	return plain(d.Slice(s))
}

// plain is a text with LF, without blanks around it.
func plain(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) }
