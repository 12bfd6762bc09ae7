package webui

import "cmp"

// leaving shows where data is stored, and how to export it and remove the rest.
func leaving(v *view) (page, error) {
	all, err := v.ask("spaces", nil)
	if err != nil {
		return page{}, err
	}
	inMemory := 0
	rows := each(all.list("items"), func(s data) node {
		place := node(el("code", s.str("root")))
		stays := "stays as it is: your files are the knowledge"
		if s.str("root") == "" {
			place, stays = text("only in the memory"), "export it first"
			inMemory++
		}
		return el("tr", el("th", attr{"scope", "row"}, s.str("name")), el("td", cmp.Or(s.str("pages"), "not read yet")), el("td", place), el("td", stays))
	})
	command := func(c string) node { return el("pre", attr{"tabindex", "0"}, el("code", c)) }
	return page{title: "Leaving", place: "/setup", body: nodes{
		el("h1", "Leaving"),
		el("p.quiet", "This screen changes nothing: the commands are for a terminal."),
		el("h2", "Where your data is"),
		el("div.scroll", attr{"tabindex", "0"}, attr{"role", "region"}, attr{"aria-label", "Spaces"}, el("table.rows",
			el("thead", el("tr", each([]string{"Space", "Pages", "Documents", "When you leave"}, func(h string) node { return el("th", attr{"scope", "col"}, h) }))),
			el("tbody", rows))),
		el("p", "The memory itself is a database: the index, the history of versions, questions and decisions. This prints its file:"), command("cairn db path"),
		el("h2", "Take everything with you"),
		opt(inMemory > 0, el("p", count(inMemory, "space is", "spaces are")+" only in the memory. This writes their documents into a directory, each space into one of its name:")),
		opt(inMemory > 0, command("cairn uninstall --export ~/remembered --dry-run")),
		el("p", "With its history and all else, the memory is one file that another machine can restore:"), command(`cairn db copy "$(cairn db path)" ~/memory-copy.db`),
		el("h2", "Take cairn out of programs"),
		el("p", "This takes cairn out of every client and of the system's services, and lists the files that stay with the commands that delete them. Without --dry-run it does so."),
		command("cairn uninstall --dry-run"),
	}}, nil
}
