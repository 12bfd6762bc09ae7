package kt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

type captureOptions struct {
	command.Input
	api.CaptureRequest
	tags string
}

func newCapture(p *command.Program) *cobra.Command {
	var o captureOptions
	cmd := &cobra.Command{
		Use:   "capture [TEXT]",
		Short: "Capture knowledge as a node",
		Example: `  kt capture "Client X rejected sprint format"
  kt capture --namespace clients --file notes.md`,
		Args: command.Need("[TEXT]"),
		RunE: func(cmd *cobra.Command, args []string) error { return capture(cmd, p, &o, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.Title, "title", "t", "", "set the `title`")
	f.StringVar(&o.tags, "tags", "", "`tags` with commas between them")
	f.StringVar(&o.Session, "session", "", "note the `id` of the session")
	o.AddFlags(cmd, "the text")
	return cmd
}

func capture(cmd *cobra.Command, p *command.Program, o *captureOptions, args []string) error {
	var text *string
	if len(args) > 0 {
		text = &args[0]
	}
	body, err := o.ReadText(cmd.Context(), p, cmd, text)
	if err != nil {
		return err
	}
	o.Text = string(body)
	for tag := range strings.SplitSeq(o.tags, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			o.Tags = append(o.Tags, tag)
		}
	}
	return open(cmd, p, command.Create, func(a *memory.Session) error {
		if o.Alias, err = newID(cmd.Context(), a, p.Env.Now(), string(body)); err != nil {
			return err
		}
		done, err := ingest.Capture(cmd.Context(), a, o.CaptureRequest)
		if err != nil {
			return err
		}
		nodes, err := importer.NodesOfKT(cmd.Context(), a, []string{done.Ref}, true)
		if err != nil {
			return err
		}
		if err := tellSimilar(cmd.Context(), p, a, done, nodes[0]); err != nil {
			return err
		}
		if p.Flags.Format == "" && !p.Env.StdoutTTY {
			p.Flags.Format = string(command.FormatBrief) // a script takes the output for the id
		}
		if err := p.Did(nodes[0], func(out *terminal.Page) {
			verb := "Captured as"
			switch {
			case done.Dropped():
				verb = "Nothing captured: the title is taken, with another text, by"
			case len(done.Existing) > 0:
				verb = "Nothing captured: it is known as"
			}
			out.Linef("%s %s in namespace '%s'", verb, nodes[0].ID, nodes[0].Namespace)
		}, func(out *terminal.Page) { out.Linef("%s", nodes[0].ID) }); err != nil {
			return err
		}
		if err := p.EmbedWritten(cmd.Context(), a, done.Written, false); err != nil {
			return err
		}
		if done.Dropped() {
			return command.ErrConflicts
		}
		return nil
	})
}

// tellSimilar names the nodes that are similar to a captured one, and suggests
// alternatives.
func tellSimilar(ctx context.Context, p *command.Program, a *memory.Session, done ingest.CaptureAnswer, made importer.Node) error {
	if len(done.Similar) == 0 || len(done.Existing) > 0 {
		return nil
	}
	var refs []string
	for _, h := range done.Similar {
		refs = append(refs, h.Ref)
	}
	similar, err := importer.NodesOfKT(ctx, a, refs, false)
	if err != nil {
		return err
	}
	for _, n := range similar {
		p.Note("Similar knowledge exists: %s '%s'", n.ID, n.Title)
	}
	p.Note("Both are kept. To extend or update %[1]s instead: kt delete %[2]s, then cairn capture --extend %[1]s or --update %[1]s", similar[0].ID, made.ID)
	return nil
}

// newID returns an unused id in kt's form, derived from the captured text and
// its time.
func newID(ctx context.Context, a *memory.Session, now time.Time, text string) (string, error) {
	for n := now.UnixNano(); ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", n, text))
		id := "kt-" + hex.EncodeToString(sum[:3])
		switch _, err := read.Get(ctx, a, read.GetRequest{Ref: id}); kb.CodeOf(err) {
		case kb.NotFound:
			return id, nil
		case "", kb.Ambiguous:
		default:
			return "", err
		}
	}
}

// linkTypes are the links that kt has.
var linkTypes = []string{"supersedes", "contradicts", "related"}

