package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// root is where the operations are.
const root = "/api/v1"

// route is one way to ask for an operation.
type route struct {
	op     *operation.Operation
	method string
	path   string // below root: /pages/{ref...}
	arg    string // the argument that is in the path, "" for none
	reads  bool   // takes only the arguments with which the operation reads
}

// body reports whether the arguments come in the body.
func (r route) body() bool { return r.method != http.MethodGet && r.method != http.MethodDelete }

// pattern is the path as http.ServeMux takes it.
func (r route) pattern() string { return root + r.path }

// template is the path as OpenAPI writes it.
func (r route) template() string { return strings.ReplaceAll(r.pattern(), "...}", "}") }

// readOnly reports whether the route changes nothing.
func (r route) readOnly() bool { return r.op.ReadOnly || r.reads }

// id is the name of the route in the OpenAPI document.
func (r route) id() string {
	switch {
	case r.reads:
		return r.op.Name + "_read"
	case r.arg == "" && r.op.Route.Path != r.path:
		return r.op.Name + "_unnamed"
	}
	return r.op.Name
}

// takes reports whether an argument may be given here.
func (r route) takes(name string) bool { return !r.reads || slices.Contains(r.op.Reads, name) }

// routesOf lists the routes of an operation: the GET of one that can also read comes
// last. Where the argument in the path
// may be left out, there is one without it; a program cannot PUT what it has no
// name for, so that one is a POST.
func routesOf(op *operation.Operation) []route {
	r := route{op: op, method: op.Route.Method, path: op.Route.Path}
	before, last, ok := strings.Cut(r.path, "/{")
	if !ok {
		out := []route{r}
		if len(op.Reads) > 0 {
			r.method, r.reads = http.MethodGet, true
			out = append(out, r)
		}
		return out
	}
	r.arg = strings.TrimSuffix(last, "...}")
	out := []route{r}
	if !slices.Contains(op.Input().Required, r.arg) {
		r.path, r.arg = before, ""
		if r.method == http.MethodPut {
			r.method = http.MethodPost
		}
		out = append(out, r)
	}
	return out
}

// routes lists those of all operations that are offered.
func routes(readOnly bool) []route {
	var out []route
	for _, op := range operation.All() {
		for _, r := range routesOf(op) {
			if r.readOnly() || !readOnly {
				out = append(out, r)
			}
		}
	}
	return out
}

// methods answers at one path, by method.
type methods map[string]http.HandlerFunc

func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	do := m[r.Method]
	if do == nil && r.Method == http.MethodHead {
		do = m[http.MethodGet] // net/http leaves the body out
	}
	if do == nil {
		var names []string
		for name := range m {
			names = append(names, name)
		}
		if m[http.MethodGet] != nil {
			names = append(names, http.MethodHead)
		}
		slices.Sort(names)
		allow := strings.Join(names, ", ")
		w.Header().Set("Allow", allow)
		refuse(w, http.StatusMethodNotAllowed, kb.Errorf(kb.Usage, "%s is not for this path", r.Method).WithHint("Methods are %s.", allow))
		return
	}
	do(w, r)
}
