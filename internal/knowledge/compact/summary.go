package compact

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/memory/change"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// CompactedInto is the relation from a page to its summary.
const CompactedInto = "compacted_into"

// Metadata keys and values of a summary.
const (
	keySource  = "source"
	keyCreated = "created"
	source     = "compaction"
)

const (
	// titlePrefix begins the default title of a summary.
	titlePrefix = "Summary: "
	// maxTitle bounds the title of a summary, in characters.
	maxTitle = 200
	// sourcesSection is the heading of the list of replaced pages.
	sourcesSection = "Compacted from"
)

// sections are the headings of an extract's parts, which follow the first sentences
// of the pages.
var sections = [...]string{lifecycle.Decided: "Decisions", lifecycle.Why: "Reasons", lifecycle.Now: "State", lifecycle.Besides: "Notes"}

// extract summarises a cluster by sentences of its members. Sentences that would be
// parsed as a relation in a list are left out.
func extract(c *Cluster, format doc.Format, acts map[string]bool) {
	texts := make([]lifecycle.SourceText, len(c.Members))
	for i, m := range c.Members {
		texts[i] = lifecycle.SourceText{Text: m.Text, Day: m.day, Replaced: lifecycle.IsSuperseded(m.Reason), Summary: m.summary}
	}
	sum := lifecycle.Sum(texts)
	c.Title = cmp.Or(c.Title, titlePrefix+strings.TrimPrefix(c.Members[sum.Central].Title, titlePrefix))
	var out strings.Builder
	list := func(heading, mark string, items []string) {
		items = slices.DeleteFunc(slices.Clone(items), func(s string) bool {
			before, _, linked := strings.Cut(s, "[[")
			kind, is := doc.RelationType(before)
			return linked && is && acts[kb.NameKey(kind)]
		})
		if len(items) == 0 {
			return
		}
		if heading != "" {
			out.WriteString(format.Heading(heading) + "\n\n")
		}
		out.WriteString("- " + mark + strings.Join(items, "\n- "+mark) + "\n\n")
	}
	list("", "", sum.First)
	for part, items := range sum.Parts {
		list(sections[part], "", items)
	}
	list("Superseded", "Superseded: ", sum.Replaced)
	c.Summary = strings.TrimSpace(out.String())
	c.extracted = true
}

// author returns the author in the user's settings, nil for none.
func author(sess *memory.Session) (Author, error) {
	cfg, err := space.Load(sess.Place)
	if err != nil {
		return nil, err
	}
	var s Settings
	wait := ""
	for key, to := range map[string]*string{
		"summary_command": &s.Command, "summary_model": &s.Model, "summary_url": &s.URL, "summary_key_env": &s.KeyEnv, "summary_wait": &wait,
	} {
		if *to, err = cfg.Value(key); err != nil {
			return nil, err
		}
	}
	if s.Wait, err = time.ParseDuration(wait); err != nil {
		return nil, err
	}
	return New(s, sess.Place.Env)
}

// sumUp has a cluster summarised by an author.
func sumUp(ctx context.Context, c *Cluster, by Author, format string) error {
	asked := Asked{Format: format}
	for _, m := range c.Members {
		asked.Pages = append(asked.Pages, Page{Title: m.Title, Day: m.day, Text: m.Text})
	}
	answer, err := by.Write(ctx, asked)
	if err != nil {
		return kb.AsError(err).With("cluster", c.Number)
	}
	c.Title, c.Summary = answer.Title, answer.Summary
	return nil
}

