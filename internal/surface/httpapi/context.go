package httpapi

import (
	"encoding/json"
	"github.com/cairn-kb/cairn/internal/memory"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/tables"
	"github.com/cairn-kb/cairn/internal/calendar/tree"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// MessageHeader is the header that says why a page is changed, for the history.
const MessageHeader = "Cairn-Message"

// contextRoot is where the pages of a space are by their paths.
const contextRoot = "/api/context"

// contextMethods answers at the paths of pages.
func (s *Server) contextMethods() methods {
	m := methods{http.MethodGet: s.atPath(readAt)}
	if !s.opts.ReadOnly {
		m[http.MethodPut], m[http.MethodPatch] = s.atPath(putAt, pageKinds...), s.atPath(patchAt, pageKinds...)
		m[http.MethodDelete] = s.atPath(deleteAt)
	}
	return m
}

// pageKinds are the types of bodies here: the text of a page, or JSON with it.
var pageKinds = []string{"text/markdown", "text/plain", "text/x-org", "application/json"}

// exchange is a request and the place to answer it.
type exchange struct {
	http.ResponseWriter
	*http.Request
	tree   *memory.Session
	at     tree.Place
	tables tables.Tables
	part   part
}

// part is how much of a list is asked for.
type part struct {
	limit, offset int // no limit: 0
}

// askedPart reads limit and offset, the only names that a query may have.
func askedPart(raw string) (p part, err error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return p, kb.Errorf(kb.Usage, "the query cannot be read: %w", err)
	}
	for name, values := range query {
		to, least := &p.limit, 1
		switch name {
		case "limit":
		case "offset":
			to, least = &p.offset, 0
		default:
			return p, kb.Errorf(kb.Usage, "there is no argument %q", name).WithHint("A list takes limit and offset.").With("argument", name)
		}
		if *to, err = strconv.Atoi(values[0]); err != nil || *to < least || *to > operation.MaxInteger || len(values) > 1 {
			return p, kb.Errorf(kb.Usage, "%s must be a whole number from %d", name, least).With("argument", name)
		}
	}
	return p, nil
}

// partOf returns the part of a list that is asked for, and the offset of the next one, "" at
// the end.
func partOf[T any](list []T, p part) (items []T, next string) {
	items = list[min(len(list), p.offset):]
	if p.limit > 0 && p.limit < len(items) {
		return items[:p.limit], strconv.Itoa(p.offset + p.limit)
	}
	return items, ""
}

// atPath finds what a request is about, and checks that the caller has its method there.
func (s *Server) atPath(do func(*exchange) error, kinds ...string) http.HandlerFunc {
	return s.whole(kinds, func(w http.ResponseWriter, r *http.Request, by kb.Actor) {
		c := memory.Caller{Space: r.Header.Get(operation.SpaceHeader), Actor: by}
		err := kb.CheckUTF8(c.Space)
		if err == nil {
			err = kb.CheckUTF8(r.PathValue("path"))
		}
		if err == nil {
			err = kb.CheckUTF8(r.Header.Get(MessageHeader))
		}
		read := r.Method == http.MethodGet || r.Method == http.MethodHead
		var asked part
		if err == nil && r.URL.RawQuery != "" {
			if asked, err = askedPart(r.URL.RawQuery); err == nil && !read {
				err = kb.Errorf(kb.Usage, "limit and offset are for GET")
			}
		}
		if err != nil {
			refuse(w, http.StatusBadRequest, err)
			return
		}
		over, err := s.acquire(r)
		if err != nil {
			refuse(w, http.StatusServiceUnavailable, err)
			return
		}
		defer over()
		a, err := s.opts.Memory.Session(r.Context(), false)
		if space.NothingYet(err) {
			refuse(w, http.StatusNotFound, kb.Errorf(kb.NotFound, "nothing was stored yet"))
			return
		}
		if err != nil {
			fail(w, err)
			return
		}
		a = a.For(c)
		defer a.Begin()()
		x := &exchange{ResponseWriter: w, Request: r, tree: a, tables: tables.Tables{Session: a}, part: asked}
		if x.at, err = tree.Find(r.Context(), x.tree, r.PathValue("path"), !read); err == nil {
			x.tables.Space = x.at.Space
			if !read && !x.may() {
				return
			}
			err = do(x)
		}
		switch status := statusOf(err); {
		case err != nil && r.Context().Err() != nil:
			refuse(w, http.StatusServiceUnavailable, gone())
		case status != 0:
			refuse(w, status, err)
		case err != nil:
			fail(w, err)
		}
	})
}

