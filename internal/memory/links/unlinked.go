package links

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/store"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// maxNamed is the maximum number of lines listed for a page with unlinked mentions.
const maxNamed = 10

// UnlinkedRequest selects the texts to search.
type UnlinkedRequest struct {
	Page          *kb.Page // whose text is read; all pages of the current space when nil
	Limit, Offset int
	Progress      func(space, phase string, done, total int) // may be nil
}

// Unlinked lists the names of pages that occur in texts of the current space as
// plain words, in pages without a link to the named page, sorted by the number of
// mentioning pages. With a page it reads its text alone. Mentions in code, URLs and
// metadata do not count, and neither do names of fewer than three letters.
func Unlinked(ctx context.Context, sess *memory.Session, req UnlinkedRequest) (out api.List[api.UnlinkedName], err error) {
	err = turn.Reading(ctx, sess.DB, func(ctx context.Context) (err error) {
		out, err = findUnlinked(ctx, sess, req)
		return err
	})
	return out, err
}

func findUnlinked(ctx context.Context, sess *memory.Session, req UnlinkedRequest) (out api.List[api.UnlinkedName], err error) {
	out.Items = []api.UnlinkedName{}
	err = store.ViewAt(ctx, sess.DB, func(tx store.Tx, mark int64) error {
		spaces, err := about(ctx, sess, tx, req.Page)
		if err != nil {
			return err
		}
		names, err := store.Keep(sess.Kept, mark, fmt.Sprint("names ", spaces), func() (pageNames, error) {
			return memory.Keep[knownNames](sess).read(ctx, tx, spaces)
		})
		if err != nil {
			return err
		}
		x := &unlinked{tx: tx, codecs: sess.Codecs, names: names.finder, by: map[int64]int{}}
		if req.Page != nil {
			x.pages, err = tx.Pages().Get(ctx, []int64{req.Page.Row})
		} else {
			x.pages, err = store.PagesBySlug(ctx, tx, sess.Kept, mark, spaces)
		}
		if err != nil {
			return err
		}
		mentions, err := x.mentions(ctx, req)
		if err != nil {
			return err
		}
		for i, lines := range mentions {
			if err := x.withoutLink(ctx, x.pages[i], names.pages, lines); err != nil {
				return err
			}
		}
		if err := x.readNamed(ctx); err != nil {
			return err
		}
		slices.SortStableFunc(x.found, func(a, b named) int {
			return cmp.Or(cmp.Compare(x.by[b.to.Row], x.by[a.to.Row]), strings.Compare(a.to.Slug, b.to.Slug))
		})
		out.Total = len(x.found)
		shown := x.found[min(max(req.Offset, 0), len(x.found)):]
		shown = shown[:min(api.Limit(req.Limit), len(shown))]
		var ends []kb.Page
		for _, f := range shown {
			ends = append(ends, f.from, f.to)
		}
		v, err := api.NewViewer(ctx, tx)
		if err != nil {
			return err
		}
		shorts, err := v.Shorts(ctx, ends)
		if err != nil {
			return err
		}
		for i, f := range shown {
			out.Items = append(out.Items, api.UnlinkedName{From: f.from.Ref(), To: f.to.Ref(), Title: f.to.Title, Lines: f.lines, FromShort: shorts[2*i], ToShort: shorts[2*i+1]})
		}
		out.Next = api.Next(req.Offset, len(shown), out.Total)
		return nil
	})
	return out, err
}

// pageNames holds the rows of the pages of spaces, sorted, with their names.
// Queries about several pages in a row share it.
type pageNames struct {
	pages  []int64
	finder *link.Finder
}

// knownNames keeps the names of the pages of spaces while no name changes: few writes change
// one. It is safe for concurrent use; the zero value is ready.
type knownNames struct {
	mu   sync.Mutex
	seed maphash.Seed
	by   map[string]namesOf // by spaces
}

type namesOf struct {
	state uint64
	names pageNames
}