// check rejects a title and a text that cannot replace the members, from any
// author. An extract may be as long as pages with one sentence each.
func (c *Cluster) check() error {
	size := 0
	for _, m := range c.Members {
		size += len(m.Text)
	}
	c.Title, c.Summary = strings.Join(strings.Fields(c.Title), " "), strings.TrimSpace(strings.ReplaceAll(c.Summary, "\r\n", "\n"))
	refused := func(format string, args ...any) error {
		return kb.Errorf(kb.Invalid, format, args...).With("cluster", c.Number).With("members", c.refs()).
			WithHint("Nothing was changed. Write another summary of these pages.")
	}
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	switch {
	case c.Title == "":
		return refused("the summary of cluster %d has no title", c.Number)
	case strings.ContainsFunc(c.Title, unicode.IsControl) || utf8.RuneCountInString(c.Title) > maxTitle:
		return refused("the title of cluster %d is not one line of at most %d characters", c.Number, maxTitle)
	case c.Summary == "":
		return refused("the summary of cluster %d is empty", c.Number)
	case !utf8.ValidString(c.Summary) || strings.ContainsFunc(c.Summary, control):
		return refused("the summary of cluster %d is not text", c.Number)
	case len(c.Summary) >= size && !c.extracted:
		return refused("the summary of cluster %d has %d bytes, and the pages that it replaces have %d: it must be shorter", c.Number, len(c.Summary), size)
	}
	return nil
}

func (c *Cluster) pages() []kb.Page {
	out := make([]kb.Page, len(c.Members))
	for i, m := range c.Members {
		out[i] = m.page
	}
	return out
}

func (c *Cluster) refs() []string {
	out := make([]string, len(c.Members))
	for i, m := range c.Members {
		out[i] = m.Ref
	}
	return out
}

// summary is the summary page of a cluster.
type summary struct {
	title, path string
	name        string // target of links within its space
	id          kb.ID
	made        time.Time
	text        []byte
}

// compose builds the page of a cluster, with a title and a file name that no other
// page of the space has.
func compose(ctx context.Context, sess *memory.Session, tx store.Tx, s *write.Space, c *Cluster, acts map[string]bool, taken map[string]bool) (summary, error) {
	out := summary{made: sess.Now().UTC()}
	ext := change.Extension(sess, s)
	for i := 1; ; i++ {
		out.title = c.Title
		if i > 1 {
			out.title += " (" + strconv.Itoa(i) + ")"
		}
		var err error
		if out.path, err = ref.FreePath(ctx, tx, s.Space, space.NewPath(s, space.ShortName(out.title), ext), func(p string) bool { return taken[p] }); err != nil {
			return out, err
		}
		keys := []string{kb.NameKey(out.title), link.Key(link.RelationKind, out.title), link.Key(link.RelationKind, link.Slug(out.path))}
		bear, err := tx.Pages().ByNames(ctx, s.Row, keys)
		if err != nil {
			return out, err
		}
		if len(bear) == 0 && !slices.ContainsFunc(keys, func(k string) bool { return taken[k] }) {
			for _, k := range keys {
				taken[k] = true
			}
			break
		}
	}
	taken[kb.FoldPath(out.path)] = true
	out.id = kb.DerivedID(s.ID, out.path, "", 0)
	out.name = out.title
	org := s.Policy.Format == string(doc.Org) // in Org, a colon starts a URL
	if doc.SyntaxOf(s.Policy.Syntax).ByFile || strings.ContainsAny(out.title, "[]|#^/") || org && strings.Contains(out.title, ":") {
		slug := link.Slug(out.path)
		out.name = slug[strings.LastIndexByte(slug, '/')+1:]
	}
	sources, err := readSources(ctx, sess, tx, s, c, out.path)
	if err != nil {
		return out, err
	}
	if out.text, err = buildPage(sess, s, c, &out, c.Summary+sources); err != nil {
		return out, err
	}
	plain, err := buildPage(sess, s, c, &out, "."+sources)
	if err != nil {
		return out, err
	}
	err = verify(sess, s, c, &out, plain, acts)
	return out, err
}

// readSources returns the section that lists the replaced pages.
func readSources(ctx context.Context, sess *memory.Session, tx store.Tx, s *write.Space, c *Cluster, path string) (string, error) {
	codec := doc.ForPath(sess.Codecs, path)
	if codec == nil {
		return "", kb.Errorf(kb.Invalid, "no page can be made at %s", path)
	}
	out := "\n\n" + codec.Format().Heading(sourcesSection) + "\n\n"
	from := kb.Page{Space: s.Name, SpaceID: s.ID, Path: path, Slug: link.Slug(path)}
	for _, m := range c.Members {
		target, err := change.Target(ctx, sess, tx, from, m.page)
		if err != nil {
			return "", err
		}
		out += "- " + wikilink(codec, target, m.Title) + "\n"
	}
	return out, nil
}

