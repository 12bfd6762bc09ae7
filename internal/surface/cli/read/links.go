package read

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type linksOptions struct {
	command.Paging
	api.LinksRequest
	unresolved, unlinked bool
}

func newLinks(p *command.Program) *cobra.Command {
	var o linksOptions
	cmd := &cobra.Command{
		Use:   "links [REF]",
		Short: "List the links from a page",
		Long: `List the links and relations from a page, in their order on the page, with the
page that each leads to. --temporal and --at narrow them to those that hold on a
day, or ended by then; --json has their ids. With --unresolved instead of a REF:
the broken and ambiguous links of the whole space. With --unlinked: the names of
pages that occur as plain words in the text of other pages, or of REF, without a
link to them.`,
		Example: `  cairn links people/ada
  cairn links people/ada --at 2019-06 --json
  cairn links --unresolved --limit 100
  cairn links --unlinked`,
		Args:              command.Need("[REF]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.unlinked {
				return listUnlinked(cmd, p, o, args)
			}
			if (len(args) == 1) == o.unresolved {
				return command.UsageError(cmd, "%s needs either REF, --unresolved or --unlinked", cmd.CommandPath())
			}
			if o.unresolved {
				return listUnresolved(cmd, p, o)
			}
			o.Ref = args[0]
			return listLinks(cmd.Context(), p, &o, target, func(a *memory.Session) (api.LinkList, error) {
				return links.List(cmd.Context(), a, o.LinksRequest)
			})
		},
	}
	cmd.Flags().BoolVar(&o.unresolved, "unresolved", false, "list the links of the space that lead nowhere")
	cmd.Flags().BoolVar(&o.unlinked, "unlinked", false, "list names of pages in texts without a link")
	o.addFlags(cmd)
	return cmd
}

func newBacklinks(p *command.Program) *cobra.Command {
	var o linksOptions
	cmd := &cobra.Command{
		Use:   "backlinks REF",
		Short: "List the links to a page",
		Long: `List the links and relations to a page, with the page that each is in. Relations
that have ended, or have not begun, are counted and left out, unless --temporal
or --at asks for them. With --unlinked: the pages that name it in their text and
do not link to it, with the line.`,
		Example: `  cairn backlinks people/ada
  cairn backlinks companies/brex --at 2019-06
  cairn backlinks people/ada --temporal all --format brief
  cairn backlinks people/ada --unlinked`,
		Args:              command.Need("REF"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Ref = args[0]
			if o.unlinked {
				return listMentions(cmd, p, o)
			}
			return listLinks(cmd.Context(), p, &o, holder, func(a *memory.Session) (api.LinkList, error) {
				o.Way = api.In
				return links.List(cmd.Context(), a, o.LinksRequest)
			})
		},
	}
	cmd.Flags().BoolVar(&o.unlinked, "unlinked", false, "list pages that name it without a link")
	o.addFlags(cmd)
	return cmd
}

func (o *linksOptions) addFlags(cmd *cobra.Command) {
	o.AddFlags(cmd, 50)
	addTimes(cmd, &o.Temporal, &o.At, &o.AsOf)
}

// addTimes adds the flags that say which links count by when they hold, and in which state of
// the memory.
func addTimes(cmd *cobra.Command, temporal *api.Temporal, at, asOf *string) {
	cmd.Flags().StringVar((*string)(temporal), "temporal", "", "links by `time`: current, historical or all")
	cmd.Flags().StringVar(at, "at", "", "links that held on this `date`")
	cmd.Flags().StringVar(asOf, "as-of", "", "the memory as it was at this `time` or date")
}

// listLinks prints the links at a page that list returns.
func listLinks(ctx context.Context, p *command.Program, o *linksOptions, e end, list func(*memory.Session) (api.LinkList, error)) error {
	if err := o.Check(); err != nil {
		return err
	}
	o.Limit, o.Offset = o.Show, o.Skip
	return p.WithFresh(ctx, true, func(a *memory.Session) error {
		l, err := list(a)
		if err != nil {
			return err
		}
		return printLinks(p, l, e)
	})
}

func listUnresolved(cmd *cobra.Command, p *command.Program, o linksOptions) error {
	if o.Temporal != "" || o.At != "" || o.AsOf != "" {
		return command.UsageError(cmd, "--unresolved lists links of all times: it cannot be combined with --temporal, --at and --as-of")
	}
	if err := o.Check(); err != nil {
		return err
	}
	return p.WithFresh(cmd.Context(), false, func(a *memory.Session) error {
		l, err := links.Unresolved(cmd.Context(), a, o.Show, o.Skip)
		if err != nil {
			return err
		}
		return printLinks(p, api.LinkList{List: l}, holder)
	})
}

func listUnlinked(cmd *cobra.Command, p *command.Program, o linksOptions, args []string) error {
	if o.unresolved || o.Temporal != "" || o.At != "" || o.AsOf != "" {
		return command.UsageError(cmd, "--unlinked conflicts with --unresolved, --temporal, --at and --as-of")
	}
	if err := o.Check(); err != nil {
		return err
	}
	return p.WithFresh(cmd.Context(), false, func(a *memory.Session) error {
		bar := p.Progress()
		l, err := links.UnlinkedIn(cmd.Context(), a, strings.Join(args, ""), links.UnlinkedRequest{Limit: o.Show, Offset: o.Skip, Progress: bar.Report})
		bar.Stop()
		if err != nil {
			return err
		}
		return printUnlinked(p, command.Listed(l))
	})
}

