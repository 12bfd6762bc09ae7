package doc

// OnlyAdds reports whether no edit removes or changes anything (adds), and whether all edits
// only add text or mark the document as contested (contests).
func OnlyAdds(edits []Edit) (adds, contests bool) {
	for _, e := range edits {
		switch e := e.(type) {
		case Append, AddEntry, AddObservation, AddRelation:
		case SetProperty:
			if e.Key != "status" || e.Value != "contested" {
				return false, false
			}
			contests = true
		default:
			return false, false
		}
	}
	return !contests, contests
}