// maxNames is the number of lists of spaces in knownNames.
const maxNames = 16

// Rest drops them.
func (k *knownNames) Rest() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.by = nil
}

func (k *knownNames) read(ctx context.Context, tx store.Tx, spaces []int64) (pageNames, error) {
	text, err := tx.Pages().NamedState(ctx, store.Filter{Spaces: spaces})
	if err != nil {
		return pageNames{}, err
	}
	key := fmt.Sprint(spaces)
	k.mu.Lock()
	if k.by == nil {
		k.by, k.seed = map[string]namesOf{}, maphash.MakeSeed()
	}
	state, known := maphash.String(k.seed, text), k.by[key]
	k.mu.Unlock()
	if known.names.finder != nil && known.state == state {
		return known.names, nil
	}
	names, err := readNames(ctx, tx, spaces)
	if err != nil {
		return pageNames{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.by) >= maxNames {
		clear(k.by)
	}
	if k.by != nil {
		k.by[key] = namesOf{state, names}
	}
	return names, nil
}

func readNames(ctx context.Context, tx store.Tx, spaces []int64) (out pageNames, err error) {
	pages, err := tx.Pages().Named(ctx, store.Filter{Spaces: spaces})
	names := make([][]string, len(pages))
	for i, p := range pages {
		out.pages, names[i] = append(out.pages, p.Row), specificNames(p)
	}
	out.finder = link.NewFinder(names)
	return out, err
}

// specificNames returns the names of a page to search for in texts.
func specificNames(p kb.Page) []string {
	return slices.DeleteFunc(append([]string{p.Title}, p.Aliases...), func(name string) bool { return !link.IsSpecific(name) })
}

// about is the space of a page, or of the request.
func about(ctx context.Context, sess *memory.Session, tx store.Tx, page *kb.Page) ([]int64, error) {
	if page == nil {
		return sess.Spaces.ScopeTx(ctx, tx, false)
	}
	s, err := space.OfPage(ctx, tx, *page)
	return []int64{s.Row}, err
}

// named is a page with its name in another page.
type named struct {
	from, to kb.Page
	lines    []int
}

// unlinked searches for names.
type unlinked struct {
	tx     store.Tx
	codecs []doc.Codec
	pages  []kb.Page // with the texts to read
	names  *link.Finder
	found  []named
	by     map[int64]int // number of pages that name a page
}

// mentions returns the names in the text of each page, in the order of the pages,
// as lines by named page. Documents are read one after the other and parsed in
// parallel.
func (x *unlinked) mentions(ctx context.Context, req UnlinkedRequest) ([]map[int][]int, error) {
	out := make([]map[int][]int, len(x.pages))
	work, parsing := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	read := func() error {
		for from := 0; from < len(x.pages); {
			until := from + 1 // pages of one document
			for until < len(x.pages) && x.pages[until].SpaceID == x.pages[from].SpaceID && x.pages[until].Path == x.pages[from].Path {
				until++
			}
			of := x.pages[from:until]
			if err := turn.Check(ctx, of[0].Size); err != nil {
				return err
			}
			text, err := x.tx.History().Bytes(parsing, of[0].Hash)
			if err != nil {
				return err
			}
			first := from
			work.Go(func() error {
				d := doc.ForNote(x.codecs, of[0].Syntax, of[0].Path).Parse(of[0].Path, text)
				for i, p := range of {
					if node := nodeOf(d, p); node >= 0 {
						out[first+i] = x.names.In(string(prose(d, node)))
					}
				}
				return nil
			})
			if req.Progress != nil && req.Page == nil {
				req.Progress("", "reading", until, len(x.pages))
			}
			from = until
		}
		return nil
	}
	return out, errors.Join(read(), work.Wait())
}

// withoutLink adds the mentions in a page to pages without a link from it. lines
// are by the named page's index in a list of rows.
func (x *unlinked) withoutLink(ctx context.Context, p kb.Page, pages []int64, lines map[int][]int) error {
	if len(lines) == 0 {
		return nil
	}
	edges, err := x.tx.Links().EdgesFrom(ctx, []int64{p.Row})
	if err != nil {
		return err
	}
	linked := map[int64]bool{p.Row: true}
	for _, e := range edges {
		linked[e.To] = true
	}
	for _, i := range slices.Sorted(maps.Keys(lines)) {
		other := pages[i]
		if linked[other] {
			continue
		}
		x.by[other]++
		x.found = append(x.found, named{p, kb.Page{Row: other}, lines[i][:min(len(lines[i]), maxNamed)]})
	}
	return nil
}

// readNamed reads the named pages.
func (x *unlinked) readNamed(ctx context.Context) error {
	pages, err := store.PagesByRow(ctx, x.tx, slices.Collect(maps.Keys(x.by)))
	for i := range x.found {
		x.found[i].to = pages[x.found[i].to.Row]
	}
	return err
}

// nodeOf returns the index of a page's node in its document, -1 if missing.
func nodeOf(d *doc.Document, p kb.Page) int {
	if p.Node == "" {
		return 0
	}
	return slices.IndexFunc(d.Nodes, func(n doc.Node) bool { return n.ID == p.Node })
}

// prose returns the text of a node with everything except its own prose blanked
// out: nested pages, metadata, links, code and URLs. Line numbers stay the same.
func prose(d *doc.Document, node int) []byte {
	n := d.Nodes[node]
	out := bytes.Repeat([]byte{' '}, len(d.Text))
	for i, c := range d.Text {
		if c == '\n' {
			out[i] = c
		}
	}
	for _, s := range d.Shown(node, n.Span) {
		copy(out[s.Start:s.End], d.Text[s.Start:s.End])
	}
	blank := func(s doc.Span) {
		for i := s.Start; i < s.End; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	blank(n.Head)
	for _, l := range n.Links {
		blank(l.Span)
	}
	for _, r := range n.Relations {
		blank(r.Target.Span)
	}
	blankCode(out, blank)
	blankAddresses(out, blank)
	return out
}

// blankAddresses blanks URLs with a scheme.
func blankAddresses(text []byte, blank func(doc.Span)) {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte("://"))
		if i < 0 {
			return
		}
		span := doc.Span{Start: at + i, End: at + i + len("://")}
		for span.Start > at && isScheme(text[span.Start-1]) {
			span.Start--
		}
		for span.End < len(text) && text[span.End] > ' ' {
			span.End++
		}
		blank(span)
		at = span.End
	}
}

