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
}

// body reports whether the arguments come in the body.
func (r route) body() bool { return r.method != http.MethodGet && r.method != http.MethodDelete }

// pattern is the path as http.ServeMux takes it.
func (r route) pattern() string { return root + r.path }

// template is the path as OpenAPI writes it.
func (r route) template() string { return strings.ReplaceAll(r.pattern(), "...}", "}") }

// routesOf lists the routes of an operation. Where the argument in the path
// may be left out, there is one without it; a program cannot PUT what it has no
// name for, so that one is a POST.
func routesOf(op *operation.Operation) []route {
	r := route{op: op, method: op.Route.Method, path: op.Route.Path}
	before, last, ok := strings.Cut(r.path, "/{")
	if !ok {
		return []route{r}
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
		if op.ReadOnly || !readOnly {
			out = append(out, routesOf(op)...)
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
