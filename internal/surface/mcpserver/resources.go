package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/operation"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

const (
	indexURI   = "memory://index"
	scheme     = "memory://"
	pagesURI   = scheme + "pages/"
	pagesURIs  = pagesURI + "{+slug}"
	anyURIs    = scheme + "{+path}"
	markdown   = "text/markdown"
	indexPages = 50 // pages that the index lists: those that changed last
)

// resource is Markdown that a client reads by its URI, or by a template of one.
type resource struct {
	sets                     []operation.Set
	uri, template            string // one of them
	name, title, description string
	read                     func(*Server, context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error)
}

var resources = []resource{
	{
		sets: []operation.Set{operation.Memories}, uri: indexURI, name: "index", title: "Index of the memory",
		description: "Slugs of the pages, by type.",
		read:        (*Server).readTypes,
	},
	{
		sets: general, uri: indexURI, name: "index", title: "Index of the memory",
		description: "Spaces, and the pages of the current one that changed last.",
		read:        (*Server).readIndex,
	},
	{
		sets: append([]operation.Set{operation.Memories}, general...), template: pagesURIs, name: "page", title: "A page",
		description: "A page by its slug, or by space:slug.",
		read:        (*Server).readPage,
	},
	{
		sets: []operation.Set{operation.Notes}, uri: projectURI, name: "project_info", title: "The project",
		description: "Counts of the current project, and when it was synced.",
		read:        (*Server).readProject,
	},
	{
		sets: append([]operation.Set{operation.Notes}, general...), template: anyURIs, name: "note", title: "A note",
		description: "A page by its path, project/path, id/UUID or title.",
		read:        (*Server).readNote,
	},
}

// offered are the resources of these sets.
func offered(sets []operation.Set) []resource {
	return slices.DeleteFunc(slices.Clone(resources), func(r resource) bool { return !operation.Share(r.sets, sets) })
}

func (s *Server) addResources() {
	for _, r := range offered(s.opts.Sets) {
		read := func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return r.read(s, ctx, req)
		}
		if r.template != "" {
			s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
				URITemplate: r.template, Name: r.name, Title: r.title, Description: r.description, MIMEType: markdown,
			}, read)
			continue
		}
		s.mcp.AddResource(&mcp.Resource{
			URI: r.uri, Name: r.name, Title: r.title, Description: r.description, MIMEType: markdown,
		}, read)
	}
}

func (s *Server) readIndex(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	a, err := s.app(ctx, req.Session, asked(req.Extra))
	var text strings.Builder
	if err == nil {
		err = writeIndex(ctx, a, &text)
	}
	switch {
	case space.NothingYet(err):
		text.WriteString("Nothing is stored yet.\n")
	case err != nil:
		return nil, wireError(err, s.has)
	}
	return contents(indexURI, text.String()), nil
}

func writeIndex(ctx context.Context, a *memory.Session, text *strings.Builder) error {
	current, err := a.Spaces.CurrentName(ctx)
	if err != nil {
		return err
	}
	spaces, err := a.Spaces.List(ctx)
	if err != nil {
		return err
	}
	recent, err := retrieve.Pages(ctx, a, retrieve.ListRequest{Sort: "updated", Limit: indexPages})
	if err != nil {
		return err
	}
	text.WriteString("# Memory\n\n")
	for _, s := range spaces {
		note := "not read yet"
		if s.Pages != nil {
			note = fmt.Sprint(*s.Pages, " pages")
		}
		if s.Name == current {
			note += ", current"
		}
		fmt.Fprintf(text, "- %s: %s\n", s.Name, note)
	}
	fmt.Fprintf(text, "\n## %s\n\n", cmp.Or(current, "All spaces"))
	for _, p := range recent.Items {
		fmt.Fprintf(text, "- [%s](%s) %s\n", p.Title, pagesURI+(&url.URL{Path: p.Ref}).EscapedPath(), p.Date)
	}
	if left := recent.Total - len(recent.Items); left > 0 {
		fmt.Fprintf(text, "- and %d more\n", left)
	}
	return nil
}

// readTypes answers the slugs of the pages of the current space, by type.
func (s *Server) readTypes(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	a, err := s.app(ctx, req.Session, asked(req.Extra))
	var pages api.List[api.Page]
	if err == nil {
		_, err = read.Freshen(ctx, a, read.FreshenRequest{})
	}
	if err == nil {
		pages, err = retrieve.Pages(ctx, a, retrieve.ListRequest{Sort: "slug"})
	}
	if err != nil && !space.NothingYet(err) {
		return nil, wireError(err, s.has)
	}
	of := map[string][]string{}
	for _, p := range pages.Items {
		of[p.Type] = append(of[p.Type], p.Slug)
	}
	var text strings.Builder
	text.WriteString("# Memory\n")
	for _, kind := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(&text, "\n## %s\n\n", cmp.Or(kind, "without a type"))
		for _, slug := range of[kind] {
			fmt.Fprintf(&text, "- %s\n", slug)
		}
	}
	return contents(indexURI, text.String()), nil
}