// badRequest is an error of what a client sent, with its status.
type badRequest struct {
	error
	status int
}

func statusOf(err error) int {
	if bad, ok := err.(badRequest); ok {
		return bad.status
	}
	return 0
}

func (b badRequest) Unwrap() error { return b.error }

// may answers a caller who has not the method at the place: that they have others, or
// that they can only read.
func (x *exchange) may() bool {
	methods := x.at.Methods
	whole := x.at.Directory || x.at.Table != "" && x.at.Row == ""
	if x.at.Directory {
		methods = nil
	}
	if slices.Contains(methods, x.Method) {
		return true
	}
	err := tree.May(x.tree, x.at, x.Method)
	if whole || len(methods) > 0 {
		allow := strings.Join(append([]string{http.MethodGet, http.MethodHead}, methods...), ", ")
		x.Header().Set("Allow", allow)
		refuse(x, http.StatusMethodNotAllowed, kb.Errorf(kb.Usage, "%s is not for %s", x.Method, x.URL.Path).WithHint("Methods are %s.", allow))
		return false
	}
	fail(x, err)
	return false
}

// Header is that of the answer; that of the request is x.Request.Header.
func (x *exchange) Header() http.Header { return x.ResponseWriter.Header() }

// Write is that of the answer.
func (x *exchange) Write(b []byte) (int, error) { return x.ResponseWriter.Write(b) }

// readAt answers with a page, as text or JSON, or with a directory listing.
func readAt(x *exchange) error {
	x.Header().Set("Vary", "Accept")
	if list := x.at.Directory || x.at.Table != "" && x.at.Row == ""; !list && x.URL.RawQuery != "" {
		return kb.Errorf(kb.Usage, "limit and offset are for directories and tables")
	}
	if x.at.Table != "" {
		return readTable(x)
	}
	if x.at.Directory {
		list, err := tree.List(x.Context(), x.tree, x.at)
		if err == nil {
			list.Items, list.Next = partOf(list.Items, x.part)
			respondUnlessHad(x, x.Request, list)
		}
		return err
	}
	f, err := tree.Read(x.Context(), x.tree, x.at)
	if err != nil {
		return err
	}
	switch asJSON := prefersJSON(x.Request.Header.Get("Accept")); {
	case asJSON && f.Current:
		respondVersion(x, x.Request, f.Version, f)
		return nil
	case asJSON:
		respond(x, f)
		return nil
	case f.Current && has(x, x.Request, etag(f.Version)):
		return nil
	}
	kind := "text/markdown; charset=utf-8"
	if !strings.HasSuffix(f.Path, ".md") || !utf8.ValidString(f.Text) {
		kind = "text/plain; charset=utf-8"
	}
	x.Header().Set("Content-Type", kind)
	_, _ = x.Write([]byte(f.Text)) // that nobody reads it is not our failure
	return nil
}

// prefersJSON reports whether a client names JSON, and no text before it.
func prefersJSON(accept string) bool {
	for kind := range strings.SplitSeq(accept, ",") {
		switch kind, _, _ := mime.ParseMediaType(strings.TrimSpace(kind)); kind {
		case "application/json":
			return true
		case "text/markdown", "text/plain", "text/*":
			return false
		}
	}
	return false
}

func etag(version int) string { return `"` + strconv.Itoa(version) + `"` }

// bodyReader reads a body in JSON.
type bodyReader = func(json.RawMessage) (operation.Body, error)

// read reads the body, text or JSON, and which version it is of. A body that the
// API's document allows and the path does not, which fits, is unprocessable rather
// than bad.
func (x *exchange) read(asJSON, fits bodyReader) (in operation.Body, err error) {
	text, err := io.ReadAll(x.Body)
	if err != nil {
		return in, bad(http.StatusBadRequest, "the body cannot be read: %w", err)
	}
	switch kind, _, _ := mime.ParseMediaType(x.Request.Header.Get("Content-Type")); kind {
	case "text/markdown", "text/plain", "text/x-org":
		if err := kb.CheckUTF8(string(text)); err != nil {
			return in, badRequest{err, http.StatusBadRequest}
		}
		in.Text = string(text)
	case "application/json":
		if in, err = asJSON(text); err != nil {
			if kb.CodeOf(err) == kb.Usage {
				status := http.StatusBadRequest
				if _, other := fits(text); other == nil {
					status = http.StatusUnprocessableEntity
				}
				err = badRequest{err, status}
			}
			return in, err
		}
	default:
		return in, badRequest{wrongKind(x.Request.Header, pageKinds), http.StatusUnsupportedMediaType}
	}
	err = x.precondition(&in)
	return in, err
}

