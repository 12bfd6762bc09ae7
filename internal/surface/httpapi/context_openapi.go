package httpapi

import (
	"maps"
	"slices"

	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// contextPaths are the routes to pages by their paths, as OpenAPI has them.
func contextPaths(readOnly bool, shared operation.Parts) object {
	part := func(name string, schema object) object {
		shared.Schemas[name] = schema
		return ref(name)
	}
	etagHeader := object{"ETag": object{"$ref": "#/components/headers/ETag"}}
	version := object{"type": "integer", "minimum": 0, "maximum": operation.MaxInteger}
	next := object{"type": "string", "description": "Offset of the next ones."}
	page := part("ContextPage", object{
		"type": "object", "required": []any{"space", "path", "version", "updated_at", "text"},
		"properties": object{
			"space": object{"type": "string"}, "path": object{"type": "string"}, "version": version,
			"updated_at": object{"type": "string", "format": "date-time"}, "text": object{"type": "string"},
		},
	})
	listing := part("ContextListing", object{
		"type": "object", "required": []any{"space", "path", "items", "total"},
		"properties": object{
			"space": object{"type": "string"}, "path": object{"type": "string"}, "total": version, "next": next,
			"items": object{"type": "array", "items": object{
				"type": "object", "required": []any{"path"},
				"properties": object{
					"path":       object{"type": "string", "description": "Of a directory with / at its end."},
					"bytes":      version,
					"updated_at": object{"type": "string", "format": "date-time"},
					"pages":      object{"type": "integer", "description": "Below a directory."},
				},
			}},
		},
	})
	written := part("ContextWritten", object{
		"type": "object", "required": []any{"space", "path", "version", "change"},
		"properties": object{
			"space": object{"type": "string"}, "path": object{"type": "string"}, "version": version,
			"change": object{"type": "string", "description": "created, changed or deleted; empty when unchanged."},
			"write":  object{"type": "integer", "description": "Number of the write, for undo."},
			"notes":  object{"type": "array", "items": object{"type": "string"}},
		},
	})
	row := part("ContextRow", object{
		"type": "object", "required": []any{"key", "values", "line"},
		"properties": object{"key": object{"type": "string"}, "line": version, "values": object{"type": "object", "additionalProperties": object{"type": "string"}}},
	})
	table := part("ContextTable", object{
		"type": "object", "required": []any{"name", "space", "page", "columns", "key", "items", "total"},
		"properties": object{
			"name": object{"type": "string"}, "space": object{"type": "string"}, "page": object{"type": "string"}, "key": object{"type": "string", "description": "Column that names rows."},
			"version": version, "total": version, "next": next, "columns": object{"type": "array", "items": object{"type": "string"}}, "items": object{"type": "array", "items": row},
			"problems": object{"type": "array", "description": "Lines that cannot be read.", "items": object{
				"type": "object", "required": []any{"line", "text"}, "properties": object{"line": version, "text": object{"type": "string"}},
			}},
		},
	})
	text := object{"type": "string"}
	read := content("application/json", object{"anyOf": []any{page, listing, table, row}})
	maps.Copy(read, content("text/markdown", text))
	maps.Copy(read, content("text/plain", text))
	headers := []any{parameterRef("ContextSpace"), parameterRef("Actor")}
	describe := func(name, summary, description string, parameters []any, responses object, body any) object {
		example := examples()[name]
		for i, p := range parameters {
			parameters[i] = example.in(p.(object))
		}
		out := object{"operationId": name, "summary": summary, "description": description, "tags": []any{"context"}, "parameters": append(parameters, headers...)}
		for status, r := range responses {
			if answered, ok := r.(object)["content"].(object); ok && status[0] == '2' && example.Answer != nil {
				answered["application/json"].(object)["example"] = example.Answer
			}
		}
		out["responses"] = withFailures(responses)
		if body != nil {
			sent := withExample(content("application/json", body), example.Body)
			maps.Copy(sent, content("text/markdown", text))
			maps.Copy(sent, content("text/plain", text))
			out["requestBody"] = object{"required": true, "content": sent}
		}
		return out
	}
	listed := object{
		"200": object{"description": "The content.", "content": content("application/json", listing), "headers": etagHeader},
		"304": object{"$ref": "#/components/responses/NotModified"},
	}
	paging := []any{
		parameter("query", "limit", object{"type": "integer", "minimum": 1, "maximum": operation.MaxInteger, "description": "Of the items of a directory or a table; all by default."}, false),
		parameter("query", "offset", object{"type": "integer", "minimum": 0, "maximum": operation.MaxInteger}, false),
		parameterRef("IfNoneMatch"),
	}
	top := object{"get": describe("context_list", "List the top of the space", "The pages and directories at the top of the space that its policy serves here.", slices.Clone(paging), listed, nil)}
	top["head"] = head(top["get"].(object))
	name := func() []any {
		return []any{parameter("path", "path", object{"type": "string", "minLength": 1, "description": "Of a page, with its extension or without, or of a directory."}, true)}
	}
	ifMatch := parameter("header", "If-Match", object{"type": "string", "pattern": `^"[1-9][0-9]{0,8}(-[0-9a-f]{24})?"$`, "description": "ETag of the version that you read."}, false)
	message := parameter("header", MessageHeader, object{"type": "string", "description": "Why, for the history; of a page of the user's, whether they asked."}, false)
	at := object{"get": describe("context_read", "Read the content at a path", "A page from disk, as text or as JSON, by Accept; the contents of a directory; or a table of the policy by its name, such as managed-tasks, and a row of it, such as managed-tasks/Review.", append(name(), paging...),
		object{
			"200": object{"description": "The content.", "content": read, "headers": etagHeader},
			"304": object{"$ref": "#/components/responses/NotModified"},
		}, nil)}
	at["head"] = head(at["get"].(object))
	if !readOnly {
		cells := part("ContextCells", bounded(operation.RowBody()))
		ok := object{"description": "It is written.", "content": content("application/json", written), "headers": etagHeader}
		at["put"] = describe("context_put", "Write a page", "Makes a page or a row of a table, or replaces it.", append(name(), ifMatch, message), object{"200": ok, "201": ok}, object{"anyOf": []any{part("ContextText", bounded(operation.WholeBody())), cells}})
		at["patch"] = describe("context_patch", "Change a page", "Appends text to a page, or edits it; changes cells of a row of a table.", append(name(), ifMatch, message), object{"200": ok}, object{"anyOf": []any{part("ContextChange", bounded(operation.ChangeBody())), cells}})
		at["delete"] = describe("context_delete", "Delete a page", "Deletes a page or a row of a table, which can be restored.", append(name(), ifMatch, message),
			object{"200": object{"description": "It is gone.", "content": content("application/json", written)}}, nil)
	}
	return object{contextRoot: top, contextRoot + "/{path}": at}
}

func bounded(schema any) object {
	out := generic(schema)
	operation.OpenSchema(out)
	bound(out)
	return out
}
