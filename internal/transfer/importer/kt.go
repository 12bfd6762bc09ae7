package importer

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"

	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/transfer/foreign"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Request asks for an import of kt.
type Request struct {
	api.WriteOptions
	File string // database of the other program
}

// preset is the preset of spaces that an import creates.
const preset = "capture"

// moving is an import of kt in progress.
type moving struct {
	*batch
	from   *foreign.Store
	spaces map[string]*write.Space // by namespace; nil if a dry run would create it
	nodes  map[string]place        // by id
	taken  map[string]map[string]bool
}

// place is the present or future place of a node.
type place struct {
	space, path string
	there       bool
}

// ImportKT imports a database of kt: each namespace becomes the space of its name, each node
// a page with the node's id as an alias, and links become relations. Pages with that alias
// stay unchanged, so that an import can be repeated.
func ImportKT(ctx context.Context, sess *memory.Session, req Request) (Receipt, error) {
	from, err := foreign.Read(ctx, req.File)
	if err != nil {
		return Receipt{}, err
	}
	m := &moving{
		batch: newBatch(sess, ExportRequest{Request: req}), from: from,
		spaces: map[string]*write.Space{}, nodes: map[string]place{}, taken: map[string]map[string]bool{},
	}
	m.out.Counts = make([]Tally, 0, 4) // room for all, since pointers to the tallies are kept
	return m.run(ctx, m)
}

func (m *moving) open(ctx context.Context) ([]*write.Space, way, error) {
	if err := m.project(); err != nil {
		return nil, notAtAll, err
	}
	if m.from.Config.Problem != "" {
		m.out.lose("config.json", m.from.Config.Problem)
	}
	if model := m.from.Config.Ollama.Model; model != "" {
		m.out.lose("model "+model, "the built-in one is used; ollama/"+model+" can be added as a model")
	}
	by := atOnce
	if m.req.DryRun {
		by = notAtAll
	}
	return nil, by, m.namespaces(ctx)
}

func (m *moving) drafts(ctx context.Context) iter.Seq2[draft, error] {
	return func(yield func(draft, error) bool) {
		changes, err := m.pages(ctx)
		if err != nil || len(changes) > 0 {
			yield(draft{changes: changes}, err)
		}
	}
}

func (m *moving) finish(ctx context.Context) error { return m.mappings(ctx) }

// Project is a project of kt: a directory with a namespace.
type Project = foreign.KTProject

// ProjectOfKT returns kt's configuration of the caller's working directory.
func ProjectOfKT(sess *memory.Session) (Project, error) {
	return foreign.ReadProject(sess.Spaces.Place.Dir, sess.Spaces.Place.Home)
}

// project adds the settings of the caller's project: its namespace, and the number of days
// after which that becomes stale.
func (m *moving) project() error {
	p, err := ProjectOfKT(m.Session)
	if err != nil || p.Namespace == "" {
		return err
	}
	m.from.Mappings = append(m.from.Mappings, foreign.Mapping{Pattern: path.Join(p.Dir, "*"), Namespace: p.Namespace})
	if p.Days > 0 {
		m.from.Config.Override(p.Namespace, p.Days)
	}
	return nil
}