// buildPage builds the document of a summary with this text.
func buildPage(sess *memory.Session, s *write.Space, c *Cluster, of *summary, body string) ([]byte, error) {
	codec := doc.ForPath(sess.Codecs, of.path).In(s.Syntax)
	text, err := change.Compose(sess, s, of.path, change.PutRequest{Title: of.title, Tags: c.commonTags(), Text: []byte(body)})
	if err != nil {
		return nil, err
	}
	edits := []doc.Edit{
		doc.SetProperty{Key: keyCreated, Value: of.made.Format(time.RFC3339)},
		doc.SetProperty{Key: keySource, Value: source},
	}
	if codec.Format() == doc.Org {
		edits = append(edits, doc.SetProperty{Key: "id", Value: string(of.id)}) // Org links use the id
	}
	return codec.Apply(codec.Parse(of.path, text), "", edits...)
}

// wikilink returns a link by name or id.
func wikilink(codec doc.Codec, target, title string) string {
	if _, id := kb.ParseID(target); id && codec.Format() == doc.Org {
		return "[[id:" + target + "][" + strings.NewReplacer("[", "(", "]", ")").Replace(title) + "]]"
	}
	return "[[" + target + "]]"
}

// commonTags returns the tags that at least half of the members have.
func (c *Cluster) commonTags() (out []string) {
	count := map[string]int{}
	for _, m := range c.Members {
		for _, tag := range m.tags {
			if count[tag]++; 2*count[tag] >= len(c.Members) && !slices.Contains(out, tag) {
				out = append(out, tag)
			}
		}
	}
	slices.Sort(out)
	return out
}

// verify rejects a summary that is more than prose: one that affects other pages,
// sets metadata of the page, hides the text after it, or contains pages of its own.
// plain is the page with neutral words instead.
func verify(sess *memory.Session, s *write.Space, c *Cluster, out *summary, plain []byte, acts map[string]bool) error {
	codec := doc.ForPath(sess.Codecs, out.path).In(s.Syntax)
	d := codec.Parse(out.path, out.text)
	n := &d.Nodes[0]
	said := codec.Parse(out.path, plain).Nodes[0]
	refused := func(why string) error {
		return kb.Errorf(kb.Invalid, "the summary of cluster %d %s", c.Number, why).With("cluster", c.Number).With("members", c.refs()).
			WithHint("Nothing was changed. A summary is prose and lists; what it links to is for you to decide, not for the pages.")
	}
	if len(d.Nodes) > 1 {
		return refused("makes pages of its headings")
	}
	if n.Title != out.title || !slices.EqualFunc(n.Metadata, said.Metadata, func(a, b doc.Property) bool { return a.Key == b.Key && slices.Equal(a.Values, b.Values) }) ||
		n.Status != said.Status || n.Type != said.Type || !slices.Equal(n.Aliases, said.Aliases) {
		return refused("brings metadata of its own")
	}
	for _, r := range n.Relations {
		if acts[kb.NameKey(r.Type)] {
			return refused("has a relation " + r.Type + ", which acts on another page")
		}
	}
	for _, l := range n.Links {
		if acts[kb.NameKey(l.Type)] {
			return refused("has a link " + l.Type + ", which acts on another page")
		}
	}
	if at, err := d.Part(n, sourcesSection); err != nil || countLinks(n, at) != len(c.Members) {
		return refused("keeps its pages from being named: look for an open code fence, comment or line ---")
	}
	return nil
}

// countLinks counts the links within a span.
func countLinks(n *doc.Node, at doc.Span) (count int) {
	for _, l := range n.Links {
		if at.Contains(l.Span) {
			count++
		}
	}
	return count
}
