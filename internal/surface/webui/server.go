package webui

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	memspace "github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/login"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/webui/render"
)

// Options of a Server. All are needed unless stated.
type Options struct {
	Memory    operation.Memory
	ReadOnly  bool          // offer nothing that changes pages
	Secret    func() string // the owner's token as it is now; "" lets nobody in
	Host      string        // name of the host, of the form that login.Host gives
	PublicURL string        // address by which a proxy is reached; "" for none
	Now       func() time.Time
	Ledger    login.Ledger // of the tickets that are used up
	Clients   Clients      // nil shows their commands only
}

// Server answers the requests of browsers.
type Server struct {
	opts    Options
	assets  map[string]asset
	version string         // changes with the text of any asset
	host    string         // "" for that of the options
	base    string         // path under which a proxy has the server, without a slash at the end
	secure  bool           // browsers reach it over TLS
	proxied *Server        // for the public address; nil for none
	day     string         // as of which everything is shown; "" for now
	wholes  *render.Wholes // of all servers
	layouts *layouts       // the same
	slow    *slow          // the same
}

// CheckPublic returns the public address, which a proxy serves.
func CheckPublic(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		// The address may have a login, or a token in its query.
		return nil, kb.Errorf(kb.Usage, "the public address is not one of a web server").
			WithHint("It looks like https://notes.example.org or https://example.org/notes.")
	}
	return u, nil
}

// New returns a Server.
func New(opts Options) (*Server, error) {
	s := &Server{opts: opts, wholes: &render.Wholes{}, layouts: &layouts{}, slow: newSlow()}
	if err := s.loadAssets(); err != nil {
		return nil, err
	}
	if opts.PublicURL != "" {
		u, err := CheckPublic(opts.PublicURL)
		if err != nil {
			return nil, err
		}
		s.proxied = &Server{
			opts: opts, assets: s.assets, version: s.version, wholes: s.wholes, layouts: s.layouts, slow: s.slow, host: strings.ToLower(u.Host), secure: u.Scheme == "https",
			base: strings.TrimSuffix(path.Clean("/"+u.EscapedPath()), "/"),
		}
	}
	return s, nil
}

// Close breaks off questions that outlive their requests, and waits for their end.
func (s *Server) Close() { s.slow.end() }

// site returns the server at the address of a request.
func (s *Server) site(r *http.Request) *Server {
	if s.proxied != nil && strings.EqualFold(r.Host, s.proxied.host) {
		return s.proxied
	}
	return s
}

// Nothing answers for a path at which there is nothing.
func (s *Server) Nothing(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	s.site(r).refuse(w, http.StatusNotFound, "There is no such page.")
}

// Refuse answers a request that cannot be read or take its turn.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	title, why := http.StatusText(status), kb.AsError(err).Error()+"."
	if status == http.StatusRequestEntityTooLarge {
		title, why = "This is too large", fmt.Sprintf("Nothing was saved: a form may have %d MB. Go back to your text, and save it in parts, or as a file.", maxForm>>20)
	}
	s.site(r).show(w, status, s.site(r).plain(title, el("p", why)))
}

// Handler answers the requests for which Serves is true. Those that are let in go
// on within, which reads a body up to a limit, or to events.
func (s *Server) Handler(within func(limit int64, next http.Handler) http.Handler, events http.Handler) http.Handler {
	limited := func(next http.Handler) http.Handler { return within(maxRead, next) }
	own := s.routes(limited, events)
	proxied := own
	if s.proxied != nil {
		proxied = s.proxied.routes(limited, events)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		switch {
		case s.site(r) != s:
			proxied.ServeHTTP(w, r)
		case s.current(r):
			own.ServeHTTP(w, r)
		default:
			s.former(w, r)
		}
	})
}

