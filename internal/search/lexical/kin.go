package lexical

// kin maps words that share their stem with others to the state of their family. A search
// for one of these words finds documents with any of them. To count those without reading
// all postings, each word is stored with the number of its documents that also have an
// earlier word of the family. These numbers, less those of deleted documents, add up over
// segments.
type kin map[string]*family

type family struct {
	last string   // last word in order
	docs []uint32 // documents with one of the words so far, ascending
}

// add adds the words of a stem, which may itself be a word.
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

// has reports whether a word belongs to a family.
func (k kin) has(word string) bool { return k[word] != nil }

// count counts the documents of a word that also have an earlier word of its family. Words
// must be passed in ascending order.
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
