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
	fields := map[string]json.RawMessage{}
	query, err := url.ParseQuery(req.URL.RawQuery)
	if err != nil {
		return call, http.StatusBadRequest, kb.Errorf(kb.Usage, "the query cannot be read: %w", err)
	}
	if err := checkTexts(req, query, r.arg); err != nil {
		return call, http.StatusBadRequest, err
	}
	if r.body() {
		for name := range query {
			return call, http.StatusBadRequest, kb.Errorf(kb.Usage, "%s belongs into the body", name)
		}
		if status, err := readBody(req, &fields); err != nil {
			return call, status, err
		}
	} else {
		for name, values := range query {
			fields[name] = r.queryValue(name, values)
		}
	}
	if r.arg != "" {
		if _, twice := fields[r.arg]; twice {
			return call, http.StatusBadRequest, kb.Errorf(kb.Usage, "%s is in the path", r.arg).With("argument", r.arg)
		}
		fields[r.arg] = quoted(req.PathValue(r.arg))
	}
	call, err = r.op.Read(joined(fields))
	return call, http.StatusBadRequest, err
}

// joined writes fields as one object, each byte for byte: Marshal would
// reformat them.
func joined(fields map[string]json.RawMessage) json.RawMessage {
	out := []byte("{")
	for name, value := range fields {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoted(name)...), ':'), value...)
	}
	return append(out, '}')
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

// readBody reads the arguments in a body, which may be empty.
func readBody(req *http.Request, to *map[string]json.RawMessage) (int, error) {
	text, err := io.ReadAll(req.Body)
	if err != nil {
		return http.StatusBadRequest, kb.Errorf(kb.Usage, "the body cannot be read: %w", err)
	}
	if len(text) == 0 {
		return 0, nil
	}
	if err := wrongKind(req.Header, jsonKinds); err != nil {
		return http.StatusUnsupportedMediaType, err
	}
	if err := kb.CheckJSON(text); err != nil {
		return http.StatusBadRequest, err
	}
	if err := json.Unmarshal(text, to); err != nil || bytes.Equal(bytes.TrimSpace(text), []byte("null")) {
		if err == nil || errors.As(err, new(*json.UnmarshalTypeError)) {
			err = fmt.Errorf("not an object")
		}
		return http.StatusBadRequest, kb.Errorf(kb.Usage, "the body must be a JSON object: %w", err)
	}
	return 0, nil
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
