package markdown

import (
	"unicode"
	"unicode/utf8"
)

// underscores maps the start of each run of "_" that marks emphasis to its end. A "_" may
// also be part of a tag's name, so runs that mark emphasis determine the start and end of
// tags.
type underscores map[int]int

// at returns the end of the run at i, 0 if no run starts there.
func (u underscores) at(i int) int { return u[i] }

type run struct{ start, end int }

// pairUnderscores pairs the runs of r's text, in order, with at most one waiting run. A run
// before a letter or digit does not end emphasis, nor does a longer one, nor one between
// blanks. A run within a tag or hidden text may end emphasis but does not start it.
func pairUnderscores(r *tagReader) underscores {
	var out underscores
	var opener run
	rest, tagEnd := r.hidden, 0
	for i := r.start; i < r.end; {
		for len(rest) > 0 && rest[0].End <= i {
			rest = rest[1:]
		}
		inside := len(rest) > 0 && rest[0].Start <= i
		switch c := r.text[i]; {
		case c == '\\' && !inside && i+1 < r.end && isPunct(r.text[i+1]):
			i += 2
			continue
		case c == '#' && !inside && i >= tagEnd:
			tagEnd = r.tagEnd(i + 1)
		case c == '_':
			last := r.end
			if inside {
				last = rest[0].End
			}
			u := run{i, i + min(runLength(r.text[i:r.end]), last-i)}
			if opener = r.offer(&out, opener, u); opener == u && (inside || i < tagEnd) {
				opener = run{}
			}
			i = u.end
			continue
		}
		i++
	}
	return out
}

// offer pairs a run with the waiting one, and returns the run that waits then.
func (r *tagReader) offer(out *underscores, opener, u run) run {
	switch next := r.byteAt(u.end); {
	case opener.end == 0:
		return u
	case isLetter(next) || isDigit(next), u.end-u.start > opener.end-opener.start:
		return opener
	}
	after, _ := utf8.DecodeRune(r.text[opener.end:r.end])
	before, _ := utf8.DecodeLastRune(r.text[r.start:u.start])
	if unicode.IsSpace(after) && unicode.IsSpace(before) {
		return u
	}
	if *out == nil {
		*out = underscores{}
	}
	(*out)[opener.start], (*out)[u.start] = opener.end, u.end
	return run{}
}