// routes answers below the base.
func (s *Server) routes(within func(http.Handler) http.Handler, events http.Handler) http.Handler {
	mux := http.NewServeMux()
	door := func(next func(http.ResponseWriter, *http.Request, kb.Actor)) http.HandlerFunc {
		return s.door(within, next)
	}
	mux.HandleFunc("GET /login", s.enter)
	mux.HandleFunc("GET /assets/{name}", s.asset)
	mux.HandleFunc("GET /assets/{version}/{name}", s.asset)
	mux.HandleFunc("GET /diagram", s.diagram)
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "User-agent: *\nDisallow: /\n") })
	mux.HandleFunc("GET /file/{space}/{path...}", door(s.file))
	mux.HandleFunc("GET /graph.json", door(s.graphData))
	mux.HandleFunc("GET /words.json", door(s.words))
	mux.HandleFunc("GET /time", door(s.chosen))
	mux.HandleFunc("/at/{day}/", func(w http.ResponseWriter, r *http.Request) { s.past(within, r.PathValue("day")).ServeHTTP(w, r) })
	mux.HandleFunc("GET /events", s.door(func(http.Handler) http.Handler { return events }, nil))
	mux.HandleFunc("POST /logout", door(s.leave))
	for pattern, screen := range screens {
		mux.HandleFunc("GET "+pattern, door(s.screen(screen)))
	}
	if !s.opts.ReadOnly {
		for pattern, screen := range previews {
			mux.HandleFunc("GET "+pattern, door(s.screen(screen)))
		}
		for pattern, change := range changes {
			mux.HandleFunc("POST "+pattern, door(s.change(func(v *view) (string, *page, error) {
				to, err := change(v)
				return to, nil, err
			})))
		}
		for pattern, change := range texts {
			mux.HandleFunc("POST "+pattern, door(s.change(change)))
		}
		mux.HandleFunc("POST /preview", door(s.change(func(v *view) (string, *page, error) {
			p, err := preview(v)
			return "", &p, err
		})))
	}
	mux.HandleFunc("/", door(func(w http.ResponseWriter, r *http.Request, _ kb.Actor) {
		if allow := allowed(mux, r); len(allow) > 0 {
			w.Header().Set("Allow", strings.Join(allow, ", "))
			s.refuse(w, http.StatusMethodNotAllowed, "This page takes no such request.")
			return
		}
		s.refuse(w, http.StatusNotFound, "There is no such page.")
	}))
	if s.base == "" {
		return mux
	}
	return s.below(s.base, mux)
}

// below passes requests on without the beginning of their path.
func (s *Server) below(base string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		below, ok := strings.CutPrefix(r.URL.EscapedPath(), base)
		switch {
		case ok && below == "":
			http.Redirect(w, r, base+"/", http.StatusPermanentRedirect)
		case ok && below[0] == '/':
			in := r.Clone(r.Context())
			plain, err := url.PathUnescape(below)
			if err != nil {
				s.Nothing(w, r)
				return
			}
			in.URL.Path, in.URL.RawPath = plain, below
			next.ServeHTTP(w, in)
		default:
			s.Nothing(w, r)
		}
	})
}

// allowed are the methods that a path takes.
func allowed(mux *http.ServeMux, r *http.Request) (out []string) {
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		in := r.Clone(r.Context())
		in.Method = method
		if _, pattern := mux.Handler(in); pattern != "/" {
			out = append(out, method)
		}
	}
	return out
}

// view is one screen that is being made.
type view struct {
	*Server
	ctx   context.Context
	r     *http.Request
	by    kb.Actor
	calls []call
	nonce string // of the styles of the editor; "" for a screen without one
	id    string // of the page whose text was read last for a form

	dismissed data     // items of Today that the person dismissed
	pages     int      // of all spaces, as Today counted them
	spaces    []string // of the memory, as Today listed them
	looking   bool     // for problems and duplicates, which Today shows as they were
	later     []func() // look for them when the screen is made

	among  []string // see undecided
	looked bool     // for them

	outside []string // origins of other servers whose pictures the screen shows
}

// header sets the headers that a screen needs.
func (v *view) header(h http.Header) {
	if v.nonce != "" {
		h.Set("Content-Security-Policy", withStyles(v.nonce))
	}
	if len(v.outside) > 0 {
		h.Set("Content-Security-Policy", withPictures(v.outside))
	}
}