func isScheme(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '.' || c == '-'
}

var (
	inTicks = lazyregexp.New("`+[^`\n]+`+")
	opens   = lazyregexp.New("(?i)^\\s*(```+|~~~+|#\\+begin_(?:src|example|export)\\b)")
)

// blankCode blanks code blocks and inline code.
func blankCode(text []byte, blank func(doc.Span)) {
	closing, at := "", 0
	for line := range bytes.Lines(text) {
		span := doc.Span{Start: at, End: at + len(line)}
		at = span.End
		begun := bytes.TrimSpace(line)
		if closing != "" {
			if strings.HasPrefix(strings.ToLower(string(begun)), closing) {
				closing = ""
			}
			blank(span)
			continue
		}
		var m [][]byte
		if len(begun) > 0 && strings.IndexByte("`~#", begun[0]) >= 0 {
			m = opens().FindSubmatch(line)
		}
		switch {
		case m != nil:
			if closing = strings.ToLower(string(m[1])); closing[0] == '#' {
				closing = strings.Replace(closing, "begin_", "end_", 1)
			}
			blank(span)
		case bytes.IndexByte(line, '`') >= 0:
			for _, in := range inTicks().FindAllIndex(line, -1) {
				blank(doc.Span{Start: span.Start + in[0], End: span.Start + in[1]})
			}
		}
	}
}
