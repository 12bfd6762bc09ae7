package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// object is a JSON object of the document.
type object = map[string]any

// tags are the groups of operations, with what a reader looks for in each.
var tags = []struct{ name, about string }{
	{"core", "What an agent needs: find, read, write and undo."},
	{"more", "History, links, the timeline, assertions, checks, git, spaces and upkeep."},
	{"capture", "Short knowledge that is captured."},
	{"context", "The day, the inbox, routines, tables, and pages of a context vault by path."},
	{"review", "What agents wrote, for a person who looks at it."},
	{"notes", "Markdown notes with observations and relations, and projects."},
	{"server", "The server itself."},
}

// openAPI returns the OpenAPI 3.1 document of the routes, with the schemas of
// the operations.
func openAPI(all []route, readOnly bool, version string) []byte {
	shared := operation.NewParts()
	shared.Schemas["Problem"], shared.Schemas["Health"] = problemSchema(), healthSchema()
	paths := object{
		"/healthz": object{"get": object{
			"operationId": "health", "summary": "State of the server", "security": []any{}, "tags": []any{"server"},
			"description": "Whether the server works, for monitoring. Needs no token.",
			"responses": withFailures(object{
				"200": object{"description": "It answers.", "content": withExample(content("application/json", ref("Health")), examples()["health"].Answer)},
			}),
		}},
		root + "/events": object{"get": object{
			"operationId": "events", "summary": "Follow changes", "tags": []any{"server"},
			"description": "Server-sent events: change, with the change as history lists it, missed, with the number of changes that were too many to send, and due, with a routine that became due. It does not end by itself.",
			"parameters": []any{object{
				"name": "Last-Event-ID", "in": "header", "description": "Go on after this event.", "example": 41,
				"schema": object{"type": "integer", "minimum": 0, "maximum": operation.MaxInteger},
			}},
			"responses": withFailures(object{
				"200": object{"description": "Events as they happen.", "content": object{"text/event-stream": object{
					"schema":  object{"type": "string"},
					"example": "id: 42\nevent: change\ndata: {\"ref\":\"memory:people/ada\",\"change\":\"changed\",\"version\":3}\n\n",
				}}},
			}),
		}},
	}
	for _, r := range all {
		path, ok := paths[r.template()].(object)
		if !ok {
			path = object{}
			paths[r.template()] = path
		}
		described := r.describe(shared)
		path[strings.ToLower(r.method)] = described
		if r.op.Name == "read" && r.method == http.MethodGet {
			path["head"] = head(described)
		}
	}
	maps.Copy(paths, contextPaths(readOnly, shared))
	var listed []any
	for _, t := range tags {
		listed = append(listed, object{"name": t.name, "description": t.about})
	}
	document := object{
		"openapi": "3.1.0",
		"info": object{
			"title": "cairn", "version": version,
			"description": "A local memory for AI agents and the people they work with. What cairn call TOOL does, over HTTP. Wherever there is a GET there is a HEAD. Lists take limit and offset, and answer total, and next, the offset of the next items, until the last.",
			"license":     object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers": []any{
			object{"url": "/", "description": "The server that this document comes from."},
			object{"url": "http://127.0.0.1:22476", "description": "Where cairn serve --http listens by default."},
		},
		"tags":     listed,
		"security": []any{object{"token": []any{}}},
		"paths":    paths,
		"components": object{
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer", "description": "cairn serve token prints it."}},
			"schemas":         shared.Schemas,
			"parameters":      sharedParameters(),
			"responses":       sharedResponses(),
			"headers":         object{"ETag": object{"description": "Names this state of the answer, for If-None-Match.", "schema": object{"type": "string"}}},
		},
	}
	text, err := json.Marshal(document)
	if err != nil {
		panic(err) // maps, lists, texts and schemas, which are JSON
	}
	return text
}

// describe is a route as OpenAPI has it.
func (r route) describe(shared operation.Parts) object {
	input := generic(r.op.Input())
	operation.OpenSchema(input)
	properties, _ := input["properties"].(object)
	var required []any
	if list, ok := input["required"].([]any); ok {
		required = list
	}
	bound(input)
	example := examples()[r.id()]
	ok := object{
		"description": "The answer.",
		"content":     withExample(content("application/json", shared.Answer(r.op)), example.Answer),
	}
	responses := object{"200": ok}
	if r.readOnly() && !r.body() {
		ok["headers"] = object{"ETag": object{"$ref": "#/components/headers/ETag"}}
		responses["304"] = object{"$ref": "#/components/responses/NotModified"}
	}
	out := object{
		"operationId": r.id(), "summary": r.op.Title, "description": r.op.Description, "tags": []any{r.op.Group},
		"responses": withFailures(responses),
	}
	var parameters []any
	if r.arg != "" {
		schema := properties[r.arg].(object)
		delete(properties, r.arg)
		required = slices.DeleteFunc(required, func(name any) bool { return name == r.arg })
		schema["minLength"] = 1
		parameters = append(parameters, example.in(parameter("path", r.arg, schema, true)))
	}
	if r.body() {
		input["required"] = required
		if len(required) == 0 {
			delete(input, "required")
		}
		out["requestBody"] = object{"required": len(required) > 0, "content": withExample(content("application/json", input), example.Body)}
	} else {
		for _, name := range r.op.Input().PropertyOrder {
			if schema, ok := properties[name].(object); ok && r.takes(name) {
				parameters = append(parameters, example.in(parameter("query", name, schema, slices.Contains(required, any(name)))))
			}
		}
	}
	parameters = append(parameters, parameterRef("InSpace"), parameterRef("Actor"))
	if r.readOnly() && !r.body() {
		parameters = append(parameters, parameterRef("IfNoneMatch"))
	}
	out["parameters"] = parameters
	return out
}

