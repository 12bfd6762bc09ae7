package markdown

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// The shortcodes of Hugo and the tags of Jekyll that link to a page.
var (
	hugoRef    = regexp.MustCompile("^\\{\\{[<%]\\s*(?:rel)?ref\\s+(?:(?:\\w+\\s*=\\s*(?:\"[^\"\\n]*\"|`[^`\\n]*`)\\s+)*path\\s*=\\s*)?(?:\"([^\"\\n]*)\"|`([^`\\n]*)`|([^\\s\"`=<>%]+))[^\\n<>%]*[>%]\\}\\}")
	jekyllLink = regexp.MustCompile(`^\{%-?\s*(link|post_url)\s+([^\s%{}'"][^%{}\n'"]*?)\s*-?%\}`)
	liquid     = regexp.MustCompile(`^\{\{[^{}\n]*\}\}`) // as {{ site.baseurl }}
)

// siteLink reads the shortcode or tag at i, and returns where to go on.
func (s *linkScanner) siteLink(i int) (t doc.Target, end int, ok bool) {
	rest := s.text[i:min(s.end, i+maxWiki)]
	var at doc.Span // of the path with its anchor
	rooted := ""
	if m := hugoRef.FindSubmatchIndex(rest); m != nil {
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				at = doc.Span{Start: i + m[g], End: i + m[g+1]}
			}
		}
		end = i + m[1]
	} else if m := jekyllLink.FindSubmatchIndex(rest); m != nil {
		at, end = doc.Span{Start: i + m[4], End: i + m[5]}, i+m[1]
		if string(rest[m[2]:m[3]]) == "link" {
			rooted = "/" // it is a path from the root of the site
		}
	} else {
		return t, 0, false
	}
	path, anchor, _ := strings.Cut(string(s.text[at.Start:at.End]), "#")
	if path == "" || strings.Contains(path, "://") || isAttachment(path) || strings.HasSuffix(path, ".html") {
		return t, 0, false
	}
	return doc.Target{
		Kind: doc.SiteLink, Raw: path, Name: rooted + strings.TrimPrefix(path, rooted), Heading: anchor,
		Span: doc.Span{Start: i, End: end}, NameAt: doc.Span{Start: at.Start, End: at.Start + len(path)},
	}, end, true
}

// site adds the shortcode or tag at i that leads to a page, and returns where to go on.
func (s *linkScanner) site(n *doc.Node, i int) int {
	t, end, ok := s.siteLink(i)
	if !ok {
		return i + 1
	}
	n.Links = append(n.Links, doc.Link{Target: t, Type: kb.PlainLink})
	s.marks.unseen(i, end)
	return s.hide(i, end)
}

// siteDestination reads "{{< ref "page" >}})" from at, which is after the opening
// parenthesis: the destination of a Markdown link. It returns the offset after the
// closing parenthesis.
func (s *linkScanner) siteDestination(at int) (t doc.Target, end int, ok bool) {
	at = s.space(at)
	if m := liquid.FindIndex(s.text[at:min(s.end, at+maxWiki)]); m != nil && !bytes.HasPrefix(s.text[at:], []byte("{{<")) {
		at += m[1]
	}
	if s.at(at) != '{' {
		return t, 0, false
	}
	if t, end, ok = s.siteLink(at); !ok {
		return t, 0, false
	}
	if s.at(end) == '#' {
		from := end + 1
		for end++; end < s.end && s.text[end] > ' ' && s.text[end] != ')'; end++ {
		}
		t.Heading = string(s.text[from:end])
	}
	next := s.space(end)
	if next > end {
		if next, ok = s.title(next); !ok {
			return t, 0, false
		}
	}
	next = s.space(next)
	return t, next + 1, s.at(next) == ')'
}
