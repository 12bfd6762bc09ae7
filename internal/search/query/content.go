package query

// Content returns the words of a question that say something, in its order:
// those that Relax looks for, but with repetitions, and of a long text only the
// first, as in Mentions.
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
