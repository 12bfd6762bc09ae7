package ingest

import (
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// MaxExcerpt is the maximum length of an excerpt in bytes.
const MaxExcerpt = 16 << 10

// stub is the stored summary of a source.
type stub struct {
	title, url, day string
	whole           string // path of the full text, relative to the stub; "" for none
	excerpt         string
}

var (
	locals   = lazyregexp.New(`(?i)local variables:`)
	endsPage = "\n\f\n" // Emacs reads local variables on the last page only
)

// text renders the stub in a format.
func (s stub) text(format doc.Format) []byte {
	var b strings.Builder
	body := strings.TrimRight(strings.ReplaceAll(s.excerpt, "\r\n", "\n"), "\n")
	field := func(key, value string) {
		if value == "" {
			return
		}
		if format == doc.Org {
			b.WriteString("#+" + key + ": " + value + "\n")
		} else {
			b.WriteString(key + ": " + strconv.Quote(value) + "\n")
		}
	}
	if format != doc.Org {
		b.WriteString("---\n")
	}
	// The title is not at the top: Emacs reads the text between -*- in the first
	// lines of a file as a mode and variables.
	field("retrieved", s.day)
	field("url", s.url)
	field("title", s.title)
	field("file", s.whole)
	if format != doc.Org {
		b.WriteString("---\n")
	}
	switch {
	case body == "":
	case format == doc.Org:
		b.WriteString("\n#+begin_example\n" + doc.InExample(body) + "\n#+end_example\n")
	default:
		b.WriteString("\n" + doc.Fenced("text", body))
	}
	if locals().MatchString(s.title + body) {
		b.WriteString(endsPage)
	}
	return []byte(b.String())
}
