package setup

import (
	"context"
	"slices"
)

// HasInstructions reports whether a client has cairn's instructions in a file
// of its own, for the person or for the directory, so that they need not be
// repeated. The client is named as it introduces itself to MCP servers.
func (p Place) HasInstructions(ctx context.Context, name string) bool {
	return slices.ContainsFunc(clients, func(c client) bool { return c.is(name) && (p.told(ctx, c, User) || p.told(ctx, c, Project)) })
}

// is reports whether a client introduces itself by a name, or is usually called so.
func (c client) is(name string) bool {
	if usual, ok := Find(name); ok {
		return usual == c.name
	}
	return name != "" && slices.ContainsFunc(slices.Concat(c.user, c.project), func(pc piece) bool {
		switch h := pc.part.(type) {
		case hook:
			return h.actor == name
		case hookFile:
			return h.actor == name
		}
		return false
	})
}

func (p Place) told(ctx context.Context, c client, s Scope) bool {
	if s == User && p.Home == "" {
		return false
	}
	return slices.ContainsFunc(c.in(s), func(pc piece) bool {
		if _, ok := pc.part.(instructions); !ok {
			return false
		}
		f, err := load(ctx, p.chosen(pc))
		if err != nil || !f.there {
			return false
		}
		start, _, err := marks(f.text)
		return err == nil && start >= 0
	})
}
