package webui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// wholePage is a whole page of HTML. The class is of its body.
func (s *Server) wholePage(title string, body attr, head, inner node) node {
	return el("html", attr{"lang", "en"},
		el("head",
			el("meta", attr{"charset", "utf-8"}),
			el("meta", attr{"name", "viewport"}, attr{"content", "width=device-width, initial-scale=1"}),
			el("meta", attr{"name", "color-scheme"}, attr{"content", "light dark"}),
			el("title", title+" · cairn"),
			el("link", attr{"rel", "icon"}, href(s.at("cairn.svg"))),
			el("link", attr{"rel", "stylesheet"}, href(s.at("cairn.css"))),
			head),
		el("body", body, inner))
}

// notice is a short page in the middle of the window.
func (s *Server) notice(title string, inner ...any) node {
	return el("main.notice", el("img.mark", attr{"src", s.at("cairn.svg")}, attr{"alt", ""}, attr{"width", "48"}, attr{"height", "48"}), el("h1", title), el("div", inner...))
}

// plain is a notice as a whole page.
func (s *Server) plain(title string, inner ...any) node {
	return s.wholePage(title, attr{}, nil, s.notice(title, inner...))
}

// places are the navigation.
var places = []struct{ path, name, key string }{
	{"/today", "Today", "d"},
	{"/", "Search", "s"},
	{"/timeline", "Timeline", "t"},
	{"/tasks", "Tasks", "k"},
	{"/table", "Tables", "b"},
	{"/graph", "Graph", "g"},
	{"/activity", "Activity", "a"},
	{"/spaces", "Spaces", "p"},
	{"/health", "Health", "h"},
	{"/setup", "Setup", "u"},
}

// whole is a screen with navigation, main part and foot.
func (v *view) whole(p page) node {
	nav := el("nav.places", attr{"aria-label", "Screens"}, el("ul", each(places, func(x struct{ path, name, key string }) node {
		base := v.present()
		if slices.ContainsFunc(inPast, func(pattern string) bool { return strings.TrimSuffix(pattern, "{$}") == x.path }) {
			base = v.base
		}
		return el("li", el("a", href(base+x.path), flag(p.place == x.path, "aria-current", "page"), attr{"data-key", x.key}, x.name))
	})))
	return v.wholePage(p.title, attr{}, nodes{
		el("script", attr{"defer", ""}, attr{"src", v.at("idiomorph.min.js")}),
		// A page that is painted before the script moves when diagrams get their place.
		el("script", attr{"type", "module"}, attr{"blocking", "render"}, attr{"src", v.at("cairn.js")}),
	}, nodes{
		el("a.skip", href("#main"), "Skip to content"),
		el("header.top",
			el("a.brand", href(v.base+"/"), el("img", attr{"src", v.at("cairn.svg")}, attr{"alt", ""}, attr{"width", "24"}, attr{"height", "24"}), "cairn"),
			nav,
			el("div.who",
				el("a.when", href(v.present()+"/time?to="+url.QueryEscape(v.here())), attr{"title", "See the memory as it was on another day"}, el("time", attr{"datetime", v.date()}, v.date())),
				opt(v.opts.ReadOnly && v.day == "", el("span.badge", "read-only")),
				el("form", attr{"method", "post"}, attr{"action", v.present() + "/logout"},
					el("span.person", attr{"title", "Signed in as " + v.by.String()}, v.by.String()), " ",
					el("button.link", attr{"type", "submit"}, "Sign out")))),
		v.ribbon(),
		el("main", attr{"id", "main"}, attr{"tabindex", "-1"}, attr{"data-base", v.base}, attr{"data-math", v.at("math.js")}, attr{"data-math-style", v.at("math.css")}, attr{"data-diagram", v.present() + "/diagram"}, flag(v.day != "", "data-past", v.day), p.body),
		v.foot(),
	})
}

// foot names the requests and commands that give what the screen shows.
func (v *view) foot() node {
	if len(v.calls) == 0 {
		return nil
	}
	return el("footer", el("details", el("summary", "This screen as data"),
		el("p.quiet", "The same answers, for programs and for the command line. The commands answer as to an agent, without fields that follow from others."),
		el("ul", each(v.calls, func(c call) node {
			return el("li", el("code.api", c.request()), opt(c.isTool(), el("code.command", c.command())))
		}))))
}

