package mcpserver_test

import (
	"slices"
	"strings"
	"testing"
)

// Observations and relations are hits of their own, each with its line and a permalink
// that leads to it.
func TestSearchItems(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	n.must("write_note", args{"title": "Coffee", "content": "Water for coffee is hot.\n\n- [method] Bloom for thirty seconds #brew (pour over)\n- [fact] Water boils early in the mountains\n- [fact] A scale helps\n- pairs_with [[Morning Bread]]\n"})
	n.must("write_note", args{"title": "Tea", "content": "- [fact] Green tea needs cooler water\n- part_of [[Kitchen]]\n", "note_type": "drink"})
	n.must("write_note", args{"title": "Kitchen", "content": "A room.\n"})
	search := func(in args) (out []string, m args) {
		in["output_format"] = "json"
		if in["search_type"] == nil {
			in["search_type"] = "fts"
		}
		m = n.must("search_notes", in)
		for _, r := range m["results"].([]any) {
			r := r.(args)
			lines := r["lines"].([]any)
			text := strings.Split(n.file(strings.TrimPrefix(r["ref"].(string), "vault:")+".md"), "\n")
			if r["type"] != "entity" && !strings.HasSuffix(text[int(lines[0].(float64))-1], r["content"].(string)) {
				t.Errorf("%v stands at line %v: %q", r["permalink"], lines, text[int(lines[0].(float64))-1])
			}
			if r["type"] != "entity" {
				p := n.must("build_context", args{"path": r["permalink"]})["results"].([]any)[0].(args)["primary_result"].(args)
				if p["type"] != r["type"] || p["line"] != lines[0] {
					t.Errorf("%v leads to %v", r["permalink"], p)
				}
			}
			out = append(out, r["permalink"].(string))
		}
		return out, m
	}
	for name, tc := range map[string]struct {
		in   args
		want string
	}{
		"observations with the words": {args{"query": "water", "entity_types": []string{"observation"}},
			"coffee/observations/fact/water-boils-early-in-the-mountains tea/observations/fact/green-tea-needs-cooler-water"},
		"in one line":               {args{"query": "water boil", "entity_types": []string{"observation"}}, "coffee/observations/fact/water-boils-early-in-the-mountains"},
		"any of the words":          {args{"query": "bloom tea", "search_item_types": []string{"observation"}}, "coffee/observations/method/bloom-for-thirty-seconds tea/observations/fact/green-tea-needs-cooler-water"},
		"a tag":                     {args{"query": "brew", "entity_types": []string{"observation"}}, "coffee/observations/method/bloom-for-thirty-seconds"},
		"a phrase":                  {args{"query": `"cooler water"`, "entity_types": []string{"observation"}}, "tea/observations/fact/green-tea-needs-cooler-water"},
		"not a word of the page":    {args{"query": "water -mountains", "entity_types": []string{"observation"}}, "tea/observations/fact/green-tea-needs-cooler-water"},
		"relations":                 {args{"query": "bread", "entity_types": []string{"relation"}}, "coffee/pairs-with/morning-bread"},
		"a type of relation":        {args{"query": "part of", "entity_types": []string{"relation"}}, "tea/part-of/kitchen"},
		"all of a category":         {args{"entity_types": []string{"observation"}, "categories": []string{"method"}}, "coffee/observations/method/bloom-for-thirty-seconds"},
		"all of a type of note":     {args{"entity_types": []string{"observation", "relation"}, "note_types": []string{"drink"}}, "tea/observations/fact/green-tea-needs-cooler-water tea/part-of/kitchen"},
		"in the query language":     {args{"query": "item:relation kitchen"}, "tea/part-of/kitchen"},
		"pages and lines":           {args{"query": "mountains", "entity_types": []string{"entity", "observation"}}, "coffee coffee/observations/fact/water-boils-early-in-the-mountains"},
		"pages alone":               {args{"query": "mountains", "entity_types": []string{"entity"}}, "coffee"},
		"nothing":                   {args{"query": "zebra", "entity_types": []string{"observation"}}, ""},
		"words of different lines":  {args{"query": "scale mountains", "entity_types": []string{"observation"}}, "coffee/observations/fact/a-scale-helps coffee/observations/fact/water-boils-early-in-the-mountains"},
		"without pages in negation": {args{"query": "mountains -item:entity"}, "coffee/observations/fact/water-boils-early-in-the-mountains"},
	} {
		got, _ := search(tc.in)
		slices.Sort(got) // equally good lines go by their pages
		if tc.want != strings.Join(got, " ") {
			t.Errorf("%s: %q", name, got)
		}
	}
	_, m := search(args{"entity_types": []string{"observation"}, "page_size": 1, "page": 2})
	if m["total"] != 4.0 || m["left_out"] != 2.0 || m["next_page"] != 3.0 || len(m["results"].([]any)) != 1 {
		t.Errorf("page 2 is %v", m)
	}
	r := n.must("search_notes", args{"query": "pairs", "entity_types": []string{"relation"}, "search_type": "fts", "output_format": "json"})["results"].([]any)[0].(args)
	if r["relation_type"] != "pairs_with" || r["to_name"] != "Morning Bread" || r["to_permalink"] != nil || r["from_entity"] != "coffee" || r["score"] != 1.0 {
		t.Errorf("a relation is %v", r)
	}
	if code, says := n.refused("search_notes", args{"query": "x", "entity_types": []string{"page"}}); code != "usage" || !strings.Contains(says, "observation") {
		t.Errorf("another kind: %s %s", code, says)
	}
	if text, failed := n.text("search_notes", args{"query": "cooler", "entity_types": []string{"observation"}, "search_type": "fts"}); failed || !strings.Contains(text, "- observation: tea/observations/fact/green-tea-needs-cooler-water, line ") {
		t.Errorf("as text: %s", text)
	}
}

// What is hidden in a page is hidden in its lines and their permalinks.
func TestSearchItemsHidesCredentials(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	key := "AKIA" + "IOSFODNN7EXAMPLQ"
	n.outside("keys.md", "- [access] deploy with "+key+" today\n")
	m := n.must("search_notes", args{"query": "deploy", "entity_types": []string{"observation"}, "search_type": "fts", "output_format": "json"})
	r := m["results"].([]any)[0].(args)
	for name, value := range r {
		if text, ok := value.(string); ok && strings.Contains(strings.ToUpper(text), key) {
			t.Errorf("%s is %s", name, text)
		}
	}
	if r["permalink"] != "keys" {
		t.Errorf("its permalink is %v", r["permalink"])
	}
}
