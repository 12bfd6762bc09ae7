package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// object is a JSON object of the document.
type object = map[string]any

// openAPI returns the OpenAPI 3.1 document of the routes, with the schemas of
// the operations.
func openAPI(all []route, readOnly bool, version string) []byte {
	paths := object{
		"/healthz": object{"get": object{
			"operationId": "health", "summary": "State of the server", "security": []any{},
			"description": "Whether the server works, for monitoring. Needs no token.",
			"responses": object{
				"200": object{"description": "It answers.", "content": content("application/json", ref("Health"))},
				"403": failure(http.StatusForbidden),
			},
		}},
		root + "/events": object{"get": object{
			"operationId": "events", "summary": "Follow changes",
			"description": "Server-sent events: change, with the change as history lists it, missed, with the number of changes that were too many to send, and due, with a routine that became due. It does not end by itself.",
			"parameters": []any{object{
				"name": "Last-Event-ID", "in": "header", "description": "Go on after this event.",
				"schema": object{"type": "integer", "minimum": 0, "maximum": operation.MaxInteger},
			}},
			"responses": withFailures(object{
				"200": object{"description": "Events as they happen.", "content": content("text/event-stream", object{"type": "string"})},
			}, false),
		}},
	}
	for _, r := range all {
		path, ok := paths[r.template()].(object)
		if !ok {
			path = object{}
			paths[r.template()] = path
		}
		path[strings.ToLower(r.method)] = r.describe()
	}
	maps.Copy(paths, contextPaths(readOnly))
	document := object{
		"openapi": "3.1.0",
		"info": object{
			"title": "cairn", "version": version,
			"description": "A local memory for AI agents and the people they work with. What cairn call TOOL does, over HTTP.",
			"license":     object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"security": []any{object{"token": []any{}}},
		"paths":    paths,
		"components": object{
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer", "description": "cairn serve token prints it."}},
			"schemas":         object{"Problem": problemSchema(), "Health": healthSchema()},
		},
	}
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		panic(err) // maps, lists, texts and schemas, which are JSON
	}
	return text
}

// describe is a route as OpenAPI has it.
func (r route) describe() object {
	input := generic(r.op.Input())
	properties, _ := input["properties"].(object)
	var required []any
	if list, ok := input["required"].([]any); ok {
		required = list
	}
	bound(input)
	out := object{
		"operationId": r.op.Name, "summary": r.op.Title, "description": r.op.Description, "tags": []any{r.op.Group},
		"responses": withFailures(object{
			"200": object{"description": "The answer.", "content": content("application/json", r.op.Output())},
		}, r.body()),
	}
	if r.arg == "" && len(routesOf(r.op)) > 1 {
		out["operationId"] = r.op.Name + "_unnamed"
	}
	var parameters []any
	if r.arg != "" {
		schema := properties[r.arg].(object)
		delete(properties, r.arg)
		required = slices.DeleteFunc(required, func(name any) bool { return name == r.arg })
		schema["minLength"] = 1
		parameters = append(parameters, parameter("path", r.arg, schema, true))
	}
	if r.body() {
		input["required"] = required
		if len(required) == 0 {
			delete(input, "required")
		}
		out["requestBody"] = object{"required": len(required) > 0, "content": content("application/json", input)}
	} else {
		for _, name := range r.op.Input().PropertyOrder {
			if schema, ok := properties[name].(object); ok {
				parameters = append(parameters, parameter("query", name, schema, slices.Contains(required, any(name))))
			}
		}
	}
	out["parameters"] = append(parameters, callerParameters("Space to work in, when the arguments name none.")...)
	return out
}

// callerParameters are the headers by which a client says where it works, and for whom.
func callerParameters(space string) []any {
	return []any{
		parameter("header", operation.SpaceHeader, object{"type": "string", "description": space}, false),
		parameter("header", ActorHeader, object{"type": "string", "pattern": actorForm().String(), "description": "The actor: the name of an agent, or human:name. Default " + defaultActor.Name + "."}, false),
	}
}

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

func failure(status int) object {
	return object{"description": http.StatusText(status) + ".", "content": content("application/problem+json", ref("Problem"))}
}

// withFailures adds every status that the guard, the reading of arguments and
// operations answer with.
func withFailures(responses object, body bool) object {
	all := slices.Collect(maps.Values(statuses))
	all = append(all, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge)
	if body {
		all = append(all, http.StatusUnsupportedMediaType)
	}
	for _, status := range all {
		responses[strconv.Itoa(status)] = failure(status)
	}
	return responses
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