func (s *Server) readPage(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	a, err := s.app(ctx, req.Session, asked(req.Extra))
	if err == nil {
		var t api.Text
		if t, err = read.Get(ctx, a, read.GetRequest{Ref: refOf(req.Params.URI)}); err == nil {
			return contents(req.Params.URI, t.Text), nil
		}
	}
	if kb.CodeOf(err) == kb.NotFound {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	return nil, wireError(err, s.has)
}

// readNote is readPage for any URI that names a page. That a URI breaks a rule is
// said, rather than that nothing was found.
func (s *Server) readNote(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	a, err := s.app(ctx, req.Session, asked(req.Extra))
	if err == nil {
		var t api.Text
		if t, err = read.Get(ctx, a, read.GetRequest{Ref: req.Params.URI}); err == nil {
			return contents(req.Params.URI, t.Text), nil
		}
	}
	if kb.CodeOf(err) == kb.NotFound {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	return nil, wireError(err, s.has)
}

// wireError is a failure as the protocol has it where no tool was called, with
// all that the error of a tool says as its data. Without it the SDK sends the
// message alone, and 0 for the code.
func wireError(err error, has operation.Offered) error {
	f := operation.Failure(err, has).Error
	out := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: f.Message}
	switch f.Code {
	case kb.Usage, kb.Ambiguous, kb.NotFound, kb.Invalid:
		out.Code = jsonrpc.CodeInvalidParams
	}
	if f.Hint != "" {
		out.Message += ". " + f.Hint
	}
	if data, err := json.Marshal(f); err == nil { // otherwise the details do not marshal
		out.Data = data
	}
	return out
}

// validErrors takes out the data of an error that is not JSON: the SDK quotes a URI in it as Go
// does, and a message that cannot be written ends the session. Errors without data are left
// alone: sessions share those of the SDK.
func validErrors(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if e := (*jsonrpc.Error)(nil); errors.As(err, &e) && len(e.Data) > 0 && !json.Valid(e.Data) {
			e.Data = nil
		}
		return result, err
	}
}

// readAsWritten accepts a URI with an unescaped ref, as completion offers it:
// the SDK matches only percent-encoded URIs.
func readAsWritten(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		read, ok := req.(*mcp.ReadResourceRequest)
		if !ok || read.Params == nil || !strings.HasPrefix(read.Params.URI, scheme) {
			return next(ctx, method, req)
		}
		asked := read.Params.URI
		if err := ref.CheckURI(asked); err != nil && !strings.HasPrefix(asked, pagesURI) {
			return nil, wireError(err, nil)
		}
		read.Params.URI = encoded(asked)
		result, err := next(ctx, method, req)
		if r, ok := result.(*mcp.ReadResourceResult); ok && r != nil {
			for _, c := range r.Contents {
				c.URI = asked
			}
		}
		return result, err
	}
}

// escape is a percent-encoded byte in a URI.
var escape = lazyregexp.New(`%[0-9A-Fa-f]{2}`)

// encoded percent-encodes what a URI may not hold, and nothing that is encoded.
func encoded(uri string) string {
	const may = "-._~:/?#[]@!$&'()*+,;="
	var out strings.Builder
	for i := 0; i < len(uri); i++ {
		c := uri[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if letter || strings.IndexByte(may, c) >= 0 || c == '%' && escape().MatchString(uri[i:min(i+3, len(uri))]) {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

func contents(uri, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{
		Cacheable: mcp.Cacheable{CacheScope: "private"}, // pages are their owner's; absent means public
		Contents:  []*mcp.ResourceContents{{URI: uri, MIMEType: markdown, Text: text}},
	}
}

// refOf returns the ref in a page's URI.
func refOf(uri string) string {
	ref := strings.TrimPrefix(uri, pagesURI)
	if plain, err := url.PathUnescape(ref); err == nil {
		return plain
	}
	return ref
}

// maxCompletions is what the protocol allows.
const maxCompletions = 100

// complete offers refs for the page template.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	out := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	r := req.Params.Ref
	if r == nil || r.Type != "ref/resource" || !strings.HasPrefix(r.URI, pagesURI) || req.Params.Argument.Name != "slug" {
		return out, nil
	}
	a, err := s.app(ctx, req.Session, asked(req.Extra))
	if err == nil {
		out.Completion.Values, out.Completion.Total, err = a.Refs.Complete(ctx, req.Params.Argument.Value, maxCompletions, false)
	}
	switch {
	case space.NothingYet(err):
		return out, nil
	case err != nil:
		return nil, wireError(err, s.has)
	}
	if out.Completion.Values == nil {
		out.Completion.Values = []string{}
	}
	out.Completion.HasMore = out.Completion.Total > len(out.Completion.Values)
	return out, nil
}
