package sessions

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/transcript"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy"
)

// Name is the name of the space of past sessions.
const Name = "sessions"

// text is the initial policy of the space.
const text = `# Past sessions of agents. The transcripts are read and never written.
description = "Past sessions of agents: requests, answers, files and commits"
format = "markdown"
syntax = "transcript"
type = "session"

[sessions]
clients = []
days = 365 # after the end of a session

[retention]
snapshot_days = 1

[permissions]
default = "deny"

[[permissions.rule]]
effect = "deny"
reason = "past sessions are read only"
`

// AttachRequest attaches past sessions.
type AttachRequest struct {
	Clients     []string // empty for all with sessions on this machine
	Directories []string // only sessions that ran in or below these
	Days        int      // how many days after its end a session is shown; 0 is the policy's value
	DryRun      bool
}

// Attach adds the space of past sessions, or more clients to it. Only a person may
// call it.
func Attach(ctx context.Context, sess *memory.Session, req AttachRequest) (api.Space, error) {
	if err := space.PersonOnly(sess.Actor, strings.TrimSpace("space add --sessions "+strings.Join(req.Clients, " ")), "attach past sessions"); err != nil {
		return api.Space{}, err
	}
	at := sess.Place
	clients := slices.Clone(req.Clients)
	if len(clients) == 0 {
		for _, c := range Found(at) {
			clients = append(clients, string(c))
		}
	}
	if len(clients) == 0 {
		return api.Space{}, kb.Errorf(kb.NotFound, "no client has sessions here").
			WithHint("Name one of %s.", kb.Listed(transcript.Clients()))
	}
	for i, c := range clients {
		if c == "claude" {
			clients[i] = string(transcript.Claude)
		}
	}
	memory, err := space.DatabasePath(at)
	if err != nil {
		return api.Space{}, err
	}
	root, err := at.SessionsDir(memory)
	if err != nil {
		return api.Space{}, err
	}
	change := func(old []byte) ([]byte, error) {
		if len(old) == 0 {
			old = []byte(text)
		}
		p, err := policy.Parse(old)
		if err != nil {
			return nil, err
		}
		set := func(key, value string) {
			if err == nil {
				old, err = policy.Set(old, "sessions."+key, value)
			}
		}
		set("clients", strings.Join(union(p.Sessions.Clients, clients), ","))
		if len(req.Directories) > 0 {
			var dirs []string
			for _, d := range req.Directories {
				dirs = append(dirs, at.Absolute(d))
			}
			set("directories", strings.Join(union(p.Sessions.Directories, dirs), ","))
		}
		if req.Days > 0 {
			set("days", strconv.Itoa(req.Days))
		}
		return old, err
	}
	if req.DryRun {
		text, err := change(nil)
		if err != nil {
			return api.Space{}, err
		}
		return api.Space{Name: Name, Kind: kb.DirectorySpace, Root: root, Policy: string(text)}, nil
	}
	return sess.Spaces.AddKept(ctx, Name, root, change)
}

// Attached returns the clients with sessions that are attached.
func Attached(ctx context.Context, sess *memory.Session) (out []string, err error) {
	all, err := spaces(ctx, sess)
	for _, s := range all {
		p, err := policy.Parse(s.Policy)
		if err != nil {
			return nil, err
		}
		out = append(out, p.Sessions.Clients...)
	}
	return out, err
}

func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}
