package doc

import "strings"

// Permalink returns the name of a page in URIs: its own permalink, else its slug with each
// part as Slug writes it.
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
