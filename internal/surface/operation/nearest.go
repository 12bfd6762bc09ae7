package operation

import (
	"strings"
	"sync"
)

// meant are names that programs often send for ours.
var meant = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"ref":              {"id", "slug", "path", "page", "permalink", "identifier", "name", "uri", "file", "file_path", "note", "title"},
		"text":             {"content", "body", "markdown", "contents", "value", "note"},
		"query":            {"q", "search", "question", "words", "term"},
		"limit":            {"n", "k", "top_k", "max_results", "page_size", "count"},
		"budget":           {"max_tokens", "tokens", "token_budget"},
		"expected_version": {"version", "if_version", "base_version"},
		"space":            {"project", "collection", "namespace", "vault", "store", "workspace"},
		"tags":             {"tag", "labels", "keywords"},
		"what":             {"view", "mode", "kind", "action"},
		"to":               {"target", "object", "destination"},
		"from":             {"source", "subject"},
		"type":             {"relation", "predicate", "kind", "category"},
		"title":            {"name", "rename"},
		"write":            {"id", "write_id", "number", "version", "change"},
		"open":             {"status", "state"},
		"section":          {"heading", "header"},
		"lines":            {"line", "range", "line_range"},

		// Values.
		"tag":     {"add_tag", "add_tags", "label"},
		"untag":   {"remove_tag", "delete_tag"},
		"set":     {"set_property", "update_property", "property"},
		"unset":   {"remove_property", "delete_property"},
		"relate":  {"link", "add_relation", "connect"},
		"delete":  {"remove", "trash"},
		"replace": {"find_replace", "update", "substitute", "str_replace"},
		"append":  {"add", "insert"},
		"pages":   {"files", "notes", "list", "documents"},
		"tree":    {"directories", "folders", "dirs", "directory"},
		"recent":  {"changes", "activity", "history", "recent_changes"},
		"tasks":   {"todos", "todo", "open_tasks"},
	}
})

// Nearest returns the name that was probably meant, "" when none is near.
func Nearest(given string, names []string) string {
	given = strings.ToLower(given)
	for _, n := range names {
		for _, other := range meant()[n] {
			if given == other {
				return n
			}
		}
	}
	best, least := "", 3 // changes; more is another word
	for _, n := range names {
		if d := distance(given, n); d < least && d < len(n) {
			best, least = n, d
		}
	}
	return best
}

// distance counts the bytes to insert, remove and replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
