package webui

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	memspace "github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// Clients are the agents' programs of this machine, which can have the memory as tools.
type Clients interface {
	List(ctx context.Context) []Client
	// Check starts the entry of a client as the client does, and says what came of it.
	Check(ctx context.Context, name string) (works bool, result string)
	// Change writes the memory into the settings of a client, or takes it out: the settings of
	// the person, or those that a project has in its directory. With dry it only says what that
	// does.
	Change(ctx context.Context, name, project string, remove, dry bool) (ClientChange, error)
}

// ClientChange is what setting up a client does, or taking the memory out of it.
type ClientChange struct {
	Changes bool         // any file becomes another
	Files   []ClientFile // those that change, and those with something that is left alone
	Next    []string     // the remaining manual steps
}

// ClientFile is what becomes of a file of a client.
type ClientFile struct{ Path, Action, Note, Diff string }

// Client is an agent's program.
type Client struct {
	Name, Title string
	Found       bool // it is on this machine
	SetUp       bool // it has the memory
	Removable   bool // taking the memory out of it changes something
}

// firstRun leads from a directory of notes to a memory that agents use. It changes nothing.
func firstRun(v *view) (page, error) {
	if name := v.param("space"); name != "" {
		return v.added(name)
	}
	dir := v.param("dir")
	form := el("form.filters", attr{"method", "get"},
		el("label", "Directory of notes ", el("input", attr{"type", "text"}, attr{"name", "dir"}, attr{"value", dir}, attr{"size", "40"}, attr{"required", ""}, attr{"placeholder", "/home/you/notes"}, attr{"spellcheck", "false"})),
		el("button", attr{"type", "submit"}, "Look at it"))
	if dir == "" {
		all, err := v.ask("spaces", nil)
		if err != nil && !memspace.NothingYet(err) {
			return page{}, err
		}
		roots := withRoot(all)
		return page{title: "Begin", place: "/spaces", body: nodes{steps(0), el("h1", "Begin with your notes"),
			el("p.quiet", "Name a directory. You see its notes and the effect of adding them before anything happens."), form,
			opt(len(roots) > 0, nodes{el("h2", "In the memory already"), el("ul", each(roots, func(s data) node {
				return el("li", el("a", href(v.base+"/?space="+url.QueryEscape(s.str("name"))), s.str("name")), " ", el("code", s.str("root")))
			}))})}}, nil
	}
	if name, err := v.spaceAt(dir); name != "" || err != nil {
		if err != nil {
			return page{}, err
		}
		return v.added(name)
	}
	name := path.Base(strings.TrimRight(strings.ReplaceAll(dir, `\`, "/"), "/"))
	would, err := v.ask("space_create", args{"path": dir, "name": name, "dry_run": true})
	if err != nil {
		said := failed(err)
		return page{title: "Begin", place: "/spaces", status: said.status, body: nodes{steps(0), el("h1", "Begin with your notes"), el("section.conflict", attr{"role", "alert"}, said.body), form}}, nil
	}
	n := would.num("count")
	var body node = empty("There are no notes here yet", el("p", "Add the directory anyway, and write the first page, or look at another one."))
	if n > 0 {
		body = v.folders(would.strs("documents"), n)
	}
	return page{title: "Begin", place: "/spaces", body: nodes{
		steps(0), el("h1", count(n, "note", "notes")+" in "+path.Base(would.str("root"))),
		el("p.quiet", "Nothing has changed yet: cairn only listed the names of files."),
		form, body,
		el("section.card", el("h2", "What adding them does"),
			el("ul",
				el("li", "Your notes stay as they are. cairn reads them into its own index, and follows what you and your agents change."),
				el("li", "It writes one file, ", el("code", ".cairn/space.toml"), ": the policy below, which you can change."),
				each(would.list("acts"), func(p data) node { return el("li", el("code", p.str("part")), " will "+p.str("does")+".") }),
				opt(len(would.list("acts")) == 0, el("li", "By this policy cairn does nothing by itself: it deletes, moves and commits nothing.")),
				each(would.list("waiting"), func(p data) node {
					return el("li", el("code", p.str("part")), " would "+p.str("does")+", and does nothing until you accept it.")
				}),
				each(would.strs("warnings"), func(w string) node { return el("li.problem", w) })),
			el("details", el("summary", "The policy"), el("pre", attr{"tabindex", "0"}, el("code", would.str("policy")))),
			el("div.buttons", el("form", attr{"method", "post"}, attr{"action", v.base + "/start"}, attr{"data-busy", "Reading your notes…"},
				el("input", attr{"type", "hidden"}, attr{"name", "dir"}, attr{"value", would.str("root")}),
				el("label", "Name ", el("input", attr{"type", "text"}, attr{"name", "name"}, attr{"value", would.str("name")}, attr{"required", ""}, attr{"size", "16"})), " ",
				el("button.primary", attr{"type", "submit"}, "Add "+count(n, "note", "notes"))), el("a.button", href(v.base+"/"), "Not now")),
			el("p.quiet.small", "The same in a terminal: ", el("code", "cairn space add "+shellWord(would.str("root"))))),
	}}, nil
}

// withRoot are the spaces of an answer that have a directory.
func withRoot(all data) []data {
	return slices.DeleteFunc(all.list("items"), func(s data) bool { return s.str("root") == "" })
}

// spaceAt returns the name of the space in a directory, "" for a directory of none.
func (v *view) spaceAt(dir string) (string, error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", nil // adding it says why
	}
	all, err := v.ask("spaces", nil)
	if err != nil && !memspace.NothingYet(err) {
		return "", err
	}
	for _, s := range all.list("items") {
		if s.str("root") == root {
			return s.str("name"), nil
		}
	}
	return "", nil
}

// steps shows where in the first run one is.
func steps(at int) node {
	var out nodes
	for i, name := range []string{"Look at your notes", "Make them searchable", "Connect your agents"} {
		out = append(out, el("li", flag(i == at, "aria-current", "step"), name))
	}
	return el("ol.steps", attr{"aria-label", "Steps"}, out)
}

// folders lists documents below their directories.
func (v *view) folders(paths []string, total int) node {
	in := map[string][]string{}
	for _, p := range paths {
		dir := path.Dir(p)
		in[dir] = append(in[dir], path.Base(p))
	}
	dirs := sorted(in)
	return nodes{
		opt(total > len(paths), el("p.quiet", fmt.Sprintf("The first %d of them:", len(paths)))),
		el("ul.folders", each(dirs, func(dir string) node {
			name := dir + "/"
			if dir == "." {
				name = "At the top"
			}
			return el("li", el("details", flag(len(paths) <= 40, "open", ""), el("summary", name, el("span.quiet.small", " "+fmt.Sprint(len(in[dir])))),
				el("ul", each(in[dir], func(f string) node { return el("li", f) }))))
		})),
	}
}

// addNotes adds a directory as a space.
func addNotes(v *view) (string, error) {
	answer, err := v.ask("space_create", args{"path": v.field("dir"), "name": v.field("name")})
	return "/start?space=" + url.QueryEscape(answer.str("name")), err
}

// added shows how far a new space is searchable, and what comes next.
func (v *view) added(name string) (page, error) {
	of, err := v.ask("spaces", args{"name": name})
	if err != nil {
		return page{}, err
	}
	var pages string
	if items := of.list("items"); len(items) > 0 {
		pages = items[0].str("pages")
	}
	state, err := v.ask("status", args{"detail": true})
	if err != nil {
		return page{}, err
	}
	progress, done, err := v.embeddingProgress(state)
	if err != nil {
		return page{}, err
	}
	at := 1
	if done {
		at = 2
	}
	return page{title: "Begin", place: "/spaces", body: nodes{
		steps(at), el("h1", name+" is in the memory"),
		el("p", cmp.Or(pages, "0")+" pages can be searched by their words now. ", el("a", href(v.base+"/?space="+url.QueryEscape(name)), "Search them")),
		progress,
		el("h2", "Connect your agents"), v.clients(),
		el("div.buttons", el("a.button.primary", href(v.base+"/"), "Open the memory"), el("a.button", href(v.base+"/graph?space="+url.QueryEscape(name)), "See the map")),
	}}, nil
}

// embeddingProgress shows how many pages are embedded. A script looks again until all are,
// unless nothing embeds them.
func (v *view) embeddingProgress(state data) (_ node, done bool, _ error) {
	all, have := state.sub("stats").num("pages"), state.num("embedded")
	have = min(have, all)
	if done = have >= all; done {
		return el("p.progress", attr{"data-done", ""}, el("span.badge.is-ok", "searchable by meaning"), " "+count(all, "page", "pages")), true, nil
	}
	a, err := v.opts.Memory.Session(v.ctx, false)
	if err != nil {
		return nil, false, err
	}
	if embeds, err := a.Place.Setting("embed"); err != nil || embeds == "off" {
		return el("p.progress", attr{"data-done", ""}, fmt.Sprintf("Embedding is off: %d of %d pages are searchable by meaning. Words find all of them. Without the setting embed = off, or with ", have, all), el("code", "cairn embed"), ", the others are embedded."), true, err
	}
	return el("div.progress", attr{"data-again", "2"},
		el("label", "Searchable by meaning ", el("progress", attr{"value", fmt.Sprint(have)}, attr{"max", fmt.Sprint(all)}), fmt.Sprintf(" %d of %d pages", have, all)),
		el("p.quiet.small", "This goes on in the background while the server runs. Words are found meanwhile.")), false, nil
}

// clients are the programs of agents with their state, the command for each, and a check.
func (v *view) clients() node {
	if v.opts.Clients == nil {
		return el("pre", attr{"tabindex", "0"}, el("code", "cairn setup"))
	}
	checked := v.field("client")
	found := slices.DeleteFunc(v.opts.Clients.List(v.ctx), func(c Client) bool { return !c.Found && !c.SetUp && !c.Removable })
	rows := each(found, func(c Client) node {
		state, command := el("span.badge", "not set up"), "cairn setup "+c.Name
		if c.SetUp {
			state, command = el("span.badge.is-ok", "set up"), command+" --check"
		}
		var said node
		if v.param("changed") == c.Name {
			said = v.connected(c, v.param("project"), v.param("done"))
		}
		if checked == c.Name && c.SetUp {
			works, result := v.opts.Clients.Check(v.ctx, c.Name)
			if works {
				said = el("p.small", el("span.badge.is-ok", "works"), " "+result)
			} else {
				said = el("p.small", el("span.badge.is-error", "fails"), " "+result)
			}
		}
		return el("li.card", el("h3", c.Title, " ", state), said,
			el("pre", attr{"tabindex", "0"}, el("code", command)),
			opt(!v.opts.ReadOnly, el("div.buttons",
				opt(c.SetUp, v.form("/check", "Check it", "client", c.Name)),
				opt(!c.SetUp, el("a.button", href(v.base+"/connect?client="+url.QueryEscape(c.Name)), "Set it up")),
				opt(c.SetUp || c.Removable, el("a.button", href(v.base+"/connect?remove=1&client="+url.QueryEscape(c.Name)), "Take it out")))))
	})
	if len(rows) == 0 {
		return nodes{el("p", "No client that cairn knows was found on this machine."), el("pre", attr{"tabindex", "0"}, el("code", "cairn setup --help"))}
	}
	return nodes{el("p.quiet", "Each command writes the memory into the settings of one client, as the button does, which shows the changes first. A check starts the entry as the client would, and lists its tools."), el("ul.cards", rows)}
}

// What a form did to the settings of a client.
const (
	setUp    = "set-up"
	takenOut = "taken-out"
	nothing  = "nothing"
)

// connected shows the result of a form that changed the settings of a client, the remaining
// steps, and the notes on entries that were left alone. The address alone proves nothing of a
// project: anybody can make a link with it.
func (v *view) connected(c Client, project, done string) node {
	if done == nothing {
		return el("p.small", attr{"role", "status"}, "Nothing was changed.") // the preview says why
	}
	would, err := v.changeClient(c.Name, project, done == takenOut, true)
	if project != "" && (err != nil || would.Changes) {
		return nil
	}
	var says string
	switch {
	case project != "" && done == setUp:
		says = "It is set up for everyone who works in " + project + ". Restart " + c.Title + " there."
	case project != "" && done == takenOut:
		says = "It is taken out of the settings in " + project + ". Restart " + c.Title + "."
	case done == setUp && c.SetUp:
		says = "It is set up. Check it here, restart " + c.Title + ", and say: Remember that deploys go through staging first. In a new session ask: What do you know about deploys?"
	case done == setUp:
		says = "Its files are changed, but it does not have the tools."
	case done == takenOut && c.SetUp:
		says = "What cairn wrote for you is taken out. Restart " + c.Title + ". It still has the memory by another entry."
	case done == takenOut:
		says = "It is taken out. Restart " + c.Title + "."
	default:
		return nil
	}
	// The change went well: an error would be one of another.
	noted := slices.DeleteFunc(would.Files, func(f ClientFile) bool { return f.Note == "" })
	return nodes{el("p.small", attr{"role", "status"}, says), opt(len(noted) > 0, el("ul.small", each(noted, func(f ClientFile) node { return el("li", el("code", f.Path), ": "+f.Note) })))}
}

// connecting shows what setting up a client changes, or taking the memory out of it.
func connecting(v *view) (page, error) {
	client, project, remove := v.param("client"), v.param("project"), v.param("remove") != ""
	would, err := v.changeClient(client, project, remove, true)
	if err != nil {
		return page{}, err
	}
	choice, err := v.projects(client, project, remove)
	if err != nil {
		return page{}, err
	}
	title := client
	for _, c := range v.opts.Clients.List(v.ctx) {
		if c.Name == client {
			title = c.Title
		}
	}
	does, label, form := "Set up "+title, "Set it up", []string{"client", client, "project", project}
	if remove {
		does, label, form = "Take the memory out of "+title, "Take it out", append(form, "remove", "1")
	}
	return page{title: does, place: "/setup", body: nodes{
		el("h1", does),
		el("p.quiet", "Nothing has changed yet. Everything else in these files stays as it is, and before the first change a file is copied next to itself."),
		choice,
		opt(!would.Changes, el("p", "Nothing would change.")),
		each(would.Files, func(f ClientFile) node {
			// A file of settings may have credentials next to what changes.
			return el("details", flag(f.Action == "changed", "open", ""),
				el("summary", el("code", f.Path), " ", el("span.badge.is-"+plainWord(f.Action), f.Action)),
				opt(f.Note != "", el("p", f.Note)), opt(f.Diff != "", diffView(string(secrets.Hide([]byte(f.Diff))), f.Path)))
		}),
		opt(would.Changes, nodes{el("h2", "Then"), el("ul", each(would.Next, func(n string) node { return el("li", n) }))}),
		el("div.buttons.confirm", opt(would.Changes && !v.opts.ReadOnly, v.form("/connect", label, form...)), el("a.button", href(v.base+"/setup"), "Leave it")),
	}}, nil
}

// changeClient changes the settings of a client, for people only.
func (v *view) changeClient(client, project string, remove, dry bool) (ClientChange, error) {
	switch {
	case v.opts.Clients == nil:
		return ClientChange{}, kb.Errorf(kb.NotFound, "this server sets up no clients")
	case v.by.Kind != kb.Human:
		return ClientChange{}, kb.Errorf(kb.Refused, "only a person sets up clients here")
	}
	if project != "" {
		all, err := v.run(find("spaces"), nil)
		if err != nil {
			return ClientChange{}, err
		}
		if !slices.ContainsFunc(withRoot(all), func(s data) bool { return s.str("root") == project }) {
			return ClientChange{}, kb.Errorf(kb.Usage, "%s is not the directory of a space", project)
		}
	}
	return v.opts.Clients.Change(v.ctx, client, project, remove, dry)
}

// projects chooses whether the settings are those of the person, or of a project: the directory
// of a space. It is nil without such a space.
func (v *view) projects(client, project string, remove bool) (node, error) {
	all, err := v.run(find("spaces"), nil)
	if err != nil && !memspace.NothingYet(err) {
		return nil, err
	}
	roots := withRoot(all)
	if len(roots) == 0 {
		return nil, nil
	}
	option := func(dir, label string) node {
		return el("option", attr{"value", dir}, flag(dir == project, "selected", ""), label)
	}
	return el("form.filters", attr{"method", "get"}, attr{"action", v.base + "/connect"},
		el("input", attr{"type", "hidden"}, attr{"name", "client"}, attr{"value", client}),
		opt(remove, el("input", attr{"type", "hidden"}, attr{"name", "remove"}, attr{"value", "1"})),
		el("label", "For ", el("select", attr{"name", "project"},
			option("", "me, in all projects"),
			each(roots, func(s data) node { return option(s.str("root"), "everyone who works in "+s.str("root")) }))),
		el("button", attr{"type", "submit"}, "Show the changes")), nil
}

// connect does so.
func connect(v *view) (string, error) {
	client, project, remove := v.field("client"), v.field("project"), v.field("remove") != ""
	change, err := v.changeClient(client, project, remove, false)
	done := setUp
	switch {
	case !change.Changes:
		done = nothing
	case remove:
		done = takenOut
	}
	to := url.Values{"changed": {client}, "done": {done}}
	if project != "" {
		to.Set("project", project)
	}
	return "/setup?" + to.Encode() + "#agents", err
}

// checkClient shows the clients with the result of a check. It starts a program, and is a
// form for that.
func checkClient(v *view) (string, *page, error) {
	p, err := setup(v)
	return "", &p, err
}
