package lexical

// kin are words that share their stem with others, and what of each such family was
// counted so far. A search for one of them finds documents with any: to know how many
// there are, each word is kept with the number of its documents that have a lesser
// word of the family. These numbers, less those of deleted documents, add up over
// segments.
type kin map[string]*family

type family struct {
	last string   // of the words
	docs []uint32 // that have one of those counted, ascending
}

// add adds the words with a stem, which may itself be one of them.
func (k kin) add(stem string, words []string) {
	f := &family{last: words[len(words)-1]}
	for _, w := range words {
		k[w] = f
	}
	if isStem(stem) {
		k[stem] = f
		f.last = max(f.last, stem)
	}
}

// has reports whether a word may have kin.
func (k kin) has(word string) bool { return k[word] != nil }

// count counts the documents of a word that have a lesser one of its family. Words
// come in ascending order.
func (k kin) count(word string, docs []uint32) int {
	f := k[word]
	if f == nil {
		return 0
	}
	all := make([]uint32, 0, len(f.docs)+len(docs))
	i, n := 0, 0
	for _, d := range docs {
		for ; i < len(f.docs) && f.docs[i] < d; i++ {
			all = append(all, f.docs[i])
		}
		if i < len(f.docs) && f.docs[i] == d {
			n++
			i++
		}
		all = append(all, d)
	}
	f.docs = append(all, f.docs[i:]...)
	if word == f.last {
		f.docs = nil
	}
	return n
}