func bad(status int, format string, args ...any) error {
	return badRequest{kb.Errorf(kb.Usage, format, args...), status}
}

// precondition takes the expected version from the headers.
func (x *exchange) precondition(in *operation.Body) error {
	match, none := x.Request.Header.Values("If-Match"), x.Request.Header.Values("If-None-Match")
	switch {
	case len(match) == 0 && len(none) == 0:
		return nil
	case len(match)+len(none) > 1 || in.Expected != nil:
		// Each is valid alone; the API's document cannot say that one excludes the other.
		return bad(http.StatusUnprocessableEntity, "the version is expected twice")
	case len(none) == 1:
		if none[0] != "*" {
			return bad(http.StatusBadRequest, "If-None-Match can only be *, which requires that the page does not exist")
		}
		in.Expected = new(int)
		return nil
	}
	switch match[0] {
	case "":
		// A header may be empty (RFC 9110, section 13.1.1: a list of no tags, which
		// nothing matches). A client that sends it has lost a version.
		return bad(http.StatusUnprocessableEntity, "If-Match names no version")
	case "*":
		f, err := tree.Read(x.Context(), x.tree, x.at)
		in.Expected = &f.Version
		return err
	}
	version, _, _ := strings.Cut(strings.Trim(strings.TrimPrefix(match[0], "W/"), `"`), "-")
	n, err := strconv.Atoi(version)
	if err != nil || n < 1 {
		return bad(http.StatusBadRequest, "If-Match must be the ETag of a version, such as %s", etag(3))
	}
	in.Expected = &n
	return nil
}

// options are those of a write, by the body and the headers.
func (x *exchange) options(in operation.Body) api.WriteOptions {
	return api.WriteOptions{Expected: in.Expected, Message: x.Request.Header.Get(MessageHeader)}
}

// wrote answers with what a write did.
func (x *exchange) wrote(w api.Written, err error) error {
	if err != nil || len(w.Pages) == 0 {
		return err
	}
	p := w.Pages[0]
	out := wroteAt{Space: p.Space, Path: p.Path, Version: p.Version, Change: string(p.Change), Write: w.Write, Notes: p.Notes}
	for _, w := range p.Warnings {
		out.Notes = append(out.Notes, w.Text)
	}
	status := http.StatusOK
	switch p.Change {
	case kb.Created:
		status = http.StatusCreated
		fallthrough
	default:
		x.Header().Set("ETag", etag(p.Version))
	case kb.Deleted:
	}
	text, err := json.Marshal(out)
	if err == nil {
		answer(x, status, "application/json", text)
	}
	return err
}

// wroteAt is the answer to a write.
type wroteAt struct {
	Space   string   `json:"space"`
	Path    string   `json:"path"`
	Version int      `json:"version"`
	Change  string   `json:"change"`
	Write   int64    `json:"write,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

func putAt(x *exchange) error {
	if x.at.Table != "" {
		return setRow(x, true)
	}
	in, err := x.read(operation.ReadWhole, operation.ReadRow)
	if err != nil {
		return err
	}
	if strings.TrimSpace(in.Text) == "" {
		return kb.Errorf(kb.Invalid, "the text is empty").WithHint("Nothing was written. Send the whole page.")
	}
	return x.wrote(tree.Put(x.Context(), x.tree, tree.Request{WriteOptions: x.options(in), At: x.at, Text: []byte(in.Text)}))
}

func patchAt(x *exchange) error {
	if x.at.Table != "" {
		return setRow(x, false)
	}
	in, err := x.read(operation.ReadChange, operation.ReadRow)
	if err != nil {
		return err
	}
	if len(in.Edits) == 0 { // it came as text
		if strings.TrimSpace(in.Text) == "" {
			return kb.Errorf(kb.Invalid, "there is nothing to append").WithHint("Nothing was written.")
		}
		in.Edits = []doc.Edit{doc.Append{Text: in.Text}}
	}
	return x.wrote(tree.Patch(x.Context(), x.tree, tree.Request{WriteOptions: x.options(in), At: x.at, Edits: in.Edits}))
}

func deleteAt(x *exchange) error {
	var in operation.Body
	if err := x.precondition(&in); err != nil {
		return err
	}
	if x.at.Table != "" {
		return x.wrote(x.tables.Remove(x.Context(), tables.Request{WriteOptions: x.options(in), Table: x.at.Table, Key: x.at.Row}))
	}
	return x.wrote(tree.Delete(x.Context(), x.tree, tree.Request{WriteOptions: x.options(in), At: x.at}))
}
