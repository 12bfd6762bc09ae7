package operation

import "github.com/cairn-kb/cairn/internal/kb"

// Set names the operations that a caller gets together.
type Set string

// The sets.
const (
	Core Set = "core" // what an agent needs; at most eight
	More Set = "more" // everything else
)

// Sets returns all sets.
func Sets() []Set { return []Set{Core, More} }

// Find returns the operation of this name. For another name it is
// kb.NotFound, with the nearest one as a hint.
func Find(name string) (*Operation, error) {
	all := All()
	names := make([]string, len(all))
	for i, op := range all {
		if op.Name == name {
			return op, nil
		}
		names[i] = op.Name
	}
	e := kb.Errorf(kb.NotFound, "there is no tool %q", name).With("tools", names)
	if near := nearest(name, names); near != "" {
		return nil, e.WithHint("Did you mean %s?", near)
	}
	return nil, e.WithHint("cairn tools-json lists them.")
}