// listMentions prints the pages that name a page without a link.
func listMentions(cmd *cobra.Command, p *command.Program, o linksOptions) error {
	if o.Temporal != "" || o.At != "" || o.AsOf != "" {
		return command.UsageError(cmd, "--unlinked conflicts with --temporal, --at and --as-of")
	}
	if err := o.Check(); err != nil {
		return err
	}
	return p.WithFresh(cmd.Context(), false, func(a *memory.Session) error {
		l, err := links.Mentions(cmd.Context(), a, o.Ref, o.Show, o.Skip)
		if err != nil {
			return err
		}
		l = command.Listed(l)
		return p.Record(l, func(o *terminal.Page) {
			t := terminal.NewTable("TITLE", "PAGE", "LINE", "TEXT")
			for _, m := range l.Items {
				t.Row(o.Style.Title(m.Title), terminal.Name{Full: m.Ref, Short: m.Short}, m.Lines[0], m.Context)
			}
			t.Print(o)
			if len(l.Items) == 0 {
				o.Linef("no mentions without a link")
			}
			command.More(o, l, "page")
		}, func(o *terminal.Page) {
			for _, m := range l.Items {
				o.Linef("%s\t%d\t%s", m.Ref, m.Lines[0], m.Context)
			}
		})
	})
}

func printUnlinked(p *command.Program, l api.List[api.UnlinkedName]) error {
	lines := func(u api.UnlinkedName) string {
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(u.Lines), " ", ", "), "[]")
	}
	return p.Record(l, func(o *terminal.Page) {
		t := terminal.NewTable("TITLE", "NAMES", "PAGE", "LINES")
		for _, u := range l.Items {
			t.Row(o.Style.Title(u.Title), terminal.Name{Full: u.To, Short: u.ToShort}, terminal.Name{Full: u.From, Short: u.FromShort}, lines(u))
		}
		t.Print(o)
		if len(l.Items) == 0 {
			o.Linef("no unlinked names")
		}
		command.More(o, l, "name")
	}, func(o *terminal.Page) {
		for _, u := range l.Items {
			o.Linef("%s\t%s\t%s", u.From, u.To, lines(u))
		}
	})
}

// end is the end of a link that a list is about.
type end string

const (
	holder end = "FROM" // the page that holds the link
	target end = "TO"   // the page that it leads to
)

// ref names the page at an end of a link, "" when the link leads nowhere.
func (e end) ref(k api.Link) string {
	switch {
	case e == holder:
		return k.From
	case k.Page == nil:
		return ""
	}
	return k.Page.Ref
}

// printLinks prints links with the page at one of their ends.
func printLinks(p *command.Program, l api.LinkList, e end) error {
	l.List = command.Listed(l.List)
	return p.Record(l, func(o *terminal.Page) {
		t := terminal.NewTable("TITLE", string(e), "TYPE", "AS WRITTEN", "WHEN", "LINE", "").Extra(0, 3, 4, 6).Paths(3).Usual(2, kb.PlainLink)
		if e == holder {
			t.Usual(6, "unresolved")
		}
		for _, k := range l.Items {
			title, name := "", terminal.Name{Full: cmp.Or(e.ref(k), "-"), Short: cmp.Or(e.ref(k), "-")}
			if e == holder {
				title, name.Short = k.FromTitle, k.FromShort
			} else if k.Page != nil {
				title, name.Short = k.Page.Title, k.Page.Short
			}
			written := asRead(k)
			if written == title {
				written = "" // it adds nothing
			}
			t.Row(o.Style.Title(title), name, k.Type, written, when(k.ValidFrom, k.ValidUntil, k.Ended), k.Line, linkState(o, k))
		}
		t.Print(o)
		if len(l.Items) == 0 {
			o.Linef("no links")
		}
		command.More(o, l.List, "link")
		hidden(o, l.Hidden)
	}, func(o *terminal.Page) {
		for _, k := range l.Items {
			o.Linef("%s\t%s\t%s\t%d", e.ref(k), k.Type, k.Written(), k.Line)
		}
	})
}

// when is the time for which a link holds, and that it is over.
func when(from, until string, ended bool) string {
	text := kb.Interval{From: from, Until: until}.String()
	if ended {
		text += " ended"
	}
	return text
}

// hidden says how many links were left out for their time.
func hidden(o *terminal.Page, n int) {
	if n > 0 {
		o.Linef("%s", o.Style.Aside(fmt.Sprintf("%s of other times; --temporal all shows them", terminal.Count(n, "link"))))
	}
}

// asRead is what a reader of the page sees of a link: its text, with the part that
// it leads to, and for a target that is only an id the page's title. Of a link that leads to no
// page it is the target, which has to be mended.
func asRead(k api.Link) string {
	switch {
	case k.Page == nil:
		target := k
		target.Text = ""
		return target.Written()
	case k.Text != "":
		part := k
		part.Target, part.Text = "", ""
		if anchor := strings.TrimPrefix(part.Written(), "!"); strings.HasPrefix(anchor, "#") {
			return embedded(k) + k.Text + " (" + anchor + ")"
		}
		return embedded(k) + k.Text
	case k.Page != nil && k.Written() == string(k.Page.ID):
		return k.Page.Title
	}
	return k.Written()
}

// embedded is the sign before what a page shows of another.
func embedded(k api.Link) string {
	if k.Kind == "embed" {
		return "!"
	}
	return ""
}

func linkState(o *terminal.Page, k api.Link) terminal.Styled {
	switch k.State {
	case "resolved":
		return ""
	case "ambiguous":
		return o.Style.Warn(fmt.Sprintf("ambiguous: %s", strings.Join(k.Candidates, ", ")))
	case "unwritten":
		return o.Style.Aside("no page yet")
	case links.NoAnchor:
		return o.Style.Warn("no such heading or block")
	}
	return o.Style.Warn(k.State)
}
