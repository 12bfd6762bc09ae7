package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/httpapi"
	"github.com/cairn-kb/cairn/internal/surface/login"
	"github.com/cairn-kb/cairn/internal/surface/mcpserver"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/setup"
	"github.com/cairn-kb/cairn/internal/surface/webui"
)

// overHTTP is the MCP server as the HTTP server mounts it.
type overHTTP struct {
	http.Handler
	*mcpserver.Server
}

// serveHTTP puts the HTTP server, the MCP server and the command line
// together.
func serveHTTP(ctx context.Context, s command.HTTPSession) error {
	socket, err := httpapi.Listen(ctx, s.Address, s.Remote)
	if err != nil {
		return err
	}
	tools := mcpserver.New(mcpserver.Options{Memory: s.Memory, Sets: s.Sets, ReadOnly: s.ReadOnly, Skills: s.Setup.OwnSkills(), Version: s.Version, Log: s.Log})
	browsers, err := webui.New(webui.Options{
		Memory: s.Memory, ReadOnly: s.ReadOnly, Secret: owner(s), Host: s.WebHost, PublicURL: s.Public, Now: s.Now, Ledger: login.Ledger{Dir: s.Tickets}, Clients: clients{s.Setup, s.Memory},
	})
	if err != nil {
		return err
	}
	defer browsers.Close()
	web := httpapi.New(httpapi.Options{
		Memory: s.Memory, ReadOnly: s.ReadOnly, MCP: overHTTP{tools.Handler(), tools}, Web: browsers, Tokens: tokens(s), Hosts: s.Hosts,
		Version: s.Version, Faults: s.Faults, Synced: s.Synced, Report: s.Report, Log: s.Log, Now: s.Now, After: s.After,
	})
	stop := watch(ctx, tools)
	defer stop()
	s.Ready("http://" + socket.Addr().String())
	return web.Serve(ctx, socket, s.Grace)
}

// owner returns the owner's token as it is now.
func owner(s command.HTTPSession) func() string {
	return func() string {
		for _, t := range s.Tokens() {
			if t.Agent == "" {
				return t.Text
			}
		}
		return ""
	}
}

// tokens are those of the command line, as the HTTP server has them.
func tokens(s command.HTTPSession) func() []httpapi.Token {
	return func() (out []httpapi.Token) {
		for _, t := range s.Tokens() {
			out = append(out, httpapi.Token(t))
		}
		return out
	}
}

// clients are the agents' programs of this machine, as the web UI shows them.
type clients struct {
	place  setup.Place
	memory operation.Memory
}

func (c clients) List(ctx context.Context) (out []webui.Client) {
	for _, s := range c.place.Clients(ctx) {
		// Where that cannot be told, the page of the removal says why.
		removal, err := c.place.Plan(ctx, setup.Request{Clients: []string{s.Client}, Scope: setup.User, Remove: true})
		out = append(out, webui.Client{
			Name: s.Client, Title: s.Title, Found: s.Detected, SetUp: s.User || s.Project, Removable: err == nil && removal.Changed(),
		})
	}
	return out
}

// Change sets up a client for its person or a project, or takes cairn out of it again, as cairn
// setup does.
func (c clients) Change(ctx context.Context, name, project string, remove, dry bool) (out webui.ClientChange, err error) {
	req := setup.Request{Clients: []string{name}, Scope: setup.User, Remove: remove}
	if project != "" {
		req.Scope, c.place.Dir = setup.Project, project
	}
	if err := req.SuitServed(ctx, c.memory); err != nil {
		return out, err
	}
	plan, err := c.place.Plan(ctx, req)
	if err == nil && !dry {
		err = c.place.Apply(ctx, plan.Changes)
	}
	if err != nil {
		return out, err
	}
	for _, ch := range plan.Changes {
		if ch.Action != setup.Unchanged || ch.Note != "" {
			out.Files = append(out.Files, webui.ClientFile{Path: ch.Path, Action: string(ch.Action), Note: ch.Note, Diff: ch.Diff})
		}
	}
	out.Changes, out.Next = plan.Changed(), append(plan.Next, req.Next()...)
	return out, nil
}

func (c clients) Check(ctx context.Context, name string) (works bool, result string) {
	for _, e := range c.place.Entries(ctx, name) {
		r := setup.Check(ctx, e, c.place.Dir)
		if e.Fault != "" {
			r.Error, _ = command.FaultWords(e)
		}
		if !r.OK {
			return false, r.Error
		}
		works, result = true, fmt.Sprintf("%d tools: %s", len(r.Tools), strings.Join(r.Tools, ", "))
	}
	return works, result
}
