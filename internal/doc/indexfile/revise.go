package indexfile

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Names returns the names of the index files that the first one links to, including
// its own; nil for a text in another form.
func Names(first []byte, o Options) []string {
	all, ok := o.outline(string(first))
	if !ok {
		return nil
	}
	names := []string{o.Name + o.Extension()}
	for _, s := range all {
		names = append(names, s.moved...)
	}
	return names
}

// Revise returns the result of Render for the entries in some files, after removing and
// adding entries. find returns the entry with an id; it need not set the projects. The rows
// of other pages are read from the files, which is much cheaper than rendering them. It
// reports false if the files lack the required data, or have another form.
func Revise(files []File, gone, came []Entry, o Options, find func(id string) (Entry, bool)) ([]File, bool) {
	all, ok := o.read(files)
	if !ok {
		return nil, false
	}
	projects := map[string]int{}
	for _, e := range gone {
		if !o.remove(all, e) {
			return nil, false
		}
		for _, p := range e.Projects {
			projects[p]--
		}
	}
	added := make(map[string]Entry, len(came))
	for _, e := range came {
		if !o.insert(all, e, func(id string) (Entry, bool) {
			if e, ok := added[id]; ok {
				return e, true
			}
			return find(id)
		}) {
			return nil, false
		}
		added[e.ID] = e
		for _, p := range e.Projects {
			projects[p]++
		}
	}
	if !o.count(all, projects) || slices.ContainsFunc(all, func(s section) bool { return len(s.rows) == 0 }) {
		return nil, false
	}
	return o.files(all), true
}

// remove removes the row of an entry.
func (o Options) remove(all []section, e Entry) bool {
	s := sectionOf(all, e.heading(), pageColumns)
	if s == nil {
		return false
	}
	r := o.pageRow(e)
	i := slices.Index(s.rows, r)
	if i < 0 {
		return false
	}
	s.rows, s.size = slices.Delete(s.rows, i, i+1), s.size-len(r.line)
	return true
}

// insert adds the row of an entry in sorted position. It only searches rows of the same
// type: another type may have a separate section with the same heading.
func (o Options) insert(all []section, e Entry, find func(id string) (Entry, bool)) bool {
	s := sectionOf(all, e.heading(), pageColumns)
	if s == nil || len(s.rows) == 0 {
		return false
	}
	ok, title := true, strings.ToLower(e.Title)
	i := sort.Search(len(s.rows), func(i int) bool {
		other, known := find(s.rows[i].id)
		ok = ok && known && other.ID != e.ID && (other.Type == e.Type || e.settled())
		return cmp.Or(cmp.Compare(strings.ToLower(other.Title), title), byTitle(other, e)) > 0
	})
	r := o.pageRow(e)
	s.rows, s.size = slices.Insert(s.rows, i, r), s.size+len(r.line)
	return ok
}

// count changes the page counts of projects.
func (o Options) count(all []section, by map[string]int) bool {
	s := sectionOf(all, projectHeading, projectColumns)
	for name, n := range by {
		switch {
		case n == 0:
			continue
		case s == nil:
			return false
		}
		i, listed := slices.BinarySearchFunc(s.rows, name, func(r row, name string) int { return cmp.Compare(r.id, name) })
		if listed {
			was, err := strconv.Atoi(strings.TrimSuffix(s.rows[i].line[len("| ")+len(name)+len(" | "):], " |\n"))
			if err != nil {
				return false
			}
			s.size -= len(s.rows[i].line)
			s.rows = slices.Delete(s.rows, i, i+1)
			n += was
		}
		if n < 0 {
			return false
		}
		if n > 0 {
			r := o.projectRow(name, n)
			s.rows, s.size = slices.Insert(s.rows, i, r), s.size+len(r.line)
		}
	}
	return true
}

func sectionOf(all []section, heading string, columns []string) *section {
	i := slices.IndexFunc(all, func(s section) bool { return s.heading == heading && slices.Equal(s.columns, columns) })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// read returns the sections of index files with all their rows.
func (o Options) read(files []File) ([]section, bool) {
	texts := make(map[string]string, len(files))
	for _, f := range files {
		texts[f.Path] = string(f.Text)
	}
	all, ok := o.outline(texts[o.Name+o.Extension()])
	for i := range all {
		s := &all[i]
		for n, name := range s.moved {
			text, begins := strings.CutPrefix(texts[name], o.head("Index: "+s.heading))
			part, rest, whole := o.section(text)
			if !begins || !whole || rest != "" || part.heading != s.heading || n > 0 && !slices.Equal(part.columns, s.columns) {
				return nil, false
			}
			s.columns, s.rows, s.size = part.columns, append(s.rows, part.rows...), s.size+part.size
		}
		s.moved = nil
	}
	return all, ok
}

// outline returns the sections of the first file, with the rows that it has.
func (o Options) outline(text string) (all []section, ok bool) {
	text, ok = strings.CutPrefix(text, o.head("Index"))
	for ok && text != "" {
		var s section
		if s, text, ok = o.section(text); ok {
			// Two types may have the same heading.
			ok = !slices.ContainsFunc(all, func(x section) bool { return x.heading == s.heading })
			all = append(all, s)
		}
	}
	return all, ok
}

// section reads a section, and returns the text after it.
func (o Options) section(text string) (s section, rest string, ok bool) {
	mark := "\n## "
	if o.Org {
		mark = "\n* "
	}
	rest, ok = strings.CutPrefix(text, mark)
	if s.heading, rest, _ = strings.Cut(rest, "\n\n"); !ok || !plain(s.heading) {
		return s, text, false
	}
	if line, after, _ := strings.Cut(rest, "\n"); strings.HasPrefix(line, "- ") {
		_, names, listed := strings.Cut(line, " in ")
		s.moved = strings.Split(names, ", ")
		return s, after, listed
	}
	for _, columns := range [][]string{pageColumns, projectColumns} {
		s.columns = columns
		if rows, opened := strings.CutPrefix(text, o.opening(s)); opened {
			rest, ok = s.read(rows)
			return s, rest, ok
		}
	}
	return s, text, false
}

// read adds the rows at the start of a text, and returns the text after them.
func (s *section) read(text string) (rest string, ok bool) {
	for strings.HasPrefix(text, "| ") {
		end := strings.IndexByte(text, '\n') + 1
		if end == 0 {
			return text, false
		}
		line := text[:end]
		id, cells, more := strings.Cut(line[len("| "):], " | ")
		switch {
		case !more || strings.HasPrefix(id, "|"): // an empty cell
			return text, false
		case slices.Equal(s.columns, pageColumns):
			id, _, _ = strings.Cut(cells, " |")
		case !plain(id):
			return text, false
		}
		s.add(row{id, line})
		text = text[end:]
	}
	return text, true
}
