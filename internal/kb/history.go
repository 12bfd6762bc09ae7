package kb

import (
	"strings"
	"time"
)

// ActorKind is the kind of a writer.
type ActorKind string

// The kinds of actor.
const (
	Human    ActorKind = "human"
	Agent    ActorKind = "agent"
	Sync     ActorKind = "sync" // found by reconcile: a change by an editor, git or another program
	Schedule ActorKind = "schedule"
)

// Actor is a writer. Name is the client's or the person's, "" if unknown.
type Actor struct {
	Kind ActorKind
	Name string
}

// String returns "agent:claude-code", or only the kind or the name when the
// other is empty.
func (a Actor) String() string {
	if a.Kind == "" || a.Name == "" {
		return string(a.Kind) + a.Name
	}
	return string(a.Kind) + ":" + a.Name
}

// ParseActor parses the actor that a caller claims to be: "kind:name", a kind, or
// the name of an agent. A caller cannot be a sync or the schedule, which are cairn
// itself.
func ParseActor(s string) (Actor, error) {
	kind, name, both := strings.Cut(strings.TrimSpace(s), ":")
	a := Actor{Kind: ActorKind(kind), Name: name}
	switch a.Kind {
	case Human, Agent:
	case "":
		return Actor{}, Errorf(Usage, "the actor has no name").WithHint("Name one like claude-code or human:ada.")
	default:
		if both && !reserved(kind) {
			return Actor{}, Errorf(Usage, "unknown kind of actor %q", kind).WithHint("Kinds are human and agent.")
		}
		if !both {
			a = Actor{Kind: Agent, Name: kind}
		}
	}
	if reserved(kind) || reserved(a.Name) {
		return Actor{}, Errorf(Usage, "the actors sync and schedule are cairn itself").WithHint("Name one like claude-code or human:ada.")
	}
	return a, nil
}

// AgentNamed returns an agent with a name chosen by the caller, such as the
// client's name. Names reserved for cairn are dropped.
func AgentNamed(name string) Actor {
	if reserved(name) {
		name = ""
	}
	return Actor{Kind: Agent, Name: name}
}

// reserved reports whether a name could be mistaken for cairn itself.
func reserved(name string) bool {
	kind, _, _ := strings.Cut(name, ":")
	switch ActorKind(strings.ToLower(strings.TrimSpace(kind))) {
	case Sync, Schedule:
		return true
	}
	return false
}

// Write is one change set: all changes of one transaction.
type Write struct {
	ID        int64
	Time      time.Time
	Actor     Actor
	Operation string // the verb: put, edit, move, delete, sync, undo, ...
	Message   string
	Undoes    int64 // ID of the write that this one undoes, 0 otherwise
}

// ChangeKind is the kind of a version's change.
type ChangeKind string

// The kinds of change.
const (
	Created ChangeKind = "created"
	Changed ChangeKind = "changed"
	Moved   ChangeKind = "moved"
	Deleted ChangeKind = "deleted"
)

// Version is one state of a document. It is an entry of the page's history and the
// event that readers follow.
type Version struct {
	Seq     int64 // counts all changes of the memory
	Write   int64 // Write.ID
	Space   int64 // Space.Row
	Page    ID
	Version int // counts this page's changes from 1
	Change  ChangeKind
	Path    string
	Title   string
	Hash    Hash // zero when deleted
	Size    int64
	Side    Sidecar
	Time    time.Time
	Actor   Actor
	ModTime time.Time // of the document when it was indexed; zero when deleted or unknown
	Pruned  bool      // its bytes have been pruned
}