// call is an operation that a screen asked.
type call struct {
	op   *operation.Operation
	args args
}

type args map[string]any

// page is a screen: its title, and its main part.
type page struct {
	title  string
	place  string // of the navigation
	body   node
	status int // 200 for 0
}

// find returns an operation by its name.
func find(name string) *operation.Operation {
	for _, op := range operation.All() {
		if op.Name == name {
			return op
		}
	}
	panic("webui: no operation " + name)
}

// ask performs an operation, and notes it for the foot.
func (v *view) ask(name string, in args) (data, error) {
	return decoded(v.asked(name, in))
}

// asked is ask with the answer as the operation gives it.
func (v *view) asked(name string, in args) (any, error) {
	op := find(name)
	in = v.then(op, in)
	v.calls = append(v.calls, call{op, in})
	return v.perform(op, in)
}

// meanwhile makes a part of a screen in a goroutine. Wait returns its error when it is done;
// it is called before the screen is answered, also after another error.
func (v *view) meanwhile(do func(*view) error) (wait func() error) {
	part := *v
	part.calls = nil
	var err error
	var failure any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { failure = recover() }()
		err = do(&part)
	}()
	return func() error {
		<-done
		if failure != nil {
			panic(failure) // as if this goroutine had done it
		}
		v.calls = append(v.calls, part.calls...)
		return err
	}
}

// suggests is the header of requests that only look up what to offer while a person types.
const suggests = "Cairn-Suggests"

// run performs an operation.
func (v *view) run(op *operation.Operation, in args) (data, error) {
	return decoded(v.perform(op, in))
}

// perform performs an operation as the person of the session.
func (v *view) perform(op *operation.Operation, in args) (any, error) {
	given, err := json.Marshal(v.then(op, in))
	if err != nil {
		return nil, err
	}
	c, err := op.Read(given)
	if err != nil {
		return nil, err
	}
	return c.Run(v.ctx, v.opts.Memory, memory.Caller{Actor: v.by, Suggests: v.suggests()})
}

func (v *view) suggests() bool { return v.r.Header.Get(suggests) != "" }

// decoded is an answer as a program gets it.
func decoded(out any, err error) (data, error) {
	if err != nil {
		return nil, err
	}
	written, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(written))
	d.UseNumber()
	var answer data
	err = d.Decode(&answer)
	return answer, err
}

// screen answers with a screen. An error is a screen as well.
func (s *Server) screen(make func(*view) (page, error)) func(http.ResponseWriter, *http.Request, kb.Actor) {
	return func(w http.ResponseWriter, r *http.Request, by kb.Actor) {
		v := &view{Server: s, ctx: r.Context(), r: r, by: by}
		p, err := make(v)
		if memspace.NothingYet(err) {
			p, err = page{title: "No memory yet", body: v.noMemory()}, nil
		}
		if err != nil {
			p = failed(err)
			if ref := r.PathValue("ref"); ref != "" && p.status == http.StatusNotFound {
				p.body = nodes{p.body, el("p", el("a.button", href(s.base+"/?q="+url.QueryEscape(path.Base(ref))), "Search for it"))}
			}
		}
		if p.status == 0 {
			p.status = http.StatusOK
		}
		v.header(w.Header())
		v.send(w, p.status, htmlKind, document(v.whole(p)))
	}
}

// maxForm is how many bytes a form may have: those of a large page, encoded. A larger one is
// read up to maxRead, so that its text can be given back.
const (
	maxForm = 8 << 20
	maxRead = 4 * maxForm
)

// counted is a body that counts what is read of it.
type counted struct {
	io.ReadCloser
	size int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.size += n
	return n, err
}

// readForm reads the form of a request, and returns its size.
func readForm(w http.ResponseWriter, r *http.Request) (size int, err error) {
	body := &counted{ReadCloser: r.Body}
	r.Body = http.MaxBytesReader(w, body, maxRead) // else no more than 10 MB are parsed
	err = r.ParseForm()
	return body.size, err
}

