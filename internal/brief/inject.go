package brief

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxPageBytes bounds the size of an injected page.
const maxPageBytes = 16 << 20

// injectFlow returns the pages that the policy of the current space injects into a
// flow, in the order of the policy, as they are on disk now. Each page is wrapped
// in a tag, with tags in its text escaped and credentials masked, and without empty
// sections. A page that is too large is left out whole, with a warning.
func injectFlow(ctx context.Context, sess *memory.Session, flow string) (api.Injected, error) {
	out := api.Injected{Flow: flow, Parts: []api.InjectedPart{}}
	s, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return out, err
	}
	out.Space, out.Snapshot = s.Name, fmt.Sprintf(" snapshot_at=%q", sess.Now().UTC().Format(time.RFC3339))
	var text strings.Builder
	for _, in := range s.Policy.Inject {
		if in.OnDemand || !in.For(flow) {
			continue
		}
		paths, err := injected(ctx, sess, s, in.Path)
		if err != nil {
			return out, err
		}
		for _, p := range paths {
			source, there, err := findSource(ctx, sess, s, p)
			switch {
			case errors.Is(err, fsys.ErrTooLarge) || err == nil && in.MaxBytes > 0 && len(source) > in.MaxBytes:
				out.Warnings = append(out.Warnings, tooLarge(p, len(source), in.MaxBytes))
				continue
			case ctx.Err() != nil:
				return out, ctx.Err()
			case err != nil:
				out.Warnings = append(out.Warnings, fmt.Sprintf("%s was left out: %s", p, kb.AsError(err).Message))
				continue
			case !there:
				continue
			}
			open, closing := tag(s.Space, p, in, out.Snapshot)
			given := filled(sess, s.Policy, kb.Page{Path: p}, string(findGiven(sess, s, p, source, in, flow)))
			fmt.Fprintf(&text, "%s\n%s\n%s\n", open, strings.TrimRight(harmless(safetext.Text(given)), "\n"), closing)
			out.Parts = append(out.Parts, api.InjectedPart{Path: p, As: in.As, Bytes: len(source)})
		}
	}
	out.Text = text.String()
	return out, nil
}

func tooLarge(p string, size, most int) string {
	if most == 0 {
		most = maxPageBytes
	}
	if size == 0 {
		return fmt.Sprintf("%s was left out: it is larger than %d bytes", p, most)
	}
	return fmt.Sprintf("%s was left out: it has %d bytes, more than %d", p, size, most)
}

// tag returns the text before and after a page.
func tag(s kb.Space, p string, in policy.Injection, snapshot string) (open, closing string) {
	name, attributes := in.As, ""
	if name == "" {
		name = "page"
		attributes = fmt.Sprintf(" ref=%q", oneLine(s.Name+":"+strings.TrimSuffix(p, path.Ext(p))))
	}
	if in.Snapshot {
		attributes += snapshot
	}
	return "<" + name + attributes + ">", "</" + name + ">"
}

// injected returns the paths that match a path or a pattern.
func injected(ctx context.Context, sess *memory.Session, s *write.Space, pattern string) (out []string, err error) {
	if !strings.ContainsAny(pattern, glob.Special) {
		return []string{path.Clean(pattern)}, nil
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		states, err := tx.Documents().States(ctx, s.Row)
		for _, d := range states {
			if glob.Match(pattern, d.Path) && len(out) < maxPinned {
				out = append(out, d.Path)
			}
		}
		return err
	})
	return out, err
}

// findSource reads the current text of a document, from its file or from its row.
func findSource(ctx context.Context, sess *memory.Session, s *write.Space, p string) (text []byte, there bool, err error) {
	if s.Files != nil {
		text, _, err = fsys.ReadFile(ctx, s.Files, p, maxPageBytes)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, false, nil
		}
		return text, true, fsys.Explain(err, "read %s", p)
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		d, err := tx.Documents().ByPath(ctx, s.Row, p)
		if kb.CodeOf(err) == kb.NotFound {
			return nil
		}
		if err == nil {
			there = true
			text, err = tx.History().Bytes(ctx, d.Hash)
		}
		return err
	})
	return text, there, err
}

// findGiven returns the part of a document for a flow: with credentials masked, and
// with only the last entries of a section if the policy requires it.
func findGiven(sess *memory.Session, s *write.Space, p string, source []byte, in policy.Injection, flow string) []byte {
	if text, encoding := doc.Decode(source); encoding != doc.Opaque {
		source = text // credentials are searched and masked in the decoded text
	}
	source = secrets.Hide(source)
	codec := doc.ForNote(sess.Codecs, s.Syntax, p)
	if codec == nil || !in.Last.For(flow) {
		return source
	}
	d := codec.Parse(p, source)
	if d.Encoding != doc.UTF8 {
		return source
	}
	for _, h := range d.Nodes[0].Headings {
		if !strings.EqualFold(strings.TrimSpace(h.Text), in.Last.Section) {
			continue
		}
		if cut, n := lastEntries(source, doc.Span{Start: h.Line.End, End: h.Section.End}, in.Last.N); n > 0 {
			mark := fmt.Sprintf("(%d earlier left out)\n", n)
			out, err := doc.ApplySplices(source, []doc.Splice{{Span: cut, New: mark}})
			if err == nil {
				return out
			}
		}
		break
	}
	return source
}

// lastEntries returns the span of the list items of a section before the last n,
// and their number.
func lastEntries(source []byte, section doc.Span, n int) (doc.Span, int) {
	var starts []int
	at := section.Start
	for line := range strings.Lines(string(source[section.Start:section.End])) {
		if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "+ ") || strings.HasPrefix(line, "* ") {
			starts = append(starts, at)
		}
		at += len(line)
	}
	gone := len(starts) - n
	if gone <= 0 {
		return doc.Span{}, 0
	}
	return doc.Span{Start: starts[0], End: starts[gone]}, gone
}