// request is the call as a request over HTTP: a body follows the path.
func (c call) request() string {
	path, rest := c.op.Route.Path, args{}
	for k, x := range c.args {
		rest[k] = x
	}
	if before, last, ok := strings.Cut(path, "/{"); ok {
		name := strings.TrimSuffix(last, "...}")
		path = before
		if ref, ok := rest[name].(string); ok && ref != "" {
			parts := strings.Split(ref, "/")
			for i := range parts {
				parts[i] = url.PathEscape(parts[i])
			}
			path += "/" + strings.Join(parts, "/")
			delete(rest, name)
		}
	}
	method := c.op.Route.Method
	if c.reads() {
		method = http.MethodGet
	}
	if method != http.MethodGet && method != http.MethodDelete {
		body, err := json.Marshal(rest) // keys are sorted
		if err != nil || len(rest) == 0 {
			return method + " /api/v1" + path
		}
		return method + " /api/v1" + path + " " + string(body)
	}
	q := url.Values{}
	for k, x := range rest {
		switch x := x.(type) {
		case []string:
			q[k] = x
		case []int:
			for _, n := range x {
				q.Add(k, fmt.Sprint(n))
			}
		default:
			q.Set(k, fmt.Sprint(x))
		}
	}
	out := method + " /api/v1" + path
	if len(q) > 0 {
		out += "?" + q.Encode()
	}
	return out
}

// reads reports whether the call may be a GET: all of its arguments fit into an address.
func (c call) reads() bool {
	for name := range c.args {
		if !slices.Contains(c.op.Reads, name) {
			return false
		}
	}
	return len(c.op.Reads) > 0
}

// isTool reports whether the command line has the operation: some are only routes.
func (c call) isTool() bool {
	_, err := operation.FindTool(c.op.Name)
	return err == nil
}

// command is the call as a command.
func (c call) command() string {
	if len(c.args) == 0 {
		return "cairn call " + c.op.Name
	}
	given, err := json.Marshal(c.args) // keys are sorted
	if err != nil {
		return "cairn call " + c.op.Name
	}
	return "cairn call " + c.op.Name + " '" + strings.ReplaceAll(string(given), "'", `'\''`) + "'"
}

// pageLink is a link to a page.
func (v *view) pageLink(ref, title string, more ...any) node {
	if title == "" {
		title = ref
	}
	return el("a", append([]any{href(v.pageAt(ref)), title}, more...)...)
}

// pageAt is the address of a page.
func (v *view) pageAt(ref string) string { return v.base + "/page/" + escaped(ref) }

// escaped is a ref in a path.
func escaped(ref string) string {
	parts := strings.Split(ref, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// ofWrites are the parameters that report a write, once.
var ofWrites = []string{"wrote", "merged", "left", "existing", "form"}

// with is the address of this screen with some parameters changed; "" removes one. It does
// not report a write again.
func (v *view) with(pairs ...string) string {
	q := v.r.URL.Query()
	for _, name := range ofWrites {
		q.Del(name)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			q.Del(pairs[i])
		} else {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	at := v.base + v.r.URL.EscapedPath()
	if len(q) > 0 {
		at += "?" + q.Encode()
	}
	return at
}

// param is a parameter of the address.
func (v *view) param(name string) string { return strings.TrimSpace(v.r.URL.Query().Get(name)) }

// more links to the next part of a list.
func (v *view) more(answer data) node {
	next := answer.str("next")
	if next == "" {
		return nil
	}
	return el("p.more", el("a.button", href(v.with("offset", next)), attr{"rel", "next"}, "More"))
}

// notes are what an answer says about itself.
func notes(answer data) node { return notesOf(answer.strs("notes")) }

func notesOf(all []string) node {
	if len(all) == 0 {
		return nil
	}
	return el("ul.notes", each(all, func(n string) node { return el("li", n) }))
}

// empty is what a screen shows instead of a list.
func empty(title string, inner ...any) node {
	return el("section.empty", append([]any{el("h2", title)}, inner...)...)
}

// status returns the badge of a status, nil for active.
func status(of string) node {
	if of == "" || of == "active" {
		return nil
	}
	return el("span.badge.is-"+plainWord(of), of)
}

// plainWord is a word that can be a class.
func plainWord(w string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(w))
}

// day is a date with its time, short.
func day(at string) node {
	if at == "" {
		return nil
	}
	shown := at
	if len(at) >= 16 && at[10] == 'T' {
		shown = at[:10] + " " + at[11:16]
	}
	return el("time", attr{"datetime", at}, shown)
}

// count is a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// thousands is a number with a comma before each three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// sorted are the keys of a map, in order.
func sorted[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
