package doc

import (
	"path"
	"regexp"
)

// DenoteScheme begins links to notes by their identifiers in Denote, and their refs.
const DenoteScheme = "denote:"

var denoteID = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}`)

// DenoteRef returns the ref of a file by its Denote identifier, from its
// metadata or else from the start of its name.
func DenoteRef(name string, n *Node) (ref string, ok bool) {
	id := denoteID.FindString(path.Base(name))
	if p, has := n.Property("identifier"); has && len(p.Values) == 1 && denoteID.MatchString(p.Values[0]) {
		id = p.Values[0]
	}
	return DenoteScheme + id, id != ""
}
