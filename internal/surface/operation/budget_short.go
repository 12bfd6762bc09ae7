package operation

import "strings"

// ShortTitle returns a title, "" where the ref ends in it.
func ShortTitle(ref, title string) string {
	if strings.HasSuffix(ref, ":"+title) || strings.HasSuffix(ref, "/"+title) {
		return ""
	}
	return title
}

// ShortPath returns a path, "" where it is the ref's slug with .md.
func ShortPath(ref, path string) string {
	if _, slug, _ := strings.Cut(ref, ":"); slug+".md" == path {
		return ""
	}
	return path
}

// ShortSpace returns the name of a space, "" where the ref begins with it.
func ShortSpace(ref, space string) string {
	if strings.HasPrefix(ref, space+":") {
		return ""
	}
	return space
}