// typed are the fields of forms with a text that a person typed.
var typed = []string{"text", "answer"}

// giveBack answers a form that was not taken, with the texts that were typed into it.
func (s *Server) giveBack(w http.ResponseWriter, r *http.Request, status int, title string, why ...any) {
	var texts nodes
	for _, name := range typed {
		if t := r.PostFormValue(name); t != "" {
			texts = append(texts, el("label", attr{"for", "back-" + name}, "Your text"),
				el("textarea", attr{"id", "back-" + name}, attr{"readonly", ""}, attr{"rows", "24"}, raw("\n"+t)))
		}
	}
	if texts == nil {
		s.show(w, status, s.plain(title, why...))
		return
	}
	s.show(w, status, s.wholePage(title, attr{}, nil, el("main.edit", append(append([]any{el("h1", title)}, why...), texts)...)))
}

// change answers a form with the place to go on, or with a page.
func (s *Server) change(do func(*view) (to string, shown *page, _ error)) func(http.ResponseWriter, *http.Request, kb.Actor) {
	return func(w http.ResponseWriter, r *http.Request, by kb.Actor) {
		size, err := readForm(w, r)
		if err != nil {
			s.refuse(w, http.StatusBadRequest, "The form cannot be read.")
			return
		}
		if size > maxForm {
			s.giveBack(w, r, http.StatusRequestEntityTooLarge, "This is too large", el("p", fmt.Sprintf("A form may have %d MB. Nothing was saved; save the text in parts, or as a file.", maxForm>>20)))
			return
		}
		v := &view{Server: s, ctx: r.Context(), r: r, by: by}
		to, shown, err := do(v)
		if err != nil {
			p := failed(err)
			shown = &p
		}
		if shown != nil {
			v.header(w.Header())
			v.send(w, cmp.Or(shown.status, http.StatusOK), htmlKind, document(v.whole(*shown)))
			return
		}
		http.Redirect(w, r, s.base+ofForm(to, v.field("form")), http.StatusSeeOther)
	}
}

// ofForm adds the mark of a form that was taken to an address: a script then drops the draft
// of that form, and of no other.
func ofForm(to, form string) string {
	if form == "" || len(form) > 40 || strings.Trim(form, "0123456789-") != "" {
		return to
	}
	sep := "?"
	if strings.Contains(to, "?") {
		sep = "&"
	}
	return to + sep + "form=" + form
}

// statuses of errors by their code.
var statuses = map[kb.Code]int{
	kb.Usage: http.StatusBadRequest, kb.NotFound: http.StatusNotFound, kb.Ambiguous: http.StatusConflict,
	kb.Conflict: http.StatusConflict, kb.Invalid: http.StatusUnprocessableEntity, kb.Refused: http.StatusForbidden,
	kb.Secret: http.StatusUnprocessableEntity,
}

// failed is the screen of an error.
func failed(err error) page {
	e := kb.AsError(err)
	p := page{title: "That did not work", status: statuses[e.Code]}
	if p.status == 0 {
		p.status = http.StatusInternalServerError
	}
	if e.Code == kb.NotFound {
		p.title = "Not found"
	}
	hint := operation.Failure(err, nil).Error.Hint
	if e.Code == kb.NotFound {
		hint = "" // it names tools
	}
	said := e.Error()
	p.body = nodes{el("h1", p.title), el("p.problem", strings.ToUpper(said[:1])+said[1:]), opt(hint != "", el("p.quiet", hint))}
	return p
}

// refuse answers with a short page.
func (s *Server) refuse(w http.ResponseWriter, status int, why string) {
	s.show(w, status, s.plain(http.StatusText(status), el("p", why)))
}

const htmlKind = "text/html; charset=utf-8"

// document is a whole document.
func document(n node) []byte {
	var b bytes.Buffer
	b.WriteString("<!doctype html>\n")
	n.write(&b)
	return b.Bytes()
}

// show writes a short document.
func (s *Server) show(w http.ResponseWriter, status int, n node) {
	w.Header().Set("Content-Type", htmlKind)
	w.WriteHeader(status)
	_, _ = w.Write(document(n)) // the reader is gone
}

