package day

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// dendronFile is the configuration of a workspace of Dendron.
const dendronFile = "dendron.yml"

var (
	dendronJournal = lazyregexp.New(`(?m)^[ \t]*journal:[ \t]*$`)
	dendronSetting = lazyregexp.New(`(?m)^[ \t]+(dailyDomain|name|dateFormat):[ \t]*['"]?([^'"\n#]*?)['"]?[ \t\r]*$`)
)

// dendron reads the journal settings of a workspace's configuration. In Dendron the
// notes of days are ordinary pages below a common name.
func dendron(text string) Pattern {
	set := map[string]string{"dailyDomain": "daily", "name": "journal", "dateFormat": "y.MM.dd"}
	if at := dendronJournal().FindStringIndex(text); at != nil {
		own := map[string]string{}
		for _, m := range dendronSetting().FindAllStringSubmatch(text[at[1]:], -1) {
			if _, twice := own[m[1]]; twice {
				break // of the notes after the journal
			}
			own[m[1]], set[m[1]] = m[2], m[2]
		}
	}
	names := strings.Trim(set["dailyDomain"]+"."+set["name"], ".")
	return Pattern{InFolder: true, Format: "[" + names + ".]" + doc.FromJava(set["dateFormat"]), Title: "YYYY-MM-DD"}
}