// namespaces opens the space of each namespace, and creates missing spaces.
func (m *moving) namespaces(ctx context.Context) error {
	all := slices.Clone(m.from.Namespaces)
	for _, n := range m.from.Nodes {
		if !slices.ContainsFunc(all, func(s foreign.Namespace) bool { return s.Slug == n.Namespace }) {
			all = append(all, foreign.Namespace{Slug: n.Namespace})
		}
	}
	t := m.out.tally("namespaces", len(all))
	known, err := m.Session.Spaces.All(ctx)
	if err != nil {
		return err
	}
	for _, n := range all {
		m.taken[n.Slug] = map[string]bool{}
		about := description(n)
		s, there := link.Space(known, n.Slug)
		switch {
		case there:
			t.There++
			pol, _, err := m.Session.Spaces.Policy(ctx, s, nil)
			if err != nil {
				return err
			}
			if about != "" && about != pol.Description {
				m.out.lose("namespace "+n.Slug, fmt.Sprintf("the space exists and stays unchanged: %q is not kept", about))
			}
		case m.req.DryRun:
			t.Brought++
			m.spaces[n.Slug] = nil
			continue
		default:
			if err := makeSpace(ctx, m.Session, &m.made, space.AddRequest{Name: n.Slug, Preset: preset, Description: about}); err != nil {
				return err
			}
			t.Brought++
			if s, err = m.Session.Spaces.ByName(ctx, n.Slug); err == nil {
				err = m.staleAfter(ctx, s)
			}
			if err != nil {
				return err
			}
		}
		if m.spaces[n.Slug], err = m.Session.Spaces.OpenSpace(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// description returns the subject of a namespace in one line.
func description(n foreign.Namespace) string {
	var parts []string
	for _, text := range []string{n.Name, n.Description} {
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
		if text != "" && text != n.Slug {
			parts = append(parts, text)
		}
	}
	text := []rune(strings.Join(parts, ": "))
	return string(text[:min(len(text), policy.MaxDescription)])
}

// staleAfterLine is the line of the preset with the age at which pages become stale.
var staleAfterLine = lazyregexp.New(`(?m)^stale_after = \d+`)

// staleAfter sets kt's threshold in a new space.
func (m *moving) staleAfter(ctx context.Context, s kb.Space) error {
	days := m.from.Config.StaleAfter(s.Name)
	if days <= 0 {
		return nil
	}
	_, text, err := m.Session.Spaces.Policy(ctx, s, nil)
	if err != nil {
		return err
	}
	text = staleAfterLine().ReplaceAll(text, fmt.Appendf(nil, "stale_after = %d", days))
	_, err = space.Rewrite(ctx, m.Session.Spaces, space.RewriteRequest{Name: s.Name, Text: text})
	return err
}

// pages makes a page of each node that has none.
func (m *moving) pages(ctx context.Context) ([]write.Change, error) {
	t := m.out.tally("nodes", len(m.from.Nodes))
	embedded := 0
	for _, n := range m.from.Nodes {
		if n.Embedded {
			embedded++
		}
		at, err := m.place(ctx, n)
		if err != nil {
			return nil, err
		}
		m.nodes[n.ID] = at
	}
	if embedded > 0 {
		m.out.lose(api.Plural(embedded, "vector"), "pages are embedded again, with this memory's model")
	}
	links := m.links()
	var changes []write.Change
	for _, n := range m.from.Nodes {
		at := m.nodes[n.ID]
		if at.there {
			t.There++
			continue
		}
		t.Brought++
		s := m.spaces[n.Namespace]
		if s == nil {
			continue // a dry run would create it
		}
		text, err := m.page(s, n, at, links[n.ID])
		if err != nil {
			return nil, err
		}
		changes = append(changes, write.Change{Space: s, Path: at.path, Action: write.Put{Bytes: text, Declare: true}})
	}
	return changes, nil
}

// titleOf returns the title of a node, or a substitute.
func titleOf(n foreign.Node) string {
	return cmp.Or(strings.TrimSpace(n.Title), space.TitleOf(n.Content), n.ID)
}

// place finds the page of a node by its alias, or a free path.
func (m *moving) place(ctx context.Context, n foreign.Node) (at place, err error) {
	at.space = n.Namespace
	s := m.spaces[n.Namespace]
	if s == nil {
		at.path = n.ID + ".md"
		return at, nil
	}
	err = m.Session.DB.View(ctx, func(tx store.Tx) error {
		key := kb.NameKey(n.ID)
		found, err := tx.Pages().ByNames(ctx, s.Row, []string{key})
		if err != nil {
			return err
		}
		for _, p := range found[key] {
			if slices.Contains(p.Aliases, n.ID) {
				at.path, at.there = p.Path, true
				return nil
			}
		}
		p := space.NewPath(s, space.ShortName(m.hideIn(s, titleOf(n))), change.Extension(m.Session, s))
		at.path, err = ref.FreePath(ctx, tx, s.Space, p, func(at string) bool { return m.taken[n.Namespace][at] })
		return err
	})
	m.taken[n.Namespace][kb.FoldPath(at.path)] = true
	return at, err
}

// links returns the relations of each node, by id.
func (m *moving) links() map[string][]doc.Edit {
	t := m.out.tally("links", len(m.from.Links))
	out := map[string][]doc.Edit{}
	add := func(from place, id string, to place, kind, why string) {
		slug := strings.TrimSuffix(to.path, path.Ext(to.path))
		if from.space != to.space {
			slug = to.space + "/" + slug
		}
		out[id] = append(out[id], doc.AddRelation{Type: kind, Target: slug, Context: oneLine(why)})
	}
	for _, l := range m.from.Links {
		from, ok := m.nodes[l.From]
		to, there := m.nodes[l.To]
		switch {
		case !ok || !there:
			t.LeftOut++
			m.out.lose("link "+l.From+" "+l.Type+" "+l.To, "one of the two does not exist")
		case from.there:
			t.There++
		default:
			t.Brought++
			add(from, l.From, to, l.Type, l.Context)
		}
	}
	for _, n := range m.from.Nodes {
		if to, ok := m.nodes[n.CompactedInto]; ok {
			add(m.nodes[n.ID], n.ID, to, compactedInto, "")
		} else if n.CompactedInto != "" {
			m.out.lose(n.ID+" compacted into "+n.CompactedInto, "that does not exist")
		}
	}
	return out
}

func oneLine(text string) string {
	return strings.NewReplacer("(", "[", ")", "]").Replace(strings.Join(strings.Fields(text), " "))
}

// page renders a node.
func (m *moving) page(s *write.Space, n foreign.Node, at place, relations []doc.Edit) ([]byte, error) {
	codec := doc.ForPath(m.Session.Codecs, at.path).In(s.Syntax)
	status, ok := kb.ParseStatus(n.Status)
	if !ok {
		return nil, kb.Errorf(kb.Invalid, "%s has the unknown status %q", n.ID, n.Status)
	}
	kind, _ := s.Policy.NewPage(at.path)
	fresh := doc.NewPage{
		Title: m.hideIn(s, titleOf(n)), Type: kind, Created: n.Created.Format(time.RFC3339), Tags: n.Tags, Body: n.Content,
		Metadata: []doc.Property{{Key: "aliases", Values: []string{n.ID}, List: true}},
	}
	if status != kb.Active {
		fresh.Status = string(status)
	}
	text, err := codec.New(fresh)
	if err != nil {
		return nil, kb.AsError(err).With("node", n.ID)
	}
	edits := []doc.Edit{}
	set := func(key, value string) {
		if value != "" {
			edits = append(edits, doc.SetProperty{Key: key, Value: value})
		}
	}
	set(keyUpdated, n.Updated.Format(time.RFC3339))
	set(keySource, n.Source)
	set(keySession, n.Session)
	if !n.Stale.IsZero() {
		set(write.KeyStaleSince, n.Stale.Format(time.DateOnly))
	}
	return codec.Apply(codec.Parse(at.path, text), "", append(edits, relations...)...)
}

// mappings maps the directories to the spaces.
func (m *moving) mappings(ctx context.Context) error {
	t := m.out.tally("mappings", len(m.from.Mappings))
	have, err := m.Session.Spaces.Maps(ctx)
	if err != nil {
		return err
	}
	for _, x := range m.from.Mappings {
		if _, ok := m.spaces[x.Namespace]; !ok {
			t.LeftOut++
			m.out.lose("mapping "+x.Pattern, "there is no namespace "+x.Namespace)
			continue
		}
		glob, err := m.Session.Spaces.Place.Located(x.Pattern)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(have, func(h api.Mapping) bool { return h.Glob == glob }) {
			t.There++
			continue
		}
		t.Brought++
		if !m.req.DryRun {
			if _, err := m.Session.Spaces.Map(ctx, x.Pattern, x.Namespace); err != nil {
				return err
			}
		}
	}
	return nil
}
