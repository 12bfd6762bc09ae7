package operation

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// ReadSets reads the names of sets of tools; "all" is every set, and no names are the core
// set. An unknown name is kb.Usage.
func ReadSets(names ...string) ([]Set, error) {
	known := Sets()
	var out []Set
	for _, name := range names {
		switch s := Set(strings.TrimSpace(name)); {
		case s == "all":
			return known, nil
		case slices.Contains(known, s):
			out = append(out, s)
		default:
			return nil, kb.Errorf(kb.Usage, "unknown set of tools %q", name).WithHint("Sets are core, more, capture, context, review, notes, memory and all.")
		}
	}
	if len(out) == 0 {
		out = []Set{Core}
	}
	return out, nil
}

// Guide describes when to use the memory to an agent with these sets of tools
// (the core set if empty), in Markdown, with the names of its tools.
func Guide(sets []Set) string {
	if len(sets) == 0 {
		sets = []Set{Core}
	}
	has := OfferedBy(sets, false)
	look := advice{{" (`<recall|memory_query|search_notes>`)", " (`cairn query`)"}}.words(has)
	keep := advice{{" (`<remember|memory_put|write_note|capture>`)", " (`cairn put`)"}}.words(has)
	change := advice{{"`<edit|edit_note>` the existing page", "change the existing page"}}.words(has)
	text := "## Memory: cairn\n\n" +
		"This machine has a memory that outlives the session: the cairn tools, or else\n" +
		"`cairn --help`. Look there before you ask or guess" + look + ", and when a name, a concept\n" +
		"or a field comes up that it may know: say briefly what you find. Write down what the\n" +
		"next session needs, a decision, a cause, a preference, one subject a page" + keep + ", or\n" +
		change
	switch {
	case has("remember"), has("capture"):
		text += "; after work with decisions or insights worth keeping,\nsuggest the skill `memory-capture`"
	case has("memory_ingest"):
		text += "; after work with decisions or insights worth keeping,\nsuggest the skill `memory-ingest`"
	}
	if has("inject") {
		text += ".\n\nFor the user's profile, the rules and the day call `inject` first, unless they were\n" +
			"given to you. Add what you do to the page of the day: `today`"
	}
	return text + ". Never store credentials.\n"
}
