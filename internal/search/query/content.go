package query

// Content returns the significant words of a question, in order: those that Relax searches
// for, but with repetitions, and of a long text only the first ones, as in Mentions.
func Content(root Node) []string {
	var words []string
	for _, word := range plainWords(root) {
		for _, part := range compound(word) {
			if !stops(part) {
				words = append(words, part)
			}
		}
	}
	return words
}