// head is the operation that answers as another, without its body.
func head(get object) object {
	out := maps.Clone(get)
	out["operationId"] = get["operationId"].(string) + "_head"
	out["summary"] = get["summary"].(string) + ": headers only"
	responses := maps.Clone(get["responses"].(object))
	for status, r := range responses {
		if status == "200" {
			ok := maps.Clone(r.(object))
			delete(ok, "content")
			responses[status] = ok
		}
	}
	out["responses"] = responses
	return out
}

// sharedParameters are the headers by which a client says where it works, for whom, and what
// it has already.
func sharedParameters() object {
	space := func(description string) object {
		return parameter("header", operation.SpaceHeader, object{"type": "string", "description": description}, false)
	}
	return object{
		"InSpace":      space("Space to work in, when the arguments name none."),
		"ContextSpace": space("Space to work in, where several are served."),
		"Actor":        parameter("header", ActorHeader, object{"type": "string", "pattern": actorForm().String(), "description": "The actor: the name of an agent, or human:name. Default " + defaultActor.Name + "."}, false),
		"IfNoneMatch":  parameter("header", "If-None-Match", object{"type": "string", "description": "ETags of answers that you have: 304 if one still holds."}, false),
	}
}

// sharedResponses are the answers that many routes give: failures by the first digit of
// their status, as one schema describes them all.
func sharedResponses() object {
	problem := content("application/problem+json", ref("Problem"))
	return object{
		"NotModified": object{"description": "You have this answer.", "headers": object{"ETag": object{"$ref": "#/components/headers/ETag"}}},
		"4XX": object{
			"description": "Nothing was done. " + statusList(400, 500) + " The code names the reason.", "content": problem,
			"headers": object{"Allow": object{"description": "With 405: the methods that there are.", "schema": object{"type": "string"}}},
		},
		"5XX": object{"description": "The memory or the server failed. " + statusList(500, 600), "content": problem},
	}
}

// statusList names the statuses of failures from one to before another.
func statusList(from, to int) string {
	all := append(slices.Collect(maps.Values(statuses)), http.StatusBadRequest, http.StatusUnauthorized,
		http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	slices.Sort(all)
	var names []string
	for _, status := range slices.Compact(all) {
		if from <= status && status < to {
			names = append(names, fmt.Sprint(status, " ", http.StatusText(status)))
		}
	}
	return strings.Join(names, ", ") + "."
}

func parameterRef(name string) object { return object{"$ref": "#/components/parameters/" + name} }

func parameter(in, name string, schema object, required bool) object {
	p := object{"name": name, "in": in}
	if d, ok := schema["description"]; ok {
		p["description"] = d
		delete(schema, "description")
	}
	// Of an object in a query, OpenAPI would make a parameter of each key.
	if in == "query" && schema["type"] == "object" {
		p["content"] = content("application/json", schema)
	} else {
		p["schema"] = schema
	}
	if required {
		p["required"] = true
	}
	return p
}

// generic is a schema as JSON has it, to be changed.
func generic(schema any) object {
	var out object
	if err := json.Unmarshal(marshal(schema), &out); err != nil {
		panic(err) // a schema is an object
	}
	return out
}

// bound sets a limit to whole numbers that have none.
func bound(schema object) {
	if schema["type"] == "integer" {
		if _, ok := schema["maximum"]; !ok {
			schema["maximum"] = operation.MaxInteger
		}
		if _, ok := schema["minimum"]; !ok {
			schema["minimum"] = -operation.MaxInteger
		}
	}
	for _, v := range schema {
		if inner, ok := v.(object); ok {
			bound(inner)
		}
	}
}

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

func content(kind string, schema any) object { return object{kind: object{"schema": schema}} }

// withFailures adds the failures of every route to its responses.
func withFailures(responses object) object {
	for _, status := range []string{"4XX", "5XX"} {
		responses[status] = object{"$ref": "#/components/responses/" + status}
	}
	return responses
}

// withExample adds an example to the one type of a content, if there is one.
func withExample(content object, example json.RawMessage) object {
	if example != nil {
		for _, kind := range content {
			kind.(object)["example"] = example
		}
	}
	return content
}

func problemSchema() object {
	var codes []any
	for _, code := range slices.Sorted(maps.Keys(statuses)) {
		codes = append(codes, code)
	}
	return object{
		"type": "object", "description": "A failure, as RFC 9457 has it.",
		"required": []any{"title", "status", "detail", "code"},
		"properties": object{
			"title":   object{"type": "string"},
			"status":  object{"type": "integer"},
			"detail":  object{"type": "string", "description": "What happened, for people."},
			"code":    object{"type": "string", "enum": codes, "description": "What happened, for programs."},
			"hint":    object{"type": "string", "description": "What to do next."},
			"details": object{"type": "object", "description": fmt.Sprintf("Facts, such as current_version with the code %s.", kb.Conflict)},
		},
	}
}

func healthSchema() object {
	return object{
		"type": "object", "required": []any{"status", "version", "faults"},
		"properties": object{
			"status":  object{"type": "string", "enum": []any{"ready", "degraded"}},
			"version": object{"type": "string"},
			"faults":  object{"type": "array", "items": object{"type": "string"}, "description": "What does not work at the moment and is tried again."},
		},
	}
}