func newLink(p *command.Program) *cobra.Command {
	var req api.LinkRequest
	cmd := &cobra.Command{
		Use:   "link SOURCE TYPE TARGET",
		Short: "Link two nodes",
		Long:  "Link two nodes: by supersedes, contradicts or related.",
		Example: `  kt link kt-a1b2 supersedes kt-c3d4
  kt link kt-a1b2 contradicts kt-e5f6 --context "different conclusion from same data"`,
		Args: command.Need("SOURCE", "TYPE", "TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(linkTypes, args[1]) {
				return command.UsageError(cmd, "unknown link type %q (want %s)", args[1], strings.Join(linkTypes, ", "))
			}
			req.From, req.Type, req.To = args[0], args[1], args[2]
			type linked struct {
				SourceID string  `json:"source_id"`
				TargetID string  `json:"target_id"`
				LinkType string  `json:"link_type"`
				Context  *string `json:"context"`
			}
			made := linked{SourceID: args[0], TargetID: args[2], LinkType: args[1]}
			if req.Context != "" {
				made.Context = &req.Context
			}
			return does(cmd, p, fmt.Sprintf("Linked: %s %s %s", args[0], args[1], args[2]), made, func(a *memory.Session) (api.Written, error) {
				return links.Add(cmd.Context(), a, req)
			})
		},
	}
	cmd.Flags().StringVarP(&req.Context, "context", "c", "", "`why` the link exists")
	return cmd
}

func newStatus(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "status ID STATUS",
		Short:   "Set the status of a node",
		Example: "  kt status kt-a1b2 active",
		Args:    command.Need("ID", "STATUS"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return does(cmd, p, args[0]+" → "+args[1], nodeState{ID: args[0], Status: args[1]}, func(a *memory.Session) (api.Written, error) {
				return ageing.ChangeStatus(cmd.Context(), a, ageing.StatusRequest{Ref: args[0], Status: args[1]})
			})
		},
	}
}

func newDelete(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "delete ID",
		Short:   "Delete a node; cairn undo brings it back",
		Example: "  kt delete kt-a1b2",
		Args:    command.Need("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return does(cmd, p, "Deleted "+args[0], nodeState{ID: args[0], Status: "deleted"}, func(a *memory.Session) (api.Written, error) {
				return change.Delete(cmd.Context(), a, change.DeleteRequest{Ref: args[0]})
			})
		},
	}
}

// nodeState is the status of a node after a command.
type nodeState struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// does changes something and prints the result.
func does(cmd *cobra.Command, p *command.Program, said string, result any, do func(*memory.Session) (api.Written, error)) error {
	return p.WithApp(cmd.Context(), command.Synced, func(a *memory.Session) error {
		done, err := do(a)
		if err != nil {
			return err
		}
		if err := say(p, said, result); err != nil {
			return err
		}
		return p.EmbedWritten(cmd.Context(), a, done, false)
	})
}

// say prints the result of a command: as JSON if that was asked for, else in a line, as kt
// does also off a terminal.
func say(p *command.Program, said string, result any) error {
	if p.Flags.Format == string(command.FormatJSON) {
		return command.Done(p.JSON(result))
	}
	return command.Done(p.Write([]byte(said + "\n")))
}

func newNamespaces(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{Use: "ns", Short: "Make and list namespaces", Args: command.Subcommand}
	var about string
	create := &cobra.Command{
		Use:     "create NAME",
		Short:   "Make a namespace",
		Example: "  kt ns create clients --description \"What clients said\"",
		Args:    command.Need("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.WithApp(cmd.Context(), command.Create, func(a *memory.Session) error {
				s, err := gitsync.AddSpace(cmd.Context(), a, space.AddRequest{Name: args[0], Database: true, Preset: "capture", Description: about})
				if err != nil {
					return err
				}
				made := namespace{Slug: s.Name, Name: s.Name}
				if about != "" {
					made.Description = &about
				}
				return say(p, "Created namespace: "+s.Name, made)
			})
		},
	}
	create.Flags().StringVar(&about, "description", "", "what it is about, in a `line`")
	cmd.AddCommand(create, &cobra.Command{
		Use:   "list",
		Short: "List namespaces",
		Args:  command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				spaces, err := a.Spaces.List(cmd.Context())
				if err != nil {
					return err
				}
				all := make([]namespace, len(spaces))
				for i, s := range spaces {
					all[i] = namespace{Slug: s.Name, Name: s.Name}
					if s.Description != "" {
						all[i].Description = &spaces[i].Description
					}
				}
				return p.Record(all, func(o *terminal.Page) {
					for _, n := range all {
						o.Linef("%s", n.Slug)
					}
					if len(all) == 0 {
						o.Linef("No namespaces.")
					}
				}, nil)
			})
		},
	})
	return cmd
}

