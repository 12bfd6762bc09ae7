package doc

import "strings"

// maxPermalinkText is how many characters of an observation its permalink is made of.
const maxPermalinkText = 200

// Permalink returns the name of a page in URIs: the one that it chose, else its slug
// with each part as Slug writes it.
func Permalink(slug string, n *Node) string {
	if own, ok := n.Property("permalink"); ok && len(own.Values) == 1 {
		if name := strings.TrimSpace(own.Values[0]); name != "" {
			return name
		}
	}
	return PathSlug(slug)
}

// PathSlug writes each part of a path as Slug does.
func PathSlug(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = Slug(part)
	}
	return strings.Join(parts, "/")
}

// ObservationPermalink returns the name of an observation in URIs (14.2), below that of
// its page.
func ObservationPermalink(page, category, text string) string {
	if runes := []rune(text); len(runes) > maxPermalinkText {
		text = string(runes[:maxPermalinkText])
	}
	return page + "/observations/" + Slug(category) + "/" + Slug(text)
}

// RelationPermalink returns the name of a relation in URIs, below that of its page. To
// is the permalink of the page that it leads to, or PathSlug of the name.
func RelationPermalink(page, kind, to string) string { return page + "/" + Slug(kind) + "/" + to }
