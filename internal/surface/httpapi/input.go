package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// call gathers the arguments of a route: one from the path, the others from
// the body or the query. The error is one for refuse, with its status.
func (r route) call(req *http.Request) (call operation.Call, status int, err error) {
	query, err := url.ParseQuery(req.URL.RawQuery)
	if err != nil {
		return call, http.StatusBadRequest, kb.Errorf(kb.Usage, "the query cannot be read: %w", err)
	}
	if err := checkTexts(req, query, r.arg); err != nil {
		return call, http.StatusBadRequest, err
	}
	var input json.RawMessage
	if r.body() {
		for name := range query {
			return call, http.StatusBadRequest, kb.Errorf(kb.Usage, "%s belongs into the body", name)
		}
		var status int
		if input, status, err = r.readBody(req); err != nil {
			return call, status, err
		}
	} else {
		fields := map[string]json.RawMessage{}
		for name, values := range query {
			if !r.takes(name) && r.op.Input().Properties[name] != nil {
				return call, http.StatusBadRequest, kb.Errorf(kb.Usage, "%s is not for GET", name).
					WithHint("Send it as JSON with %s.", r.op.Route.Method).With("argument", name)
			}
			fields[name] = r.queryValue(name, values)
		}
		if r.reads && r.op.Dry != "" {
			fields[r.op.Dry] = json.RawMessage("true")
		}
		if r.arg != "" {
			if _, twice := fields[r.arg]; twice {
				return call, http.StatusBadRequest, r.givenTwice()
			}
			fields[r.arg] = quoted(req.PathValue(r.arg))
		}
		input = marshal(fields)
	}
	call, err = r.op.Read(input)
	return call, http.StatusBadRequest, err
}

// givenTwice refuses the argument in the path in another place, too.
func (r route) givenTwice() error {
	return kb.Errorf(kb.Usage, "%s is in the path", r.arg).With("argument", r.arg)
}

// checkTexts refuses a request with invalid text in its query, path or header,
// which would be changed silently.
func checkTexts(req *http.Request, query url.Values, arg string) error {
	texts := []string{req.Header.Get(operation.SpaceHeader)}
	if arg != "" {
		texts = append(texts, req.PathValue(arg))
	}
	for name, values := range query {
		texts = append(append(texts, name), values...)
	}
	for _, text := range texts {
		if err := kb.CheckUTF8(text); err != nil {
			return err
		}
	}
	return nil
}

// jsonKinds are the types of the bodies of routes. A web page cannot send this kind
// without asking first.
var jsonKinds = []string{"application/json"}

// wrongKind refuses a body with a type that is not in kinds.
func wrongKind(h http.Header, kinds []string) error {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err == nil && slices.Contains(kinds, kind) {
		return nil
	}
	last := len(kinds) - 1
	if last == 0 {
		return kb.Errorf(kb.Usage, "the body must be %s", kinds[0])
	}
	return kb.Errorf(kb.Usage, "the body must be %s or %s", strings.Join(kinds[:last], ", "), kinds[last])
}

// buffered is a body that was read. Its text is given away once, so that no second copy of a
// large one is kept.
type buffered struct {
	bytes.Reader
	text []byte
}

func (*buffered) Close() error { return nil }

func (b *buffered) take() (text []byte) {
	text, b.text = b.text, nil
	b.Reset(nil)
	return text
}

// names are those of the members of an object whose values are read later.
type names map[string]skipped

type skipped struct{}

func (*skipped) UnmarshalJSON([]byte) error { return nil }

// readBody returns the arguments in a body, which may be empty, with that in the path.
func (r route) readBody(req *http.Request) (input json.RawMessage, status int, err error) {
	var text []byte
	if b, ok := req.Body.(*buffered); ok {
		text = b.take()
	} else if text, err = io.ReadAll(req.Body); err != nil {
		return nil, http.StatusBadRequest, kb.Errorf(kb.Usage, "the body cannot be read: %w", err)
	}
	given := names{}
	if len(text) == 0 {
		text = []byte("{}")
	} else {
		if err := wrongKind(req.Header, jsonKinds); err != nil {
			return nil, http.StatusUnsupportedMediaType, err
		}
		if err := kb.CheckJSON(text); err != nil {
			return nil, http.StatusBadRequest, err
		}
		text = bytes.TrimSpace(text)
		if err := json.Unmarshal(text, &given); err != nil || string(text) == "null" {
			if err == nil || errors.As(err, new(*json.UnmarshalTypeError)) {
				err = fmt.Errorf("not an object")
			}
			return nil, http.StatusBadRequest, kb.Errorf(kb.Usage, "the body must be a JSON object: %w", err)
		}
	}
	if r.arg == "" {
		return text, 0, nil
	}
	if _, twice := given[r.arg]; twice {
		return nil, http.StatusBadRequest, r.givenTwice()
	}
	comma := ","
	if len(given) == 0 {
		comma = ""
	}
	return slices.Concat([]byte("{"), quoted(r.arg), []byte(":"), quoted(req.PathValue(r.arg)), []byte(comma), text[1:]), 0, nil
}

// queryValue makes the values of a query's name what the schema says they are,
// if they read as that; Read refuses them otherwise.
func (r route) queryValue(name string, values []string) json.RawMessage {
	s := r.op.Input().Properties[name]
	if s != nil && s.Type == "array" {
		list := make([]json.RawMessage, len(values))
		for i, v := range values {
			list[i] = typed(s.Items.Type, v)
		}
		return marshal(list)
	}
	if s == nil || len(values) != 1 {
		return marshal(values)
	}
	return typed(s.Type, values[0])
}

// typed is a text as a JSON value of a type, or as itself where it is none. An object
// is written as JSON.
func typed(kind, text string) json.RawMessage {
	switch kind {
	case "integer":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return marshal(n)
		}
	case "number", "object":
		if json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
	case "boolean":
		if text == "true" || text == "false" {
			return json.RawMessage(text)
		}
	}
	return quoted(text)
}

func quoted(text string) json.RawMessage { return marshal(text) }

// marshal is for values that always marshal: texts, numbers and lists of them.
func marshal(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