// namespace is a space as kt has it.
type namespace struct {
	Slug        string  `json:"slug"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
}

// mapping is a mapping as kt has it.
type mapping struct {
	Pattern   string `json:"directory_pattern"`
	Namespace string `json:"namespace"`
}

func newMap(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "map [PATTERN NAMESPACE]",
		Short:   "Map directories to a namespace, or list the mappings",
		Example: "  kt map '~/GitHub/client-x/*' clients",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return command.UsageError(cmd, "kt map needs PATTERN and NAMESPACE")
			}
			return command.Need("[PATTERN]", "[NAMESPACE]")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				if len(args) == 2 {
					m, err := a.Spaces.Map(cmd.Context(), args[0], args[1])
					if err != nil {
						return err
					}
					return say(p, "Mapped: "+args[0]+" → "+m.Space, mapping{m.Glob, m.Space})
				}
				maps, err := a.Spaces.Maps(cmd.Context())
				if err != nil {
					return err
				}
				all := make([]mapping, len(maps))
				for i, m := range maps {
					all[i] = mapping{m.Glob, m.Space}
				}
				return p.Record(all, func(o *terminal.Page) {
					for _, m := range all {
						o.Linef("%s → %s", m.Pattern, m.Namespace)
					}
					if len(all) == 0 {
						o.Linef("No mappings.")
					}
				}, nil)
			})
		},
	}
}

func newEmbed(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "embed",
		Short: "Embed the nodes that wait for it",
		Args:  command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				r, err := p.EmbedPages(cmd.Context(), a, embedding.Request{All: true}, true)
				if err != nil {
					return err
				}
				return say(p, fmt.Sprintf("Done: %d embedded, %d left.", r.Pages, r.Left), embedded{r.Pages, r.Left})
			})
		},
	}
}

// embedded counts the nodes of kt embed.
type embedded struct {
	Embedded int `json:"embedded"`
	Pending  int `json:"pending_embeddings"`
}

// stats are counts as kt has them.
type stats struct {
	Total       int          `json:"total"`
	Active      int          `json:"active"`
	Stale       int          `json:"stale"`
	Compacted   int          `json:"compacted"`
	ByNamespace []spaceCount `json:"by_namespace"` // without those that were compacted
	Pending     int          `json:"pending_embeddings"`
	Summaries   int          `json:"compaction_summaries"`
	Oldest      *time.Time   `json:"oldest_active"` // when the active node changed that did longest ago
}

type spaceCount struct {
	Namespace string `json:"namespace"`
	Count     int    `json:"count"`
}

func newStats(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "Count nodes by status, namespace and age",
		Args:  command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := p.Flags.Space == ""
			return p.WithFresh(cmd.Context(), all, func(a *memory.Session) error {
				pages, err := retrieve.Pages(cmd.Context(), a, retrieve.ListRequest{Within: retrieve.Within{All: all}})
				if err != nil {
					return err
				}
				refs := make([]string, len(pages.Items))
				for i, pg := range pages.Items {
					refs[i] = pg.Ref
				}
				nodes, err := importer.NodesOfKT(cmd.Context(), a, refs, false)
				if err != nil {
					return err
				}
				return printStats(p, count(nodes))
			})
		},
	}
}

func count(nodes []importer.Node) stats {
	s := stats{Total: len(nodes), ByNamespace: []spaceCount{}}
	for _, n := range nodes {
		switch n.Status {
		case kb.Active:
			s.Active++
			if s.Oldest == nil || n.UpdatedAt.Before(*s.Oldest) {
				s.Oldest = &n.UpdatedAt
			}
		case kb.Stale:
			s.Stale++
		case kb.Compacted:
			s.Compacted++
		}
		if n.EmbeddingPending {
			s.Pending++
		}
		if n.SourceType == "compaction" {
			s.Summaries++
		}
		if n.Status == kb.Compacted {
			continue
		}
		i := slices.IndexFunc(s.ByNamespace, func(c spaceCount) bool { return c.Namespace == n.Namespace })
		if i < 0 {
			i = len(s.ByNamespace)
			s.ByNamespace = append(s.ByNamespace, spaceCount{Namespace: n.Namespace})
		}
		s.ByNamespace[i].Count++
	}
	slices.SortStableFunc(s.ByNamespace, func(x, y spaceCount) int { return y.Count - x.Count })
	return s
}

func printStats(p *command.Program, s stats) error {
	return p.Record(s, func(o *terminal.Page) {
		o.Linef("Total: %d  (active: %d, stale: %d, compacted: %d)", s.Total, s.Active, s.Stale, s.Compacted)
		o.Linef("Compaction summaries: %d", s.Summaries)
		o.Linef("Pending embeddings: %d", s.Pending)
		if s.Oldest != nil {
			o.Linef("Oldest active node: %s", s.Oldest.Format(time.DateOnly))
		}
		for _, c := range s.ByNamespace {
			o.Linef("  %s: %d", c.Namespace, c.Count)
		}
	}, nil)
}