// packers compress screens. Each has more than a megabyte of tables.
var packers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // there is no such level
	}
	return w
}}

// send writes a screen, or data of one, in the encoding that the browser accepts. Its size
// tells nothing to other sites, which cannot ask for it with the session's cookie.
func (v *view) send(w http.ResponseWriter, status int, kind string, text []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Vary", "Accept-Encoding")
	if !acceptsGzip(v.r.Header.Get("Accept-Encoding")) {
		w.WriteHeader(status)
		_, _ = w.Write(text) // the reader is gone
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	p := packers.Get().(*gzip.Writer)
	defer packers.Put(p)
	p.Reset(w)
	_, _ = p.Write(text) // the reader is gone
	_ = p.Close()
}

//go:embed assets
var files embed.FS

type asset struct {
	packed []byte // by gzip
	kind   string
}

var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
}

func (s *Server) loadAssets() error {
	s.assets = map[string]asset{}
	entries, err := files.ReadDir("assets")
	if err != nil {
		return err
	}
	sum := sha256.New()
	for _, e := range entries {
		text, err := files.ReadFile("assets/" + e.Name())
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n", e.Name(), len(text))
		sum.Write(text)
		name, packed := strings.CutSuffix(e.Name(), ".gz")
		if !packed {
			if text, err = pack(text); err != nil {
				return err
			}
		}
		s.assets[name] = asset{text, kinds[path.Ext(name)]}
	}
	s.version = hex.EncodeToString(sum.Sum(nil)[:6])
	return nil
}

func pack(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

// asset serves a style sheet, a script or an icon. They hold nothing of the memory.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	a, ok := s.assets[r.PathValue("name")]
	if !ok || a.kind == "" {
		s.refuse(w, http.StatusNotFound, "There is no such file.")
		return
	}
	w.Header().Set("Content-Type", a.kind)
	if r.PathValue("version") == s.version {
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	}
	if r.PathValue("name") == diagramScript { // the frame that loads it has no origin
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	w.Header().Set("Vary", "Accept-Encoding")
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(a.packed) // the reader is gone
		return
	}
	text, err := gzip.NewReader(bytes.NewReader(a.packed))
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, "The file is damaged.")
		return
	}
	_, _ = io.Copy(w, text)
}

// acceptsGzip reports whether a browser that accepts some encodings reads gzip.
func acceptsGzip(encodings string) bool {
	for one := range strings.SplitSeq(encodings, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(one), ";")
		if name == "gzip" || name == "*" {
			_, q, _ := strings.Cut(weight, "q=")
			return strings.Trim(q, "0. ") != "" || q == ""
		}
	}
	return false
}

// at is the address of an asset, which changes with the text of any of them: a script imports
// others by their names next to it.
func (s *Server) at(name string) string { return s.present() + "/assets/" + s.version + "/" + name }

// data is an answer of an operation, decoded from its JSON.
type data map[string]any

func (d data) str(name string) string {
	switch x := d[name].(type) {
	case string:
		return x
	case json.Number:
		return x.String()
	case bool:
		if x {
			return "true"
		}
	}
	return ""
}

func (d data) num(name string) int {
	n, _ := d[name].(json.Number)
	i, err := n.Int64()
	if err != nil {
		f, _ := n.Float64()
		return int(f)
	}
	return int(i)
}

func (d data) yes(name string) bool { b, _ := d[name].(bool); return b }

func (d data) sub(name string) data {
	m, _ := d[name].(map[string]any)
	return m
}

func (d data) list(name string) []data {
	in, _ := d[name].([]any)
	out := make([]data, 0, len(in))
	for _, x := range in {
		if m, ok := x.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

func (d data) strs(name string) []string {
	in, _ := d[name].([]any)
	var out []string
	for _, x := range in {
		switch x := x.(type) {
		case string:
			out = append(out, x)
		case json.Number:
			out = append(out, x.String())
		}
	}
	return out
}
