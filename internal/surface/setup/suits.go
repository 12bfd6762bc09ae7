package setup

import (
	"context"
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// Suit completes a request with what suits the spaces of a memory: the directories that agents
// change through cairn only, the tools of the day where pages of the current space are of a
// day, and the skill of curation where its writes are commits.
func (req *Request) Suit(ctx context.Context, a *memory.Session) (err error) {
	if req.Closed, err = a.Spaces.Closed(ctx); err != nil || req.Remove {
		return err
	}
	s, err := a.Spaces.Current(ctx)
	if err != nil {
		return nil // none, or several and none chosen: cairn's own default
	}
	pol, _, err := a.Spaces.Policy(ctx, s, nil)
	if err != nil {
		return nil // doctor reports a policy that cannot be read
	}
	if len(pol.Rotate) > 0 {
		req.Serve.Usual = string(operation.Core) + "," + string(operation.Context)
	}
	if pol.Guard.Commit {
		req.Skills = append(req.Skills, "guarded")
	}
	return nil
}

// SuitServed is Suit for the memory of a server, which may have none yet.
func (req *Request) SuitServed(ctx context.Context, m operation.Memory) error {
	a, err := m.Session(ctx, false)
	if err == nil {
		err = req.Suit(ctx, a)
	}
	if err != nil && (space.NothingYet(err) || kb.AsError(err).Reason == kb.NoDatabase) {
		return nil
	}
	return err
}

// Next is what a person does when a request is carried out.
func (req *Request) Next() []string {
	var titles []string
	for _, name := range req.Clients {
		titles = append(titles, Title(name))
	}
	who := titles[len(titles)-1]
	if others := titles[:len(titles)-1]; len(others) > 0 {
		who = strings.Join(others, ", ") + " and " + who
	}
	if req.Remove {
		return []string{"Restart " + who + "."}
	}
	return []string{
		fmt.Sprintf("Restart %s and say: Remember that deploys go through staging first.", who),
		fmt.Sprintf("In a new session ask: What do you know about deploys? To test the connection: cairn setup %s --check", strings.Join(req.Clients, " ")),
	}
}
