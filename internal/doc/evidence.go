package doc

// Lost returns the timeline entries of a document that are missing or altered in a later
// state. Their position does not matter; of duplicates, each missing one is lost.
func Lost(before, after *Document) []Entry {
	type entry struct{ date, source, text, detail string }
	of := func(e *Entry) entry { return entry{e.Date, e.Source, e.Text, e.Detail} }
	left := map[entry]int{}
	for i := range after.Nodes {
		for j := range after.Nodes[i].Entries {
			left[of(&after.Nodes[i].Entries[j])]++
		}
	}
	var out []Entry
	for i := range before.Nodes {
		for j := range before.Nodes[i].Entries {
			e := &before.Nodes[i].Entries[j]
			if left[of(e)]--; left[of(e)] < 0 {
				out = append(out, *e)
			}
		}
	}
	return out
}
