package importer_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/transfer/foreign/foreigntest"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
)

// noteExport is an export of a program, after the public description of its format.
type noteExport struct {
	program string
	file    func(t *testing.T) string
	counts  string            // of the receipt
	lost    []string          // parts of the losses
	pages   map[string]string // what the text of a page has, line by line
	kept    []string          // files that are kept with the import
}

// directory writes files, given by name and text.
func directory(t *testing.T, name string, files ...string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), name)
	for i := 0; i < len(files); i += 2 {
		at := filepath.Join(root, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// tarred packs files, given by name and text.
func tarred(t *testing.T, name string, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Typeflag: tar.TypeReg, Size: int64(len(files[i+1])), Mode: 0o600, Format: tar.FormatUSTAR}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return export(t, name, out.String())
}

const enexHead = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export export-date="20241124T091500Z" application="Evernote" version="10">`

var noteExports = []noteExport{
	{
		program: "evernote",
		file: func(t *testing.T) string {
			return export(t, "notes.enex", enexHead+`
<note><title>Kiln &amp; glaze</title><created>20240101T101112Z</created><updated>20240202T000000Z</updated><tag>pottery</tag><tag>two words</tag>
<note-attributes><author>Ada</author><source-url>https://e.org/x</source-url></note-attributes>
<content><![CDATA[<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note><h1>Firing</h1>
<div><en-todo checked="true"/>cone 6</div><div><en-todo/>cone 10</div><table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>
<div><a href="evernote:///view/1/s1/aa/aa/">Other note</a></div><en-media hash="5d41402abc4b2a76b9719d911017c592" type="text/plain"/><en-crypt>xx</en-crypt></en-note>]]></content>
<resource><data encoding="base64">aGVs
bG8=</data><mime>text/plain</mime><resource-attributes><file-name>hello.txt</file-name></resource-attributes></resource></note>
<note><title>Other note</title><created>20240101T101112Z</created><content><![CDATA[<en-note><div>Text</div></en-note>]]></content></note>
<note><title>Deep</title><content><![CDATA[`+strings.Repeat("<div>", 2000)+`]]></content><resource><data encoding="base64">eA==</data></resource></note></en-export>`)
		},
		counts: "notes 2+0+1; attachments 1+0+1", lost: []string{"Deep: the HTML cannot be read", "attachment: its note is left out", "Kiln & glaze: it has text that Evernote encrypted"},
		pages: map[string]string{
			"kiln-glaze": "created: \"2024-01-01T10:11:12Z\"\nupdated: \"2024-02-02T00:00:00Z\"\nauthor: Ada\nurl: https://e.org/x\n  - pottery\n  - two-words\n# Firing\n" +
				"- [x] cone 6\n- [ ] cone 10\n| 1 | 2 |\n[[other-note|Other note]]\nFile `hello.txt` (kept with the import) (encrypted text, not imported)",
			"other-note": "Text",
		},
		kept: []string{"kiln-glaze/hello.txt: hello"},
	},
	{
		program: "keep",
		file: func(t *testing.T) string {
			return archive(t,
				"Takeout/Keep/a.json", `{"title":"","textContent":"Buy clay\nsoon","isArchived":true,"createdTimestampUsec":1700000000000000,"userEditedTimestampUsec":1700000100000000,
					"labels":[{"name":"Shop"}],"annotations":[{"title":"Site","url":"https://clay.org"}],"attachments":[{"filePath":"x.jpeg"},{"filePath":"none.png"}],
					"sharees":[{"email":"ada@example.org","isOwner":true},{"email":"bo@example.org","isOwner":false}]}`,
				"Takeout/Keep/a.html", "<p>the same</p>",
				"Takeout/Keep/b.json", `{"title":"List","listContent":[{"text":"one","isChecked":true},{"text":"two","isChecked":false}],"createdTimestampUsec":1700000000000001}`,
				"Takeout/Keep/c.json", `{"title":"gone","isTrashed":true}`,
				"Takeout/Keep/d.json", `{"createdTimestampUsec":1700000000000002}`,
				"Takeout/Google Notizen/e.json", `{"title":"Formats","textContent":"Kiln\nhot clay","textContentHtml":"<h1>Kiln</h1><p><span style=\"font-weight:700\">hot</span> clay</p>","userEditedTimestampUsec":1700000100000000,"createdTimestampUsec":1700000000000003}`,
				"Takeout/Keep/x.jpg", "img")
		},
		counts: "notes 3+0+2; attachments 1+0+1", lost: []string{"c: it is in the trash", "d: it is empty", "none.png: it is not in the export"},
		pages: map[string]string{
			"buy-clay": "  - Shop\ncreated: \"2023-11-14T22:13:20Z\"\narchived: \"true\"\nauthor: ada@example.org\nshared_with:\n  - bo@example.org\nsoon\n[Site](https://clay.org)\nFile `x.jpg` (kept with the import)\nFile `none.png` (not in the export)",
			"list":     "- [x] one\n- [ ] two",
			"formats":  "# Kiln\n**hot** clay",
		},
		kept: []string{"buy-clay/x.jpg: img"},
	},
	{
		program: "simplenote",
		file: func(t *testing.T) string {
			return archive(t, "source/notes.json", `{"activeNotes":[
				{"id":"a1","content":"# Kiln\r\n\r\nFires hot, see [it](simplenote://note/b2).\n- [ ] light it","creationDate":"2024-01-01T00:00:00.000Z","lastModified":"2024-02-02T00:00:00.000Z","tags":["clay"],"pinned":true},
				{"id":"b2","content":"Clay","creationDate":"2024-01-03T00:00:00.000Z"},
				{"id":"c3","content":" "}],
				"trashedNotes":[{"id":"d4","content":"old"}]}`, "kiln.txt", "# Kiln")
		},
		counts: "notes 2+0+2; attachments 0+0+0", lost: []string{"old: it is in the trash", "c3: they hold no text"},
		pages: map[string]string{
			"kiln": "  - a1\n  - clay\npinned: \"true\"\nFires hot, see [[clay|it]].\n- [ ] light it",
			"clay": "created: \"2024-01-03T00:00:00Z\"",
		},
	},
	{
		program: "joplin",
		file: func(t *testing.T) string {
			item := func(id, kind, text, keys string) []string {
				return []string{id + ".md", text + "\n\nid: " + id + "\n" + keys + "type_: " + kind}
			}
			var files []string
			for _, x := range [][]string{
				item("00000000000000000000000000000001", "1", "Kiln\n\nSee [the clay](:/00000000000000000000000000000002) and ![](:/00000000000000000000000000000005) and ![](:/0000000000000000000000000000000b).\n\nkey: value, in the text\n\n```\n[no](:/00000000000000000000000000000002)\n```",
					"parent_id: 00000000000000000000000000000004\nuser_created_time: 2021-10-02T16:38:20.381Z\nuser_updated_time: 2021-10-03T16:38:20.381Z\nauthor: Ada\nsource_url: https://e.org\nis_todo: 0\nmarkup_language: 1\n"),
				item("00000000000000000000000000000002", "1", "Clay\n\n<p>Wet <b>clay</b></p>", "is_todo: 1\ntodo_completed: 1633192700381\nmarkup_language: 2\n"),
				item("00000000000000000000000000000003", "2", "Work", "parent_id: \n"),
				item("00000000000000000000000000000004", "2", "Fire & ice", "parent_id: 00000000000000000000000000000003\n"),
				item("00000000000000000000000000000005", "4", "kiln.png", "mime: image/png\n"),
				item("00000000000000000000000000000006", "5", "pottery", ""),
				item("00000000000000000000000000000007", "6", "", "note_id: 00000000000000000000000000000001\ntag_id: 00000000000000000000000000000006\n"),
				item("00000000000000000000000000000008", "1", "Secret", "encryption_applied: 1\n"),
				item("00000000000000000000000000000009", "13", "", "\n"),
				item("0000000000000000000000000000000c", "1", "Old", "deleted_time: 1700000000000\n"),
				item("0000000000000000000000000000000d", "1", "Glaze\n\nSee <img width=\"10\" alt=\"a &lt;hot&gt; kiln\" src=\":/00000000000000000000000000000005\"/> of [it](:/00000000000000000000000000000001#red-hot).", "is_todo: 1\ntodo_due: 1700000000000\ntodo_completed: 0\nis_conflict: 1\ndeleted_time: 0\n"),
				item("0000000000000000000000000000000b", "4", "gone.png", "mime: image/png\n"),
				{"resources/00000000000000000000000000000005.png", "img"},
				{"resources/0000000000000000000000000000000a.txt", "unused"},
			} {
				files = append(files, x...)
			}
			return tarred(t, "notes.jex", files...)
		},
		counts: "notes 3+0+2; attachments 1+0+2; other items 0+0+1",
		lost:   []string{"gone.png: it is not in the export", "it is encrypted", "Old: it is in the trash", "it is not a note: type 13", "0000000000000000000000000000000a.txt: no note names it"},
		pages: map[string]string{
			"work/fire-ice/kiln": "created: \"2021-10-02T16:38:20Z\"\nauthor: Ada\nurl: https://e.org\n  - pottery\nSee [[clay|the clay]] and File `kiln.png` (kept with the import) and File `gone.png` (not in the export).\nkey: value, in the text\n[no](:/00000000000000000000000000000002)",
			"clay":               "- [x] Clay ✅ 2021-10-02\nWet **clay**",
			"glaze":              "conflict: \"true\"\n- [ ] Glaze 📅 2023-11-14\nSee a <hot> kiln: File `kiln.png` (kept with the import) of [[work/fire-ice/kiln#red-hot|it]].",
		},
		kept: []string{"work/fire-ice/kiln/kiln.png: img"},
	},
	{
		program: "logseq",
		file: func(t *testing.T) string {
			return export(t, "graph.json", `{"version": 1, "blocks": [
				{"id":"p1","page-name":"Kiln","properties":{"owner":["Ada"],"tags":["fire","clay work"]},"children":[
					{"id":"b0","content":"owner:: Ada\ntags:: fire"},
					{"id":"block-1","content":"TODO light it\nid:: block-1","children":[{"id":"b2","content":"with [[wood/oak]] #dry"}]},
					{"id":"b3","content":"DONE clean it"}]},
				{"id":"p2","page-name":"wood/oak","children":[{"id":"b4","content":"see ((block-1))"}]},
				{"id":"p3","children":[]}]}`)
		},
		counts: "notes 2+0+1; attachments 0+0+0", lost: []string{"p3: it has no title"},
		pages: map[string]string{
			"kiln":     "owner: Ada\n  - fire\n  - clay-work\n- [ ] light it\n  - with [[wood/oak]] #dry\n- [x] clean it",
			"wood/oak": "- see [[kiln|TODO light it]]",
		},
	},
	{
		program: "roam",
		file: func(t *testing.T) string {
			return export(t, "graph.json", `[
				{"title":"Kiln","uid":"p1","create-time":1700000000000,"edit-time":1700000100000,"create-email":"ada@example.org","children":[
					{"string":"Owner:: [[Ada]]","uid":"b01234567"},
					{"string":"{{[[TODO]]}} light __it__ ^^now^^","uid":"b11234567","children":[{"string":"with [[Oak]]","uid":"b21234567","children":[{"string":"three\nlines"}]}]},
					{"string":"Parts","heading":2,"uid":"b31234567"}]},
				{"title":"Oak","children":[{"string":"see ((b21234567)) and ((gone12345))","uid":"b41234567"}]}]`)
		},
		counts: "notes 2+0+0; attachments 0+0+0",
		pages: map[string]string{
			"kiln": "created: \"2023-11-14T22:13:20Z\"\nupdated: \"2023-11-14T22:15:00Z\"\nauthor: ada@example.org\nOwner: \"[[Ada]]\"\n- [ ] light *it* ==now==\n  - with [[oak|Oak]]\n    - three\n      lines\n- ## Parts",
			"oak":  "- see [[kiln|with Oak]] and ((gone12345))",
		},
	},
	{
		program: "notion",
		file: func(t *testing.T) string {
			inner := archive(t,
				"Kiln 00000000000000000000000000000001.md", "# Kiln\n\nSee [Clay](Kiln%2000000000000000000000000000000001/Clay%2000000000000000000000000000000002.md), [all](Glazes%2000000000000000000000000000000003.csv).\n\n- [ ]  light it\n\n![k](Kiln%2000000000000000000000000000000001/k%20iln.png)\n",
				"Kiln 00000000000000000000000000000001/k iln.png", "img",
				"Kiln 00000000000000000000000000000001/other.pdf", "pdf",
				"Kiln 00000000000000000000000000000001/Clay 00000000000000000000000000000002.md", "# Clay: wet & red\n\nBack to [Kiln](../Kiln%2000000000000000000000000000000001.md) and [web](https://e.org).\n",
				"Glazes 00000000000000000000000000000003.csv", "\ufeffName,Cone,Tags\nCeladon,6,\"green, old\"\n",
				"Glazes 00000000000000000000000000000003_all.csv", "\ufeffName,Cone,Tags,Created,Fired on\nCeladon,6,\"green, old\",\"July 5, 2023 10:00 AM\",\"July 6, 2023\"\nShino,10,,,\n",
				"Glazes 00000000000000000000000000000003/Celadon 00000000000000000000000000000004.md", "# Celadon\n\nCone: 6\nTags: green, old\nCreated: July 5, 2023 10:00 AM\nFired on: July 6, 2023\n\nA glaze.\n")
			text, err := os.ReadFile(inner)
			if err != nil {
				t.Fatal(err)
			}
			return archive(t, "Export-1-Part-1.zip", string(text))
		},
		counts: "notes 5+0+0; attachments 1+0+1", lost: []string{"other.pdf: no page names it"},
		pages: map[string]string{
			"kiln":              "  - notion-00000000000000000000000000000001\nSee [[kiln/clay-wet-red|Clay]], [[glazes|all]].\n- [ ]  light it\nk: File `k iln.png` (kept with the import)",
			"kiln/clay-wet-red": "title: \"Clay: wet & red\"\nBack to [[kiln|Kiln]] and [web](https://e.org).",
			"glazes":            "type: database\n| Name | Cone | Tags | Created | Fired on |\n| [[glazes/celadon\\|Celadon]] | 6 | green, old | July 5, 2023 10:00 AM | July 6, 2023 |\n| [[glazes/shino\\|Shino]] | 10 |  |  |  |",
			"glazes/celadon":    "type: glazes\ncreated: \"2023-07-05T10:00:00Z\"\n  - green\n  - old\ncone: 6\nfired-on: 2023-07-06\nA glaze.",
			"glazes/shino":      "type: glazes\ncone: 10",
		},
		kept: []string{"kiln/k-iln.png: img"},
	},
	{
		program: "notion",
		file: func(t *testing.T) string {
			return archive(t,
				"index.html", "<a href=x>Kiln</a>",
				"Kiln 00000000000000000000000000000001.html", `<html><head><title>Kiln</title></head><body><article><h1 class="page-title">Kiln</h1>
					<p>See <a href="Kiln%2000000000000000000000000000000001/Clay%2000000000000000000000000000000002.html">Clay</a></p>
					<ul class="to-do-list"><li><div class="checkbox checkbox-on"></div> <span>done</span></li></ul><figure><img src="Kiln%2000000000000000000000000000000001/k.png"/></figure></article></body></html>`,
				"Kiln 00000000000000000000000000000001/k.png", "img",
				"Kiln 00000000000000000000000000000001/Clay 00000000000000000000000000000002.html", "<title>Clay</title><h1>Clay</h1><p>Red</p>",
				"Glazes 00000000000000000000000000000003.csv", "Name,Cone\nCeladon: old,6\n",
				"Glazes 00000000000000000000000000000003.html", "<title>Glazes</title><h1>Glazes</h1><p>All of them</p>",
				"Glazes/Celadon old 00000000000000000000000000000004.html", `<title>Celadon: old</title><h1>Celadon: old</h1><table class="properties"><tr><th>Cone</th><td>6</td></tr></table><p>A glaze.</p>`)
		},
		counts: "notes 4+0+0; attachments 1+0+0",
		pages: map[string]string{
			"kiln":      "See [[kiln/clay|Clay]]\n- [x] done\nFile `k.png` (kept with the import)",
			"kiln/clay": "Red",

			"glazes":             "All of them",
			"glazes/celadon-old": "type: glazes\ncone: 6\nA glaze.",
		},
		kept: []string{"kiln/k.png: img"},
	},
	{
		program: "bear",
		file: func(t *testing.T) string {
			return archive(t,
				"b/Kiln.textbundle/text.md", "# Kiln\n#work/fire #not a tag# of one\nSee [[Clay]], [[Clay/Red]]<!-- {\"width\":300} --> and [it](bear://x-callback-url/open-note?id=B-2) [no]()\n\n```\n#code\n```\n![](assets/k.png)\n",
				"b/Kiln.textbundle/info.json", `{"net.shinyfrog.bear":{"uniqueIdentifier":"B-1","creationDate":"2024-01-01T00:00:00Z","modificationDate":"2024-01-02T00:00:00Z","archived":1},"version":2}`,
				"b/Kiln.textbundle/assets/k.png", "img",
				"b/Clay.textbundle/text.markdown", "# Clay\nRed",
				"b/Clay.textbundle/info.json", `{"net.shinyfrog.bear":{"uniqueIdentifier":"B-2","pinned":1}}`,
				"b/Gone.textbundle/text.md", "# Gone",
				"b/Gone.textbundle/info.json", `{"net.shinyfrog.bear":{"uniqueIdentifier":"B-3","trashed":1}}`)
		},
		counts: "notes 2+0+1; attachments 1+0+0", lost: []string{"Gone: it is in the trash"},
		pages: map[string]string{
			"kiln": "created: \"2024-01-01T00:00:00Z\"\narchived: \"true\"\n  - work/fire\n  - not-a-tag\nSee [[clay|Clay]], [[clay#Red]] and [[clay|it]] [no]()\nFile `k.png` (kept with the import)",
			"clay": "pinned: \"true\"\nRed",
		},
		kept: []string{"kiln/k.png: img"},
	},
	{
		program: "apple-notes",
		file: func(t *testing.T) string {
			return archive(t,
				"iCloud Notes/Notes Details.csv", "Title,Created On,Modified On,Pinned,Deleted\nKiln,2024-01-01T10:00:00Z,2024-02-01T10:00:00Z,No,No\nGone,2024-01-01T10:00:00Z,,No,Yes\nTwice,2024-01-01T10:00:00Z,,No,Yes\nTwice,2024-03-01T10:00:00Z,,No,No\nOld,2024-01-01T10:00:00Z,,No,No\n",
				"iCloud Notes/Notes/Twice/Twice.txt", "Twice\nThe live one",
				"iCloud Notes/Recently Deleted/Old/Old.txt", "Old",
				"iCloud Notes/Notes/Kiln/Kiln.txt", "Kiln\nFires hot",
				"iCloud Notes/Notes/Kiln/k.png", "img",
				"iCloud Notes/Notes/Gone/Gone.txt", "Gone",
				"iCloud Notes/Notes/Work/Bad/Bad.txt", "\xff\xfe",
				"iCloud Notes/Notes/Work/Wide/Wide.txt", "\xff\xfeW\x00i\x00d\x00e\x00\n\x00\x60\x4f\x7d\x59")
		},
		counts: "notes 3+0+3; attachments 1+0+0", lost: []string{"Gone: it is deleted", "Old: it is deleted", "Bad.txt is not UTF-8"},
		pages: map[string]string{"work/wide": "type: note\n你好", "twice": "type: note\nThe live one", "kiln": "created: \"2024-01-01T10:00:00Z\"\nupdated: \"2024-02-01T10:00:00Z\"\nFires hot\nFile `k.png` (kept with the import)"},
		kept:  []string{"kiln/k.png: img"},
	},
	{
		program: "pocket",
		file: func(t *testing.T) string {
			return archive(t, "part_000000.csv", "title,url,time_added,tags,status\n\"Kiln, hot\",https://e.org/k,1700000000,fire|clay work,archive\n,https://e.org/x,,,unread\nNone,,,,\n,,,,\n")
		},
		counts: "notes 2+0+2; attachments 0+0+0", lost: []string{"None: it has no address", "one of the notes: it has no address"},
		pages: map[string]string{
			"kiln-hot":      "type: bookmark\ncreated: \"2023-11-14T22:13:20Z\"\n  - fire\n  - clay-work\nurl: https://e.org/k\nstate: archive\n<https://e.org/k>",
			"https-e-org-x": "url: https://e.org/x",
		},
	},
	{
		program: "readwise",
		file: func(t *testing.T) string {
			return export(t, "readwise.csv", "Highlight,Book Title,Book Author,Amazon Book ID,Note,Color,Tags,Location Type,Location,Highlighted at,Document tags\n"+
				"\"Fire\nslowly\",Kilns,Ada,,\"so, yes\",yellow,\"slow,hot fire\",page,12,2024-01-02 03:04:05+00:00,clay\nGlaze,Kilns,Ada,,,,,,0,,\n,Kilns,Ada,,,,,,,,\n")
		},
		counts: "notes 1+0+0; attachments 0+0+0; highlights 2+0+1", lost: []string{"Kilns: they hold no text"},
		pages: map[string]string{"kilns": "type: book\nauthor: Ada\n  - clay\n## Highlights\n- [highlight] Fire slowly #slow #hot-fire (page 12, 2024-01-02)\n  - so, yes\n- [highlight] Glaze"},
	},
	{
		program: "mem0",
		file: func(t *testing.T) string {
			return export(t, "mem0.json", `{"results":[{"id":"m1","memory":"Likes slow fires","user_id":"ada","categories":["preferences","food habits"],"metadata":{"source":"chat","row":9007199254740993,"share":0.00000012},"created_at":"2024-01-02T03:04:05.123456-08:00"},
				{"id":"m2","memory":"","user_id":"ada"},{"id":"m3","memory":"Answers briefly","agent_id":"bot","run_id":"r7","created_at":"2024-02-01T00:00:00Z","updated_at":"2024-03-01T00:00:00Z","expiration_date":"2025-01-01"}],"relations":[{"source":"ada","relationship":"is fond of","target":"fire"},{"source":"zoe","relationship":"likes","destination":"fire"}]}`)
		},
		counts: "notes 2+0+0; attachments 0+0+0; memories 2+0+1; relations 1+0+1", lost: []string{"m2: they hold no text", "it begins at a name that is not a page"},
		pages: map[string]string{
			"ada": "type: user\n## Observations\n- [preferences] Likes slow fires #food-habits (2024-01-02)\n  - row: 9007199254740993\n  - share: 0.00000012\n  - source: chat\n## Relations\n- is_fond_of [[fire]]",
			"bot": "type: agent\n- [note] Answers briefly (2024-02-01)\n  - run: r7\n  - updated: 2024-03-01\n  - expires: 2025-01-01",
		},
	},
	{
		program: "letta",
		file: func(t *testing.T) string {
			return export(t, "a.af", `{"agents":[{"id":"agent-0","name":"Kiln helper","system":"You are","block_ids":["block-0"],"tags":["clay"],
				"messages":[{"id":"message-0","role":"system","content":[{"type":"text","text":"You are"}]},{"id":"message-1","role":"user","content":[{"type":"text","text":"Fire it"}],"created_at":"2024-01-02T03:04:05.123456+00:00"},
				{"id":"message-2","role":"assistant","content":[{"type":"text","text":"A thought"}],"tool_calls":[{"id":"c","type":"function","function":{"name":"send_message","arguments":"{\"message\":\"It is lit\"}"}}],"created_at":"2024-01-02T03:04:06+00:00"}]}],
				"files":[{"id":"file-0","file_name":"glazes.txt","content":"Celadon is green."},{"id":"file-1","file_name":"none.pdf","content":null}],
				"blocks":[{"id":"block-0","label":"human","value":"Ada fires slowly.","description":"About the person"},{"id":"block-1","label":"other","value":"x"}]}`)
		},
		counts: "notes 2+0+1; attachments 0+0+0; instructions 0+0+1; messages 2+0+1; blocks 1+0+1", lost: []string{"none.pdf: they hold no text", "other: no agent has it", "the system prompt", "message 1: it is of the program: system"},
		pages: map[string]string{"kiln-helper": "type: agent\n  - clay\n## human\n> About the person\nAda fires slowly.\n## Messages\n### User, 2024-01-02 03:04:05\nFire it\n### Assistant, 2024-01-02 03:04:06\nA thought\nIt is lit", "glazes-txt": "type: document\nCeladon is green."},
	},
	{
		program: "mempalace",
		file: func(t *testing.T) string {
			dir := t.TempDir()
			foreigntest.MemPalace(t, dir)
			return dir
		},
		counts: "notes 4+0+0; attachments 0+0+0; drawers 0+0+1; relations 2+0+0", lost: []string{"_reg_1: it marks a file as read"},
		pages: map[string]string{
			"pottery/kiln/firing":                     "created: \"2026-04-01T10:00:00Z\"\nupdated: \"2026-04-02T10:00:00Z\"\nauthor: ada\nhall: hall_facts\nfile: \"/home/ada/firing.md\"\nThe kiln fires slowly and it is never opened hot. See [[clay.md]].",
			"pottery/clay/clay-from-the-river-is-red": "author: mcp\nClay from the river is red.",
			"entities/max":                            "type: person\n## Relations\n- child_of [[entities/ada-l]] @2015-04-01..\n- works_with [[entities/ada-l]] @2025-01-01..2026-02-15",
			"entities/ada-l":                          "type: entity",
		},
	},
	{
		program: "mempalace",
		file: func(t *testing.T) string {
			drawer := func(id, text, source string) string {
				return "## " + id + "\n\n> " + strings.ReplaceAll(text, "\n", "\n> ") + "\n\n| Field | Value |\n|-------|-------|\n| Source | " + source +
					" |\n| Filed | 2026-04-01T10:00:00.123456 |\n| Added by | ada |\n\n---\n\n"
			}
			return directory(t, "palace", "index.md", "# Palace Export — 2026-11-29\n", "pottery/kiln.md", "# pottery / kiln\n\n"+
				drawer("drawer_0", "# Firing\n\nThe kiln fires slowly.\n\n## Not a drawer", "/home/ada/firing.md")+
				drawer("drawer_2", "Cone 6 is hot enough.", "unknown")+
				drawer("drawer_1", "| a | b |", "/home/ada/firing.md")+"## drawer_3\n\ncut\n", "pottery/other.md", "# Other\n",
				"pottery/latin.md", "# pottery / latin\n\n## caf\xe9\n", "photo.png", "img", "extra.md", "# Extra\n")
		},
		counts: "notes 2+0+0; attachments 0+0+0; files 0+0+5; drawers 0+0+1",
		lost: []string{
			"pottery/kiln.md: a drawer is not in the form", "pottery/other.md: it is not a room", "extra.md: it is not a room", "index.md: it lists the wings",
			"photo.png: it is not Markdown", "pottery/latin.md: pottery/latin.md is not UTF-8 text",
		},
		pages: map[string]string{
			"pottery/kiln/firing":               "author: ada\nfile: \"/home/ada/firing.md\"\nThe kiln fires slowly.\n## Not a drawer\n| a | b |",
			"pottery/kiln/cone-6-is-hot-enough": "author: ada\nCone 6 is hot enough.",
		},
	},
	{
		program: "mempalace",
		file: func(t *testing.T) string {
			file := filepath.Join(t.TempDir(), "sqlite_exact.sqlite3")
			foreigntest.MemPalaceExact(t, file)
			return file
		},
		counts: "notes 1+0+0; attachments 0+0+0",
		pages:  map[string]string{"work/notes/first": "created: \"2026-04-01T10:00:00Z\"\nFirst.\nSecond."},
	},
	{
		program: "agentmemory",
		file: func(t *testing.T) string {
			return export(t, "export.json", `{"version":"0.9.29","exportedAt":"2026-05-01T00:00:00.000Z",
				"sessions":[{"id":"ses_1","project":"/home/ada/kiln","cwd":"/home/ada/kiln","startedAt":"2026-04-01T10:00:00.000Z","endedAt":"2026-04-01T11:00:00.000Z","status":"completed","firstPrompt":"Light it","tags":["fire"],"agentId":"claude","commitShas":["abc"]}],
				"observations":{"ses_1":[{"id":"obs_1","sessionId":"ses_1","timestamp":"2026-04-01T10:05:00.000Z","type":"decision","title":"Cone 6","facts":["slow fire"],"narrative":"The kiln fires to cone 6.","concepts":["two words"],"files":["src/kiln.go"]},{"id":"obs_2","type":"other"}]},
				"memories":[{"id":"mem_1","createdAt":"2026-04-02T00:00:00.000Z","updatedAt":"2026-04-03T00:00:00.000Z","type":"preference","title":"Slow fires","content":"Ada likes slow fires.","concepts":["kiln"],"files":["README.md"],"sessionIds":["ses_1"],"supersedes":["mem_0"],"isLatest":true,"project":"kiln","imageData":"x"},
					{"id":"mem_0","type":"fact","title":"Fast fires","content":"Ada likes fast fires.","isLatest":false},{"id":"mem_2"}],
				"summaries":[{"sessionId":"ses_1","project":"kiln","createdAt":"2026-04-01T11:00:00.000Z","title":"First firing","narrative":"It was lit.","keyDecisions":["cone 6"],"filesModified":["src/kiln.go"],"concepts":["glaze"]}],
				"proceduralMemories":[{"id":"proc_1","name":"Light the kiln","steps":["open it","light it"],"triggerCondition":"a firing","expectedOutcome":"fire","tags":["how"]}],
				"lessons":[{"id":"les_1","content":"Wait.","context":"After a firing","deleted":true}],
				"graphNodes":[{"id":"gn_1","type":"concept"}]}`)
		},
		counts: "notes 4+0+2; attachments 0+0+0; observations 1+0+1; other items 0+0+1",
		lost:   []string{"mem_2: ", "Wait.: it is deleted", "obs_2: ", "graph node gn_1: it is derived", "Slow fires: 1 image left out"},
		pages: map[string]string{
			"kiln/slow-fires":            "type: preference\ncreated: \"2026-04-02T00:00:00Z\"\nupdated: \"2026-04-03T00:00:00Z\"\n  - kiln\nproject: kiln\nAda likes slow fires.\n- [file] `README.md`\n- supersedes [[fast-fires]]\n- learned_in [[kiln/sessions/first-firing]]",
			"fast-fires":                 "type: fact\nsuperseded: \"true\"\nAda likes fast fires.",
			"light-the-kiln":             "type: procedure\n  - how\nWhen: a firing\n1. open it\n2. light it\nOutcome: fire",
			"kiln/sessions/first-firing": "type: session\n  - fire\n  - glaze\nauthor: claude\ncommits: abc\n> Light it\nIt was lit.\n- [decision] cone 6\n## Observations\n- [decision] Cone 6: The kiln fires to cone 6. #two-words (2026-04-01 10:05)\n  - slow fire\n  - `src/kiln.go`",
		},
	},
	{
		program: "agentmemory",
		file: func(t *testing.T) string {
			return export(t, "standalone.json", `{"mem:memories":{"mem_1":{"id":"mem_1","type":"fact","title":"Cone","content":"It fires to cone 6.","createdAt":"2026-04-02T00:00:00.000Z"}}}`)
		},
		counts: "notes 1+0+0; attachments 0+0+0", pages: map[string]string{"cone": "type: fact\nIt fires to cone 6."},
	},
	{
		program: "gbrain",
		file: func(t *testing.T) string {
			return directory(t, "brain",
				"RESOLVER.md", "# Where pages go\n",
				"people/alice.md", "---\ntitle: Alice Example\ntype: person\ntags: [customer, founder]\naliases: [\"Alice E.\"]\ncreated: 2026-05-01\nemployer: Acme\n---\n\n# Alice Example\n\nRuns [Acme](../companies/acme.md), see [[companies/acme]].\n\n---\n\nMore.\n\n<!-- timeline -->\n\n## Timeline\n\n- **2026-06-01** | call — Met about [[companies/acme]]\n",
				"companies/acme.md", "---\ntype: company\n---\n\nMakes kilns.\n\n---\n\n## Timeline\n\n- 2026-01-02: Founded by [[Alice E.]]\n",
				"photo.png", "img", ".DS_Store", "x", ".obsidian/a.json", "{}", ".obsidian/b.md", "# B", "people/.old.md", "# Old")
		},
		counts: "notes 2+0+0; attachments 0+0+0; files 0+0+4",
		lost:   []string{"RESOLVER.md: it describes", "photo.png: it is not Markdown", ".obsidian: its name begins", "people/.old.md: its name begins"},
		pages: map[string]string{
			"people/alice-example": "type: person\n  - customer\n  - founder\n  - Alice E.\ncreated: \"2026-05-01T00:00:00Z\"\nemployer: Acme\nRuns [[companies/acme|Acme]], see [[companies/acme]].\n ---\nMore.\n---\n## Timeline\n- **2026-06-01** | call — Met about [[companies/acme]]",
			"companies/acme":       "type: company\nMakes kilns.\n---\n## Timeline\n- 2026-01-02: Founded by [[people/alice-example|Alice E.]]",
		},
	},
	{
		program: "gbrain",
		file: func(t *testing.T) string {
			return archive(t, "brain/RESOLVER.md", "", "brain/kilns/north.md", "The north kiln. ![](../assets/k.png) [plan](../assets/k.png)\n\n---\n\n- **2026-01-02** | built\n", "brain/assets/k.png", "img", "brain/.obsidian/templates/day.md", "# Day\n", "brain/.obsidian/app.json", "{}",
				"brain/season.md", "Truth.\n\n---\n\n- 2024-25 season plan\n- apples\n\n## More truth\n", "brain/days.md", "Truth.\n\n---\n\n- 2024-05-06: plan\n\n## More truth\n\n---\n\n- 2024-05-07 – done\n\n### History\n",
				"brain/io.md", "# Input / Output\n\n## Ports\n\nTwo.\n") // as a room of MemPalace begins
		},
		counts: "notes 4+0+0; attachments 1+0+0; files 0+0+2", lost: []string{"brain/.obsidian: its name begins", "brain/RESOLVER.md: it describes"},
		pages: map[string]string{"brain/kilns/north": "The north kiln. File `k.png` (kept with the import) plan: File `k.png` (kept with the import)\n---\n- **2026-01-02** | built", "brain/io": "## Ports\nTwo.",
			"brain/season": " ---\n- 2024-25 season plan\n- apples\n## More truth", "brain/days": " ---\n- 2024-05-06: plan\n## More truth\n---\n- 2024-05-07 – done\n### History"},
		kept: []string{"brain/kilns/north/k.png: img"},
	},
	{
		program: "documents",
		file: func(t *testing.T) string {
			return directory(t, "papers", "a/kiln.html", "<title>Kiln book</title><meta name=author content=Ada><h1>Fire</h1><p>slowly <img src=x>, see <a href='../clay.html#wet'>clay</a></p>", "clay.html", "<p>Red, of <a href='a/kiln.html'>fire</a> and <a href='gone.html'>more</a> <a href='a/empty.html'>none</a></p>", "a/empty.html", "<p></p>", "stray.html", "<meta charset=utf-8><p>日本語 \xe9</p>", "latin.html", "<p>Gr\xf6\xdfe</p>", "chinese.html", "<p>\xc4\xe3\xba\xc3</p>", "bad.pdf", "%PDF-1.4 cut", "notes.txt", "x")
		},
		counts: "notes 4+0+3; attachments 0+0+0; files 0+0+1", lost: []string{"latin.html: its encoding is not known", "notes.txt: it is not a PDF", "stray.html: 1 damaged byte left out", "chinese.html: it is not UTF-8", "kiln.html: 1 image left out", "empty.html: it has no text", "bad.pdf: bad.pdf cannot be read"},
		pages: map[string]string{"a/kiln": "type: document\nfile: a/kiln.html\nauthor: Ada\n# Fire\nslowly , see [[clay|clay]]", "clay": "Red, of [[a/kiln|fire]] and [more](gone.html) [none](a/empty.html)", "stray": "日本語 \ufffd", "latin": "Größe"},
	},
}

// kept lists the files of the newest import.
func kept(t *testing.T, a *memory.Session, id string) (out []string) {
	t.Helper()
	if id == "" {
		return nil
	}
	err := a.DB.View(t.Context(), func(tx store.Tx) error {
		b, err := tx.Batches().ByID(t.Context(), id)
		if err != nil {
			return err
		}
		return tx.Batches().Items(t.Context(), b.Row, func(it store.BatchItem) error {
			text, err := tx.History().Bytes(t.Context(), it.Hash)
			out = append(out, it.Path+": "+string(text))
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestNotes(t *testing.T) {
	t.Parallel()
	for _, c := range noteExports {
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			a := apptest.New(t).Open()
			req := importer.ExportRequest{Program: importer.Program(c.program), Into: "in"}
			req.File = c.file(t)
			if found := apptest.OK(importer.Detect(ctx, req.File))(t); string(found.Program) != c.program || found.Notes == 0 {
				t.Errorf("detected: %+v", found)
			}
			dry := req
			dry.DryRun = true
			planned := apptest.OK(importer.ImportExport(ctx, a, dry))(t)
			r := apptest.OK(importer.ImportExport(ctx, a, req))(t)
			if got := counts(t, r); got != c.counts || counts(t, planned) != got || r.Total != len(c.pages) {
				t.Errorf("counts %s, want %s; planned %s; %d pages", got, c.counts, counts(t, planned), r.Total)
			}
			var lost []string
			for _, l := range r.Lost {
				lost = append(lost, l.What+": "+l.Reason)
			}
			for _, want := range c.lost {
				if !strings.Contains(strings.Join(lost, "\n"), want) {
					t.Errorf("lost %q lacks %q", lost, want)
				}
			}
			if len(lost) != len(c.lost) {
				t.Errorf("lost %q, want %q", lost, c.lost)
			}
			for slug, lines := range c.pages {
				p, err := read.Get(ctx, a, read.GetRequest{Ref: "in:" + slug})
				if err != nil {
					t.Errorf("%v; there are %v", err, r.Pages)
					continue
				}
				for _, line := range strings.Split(lines, "\n") {
					if !strings.Contains("\n"+p.Text, "\n"+line+"\n") && !strings.HasSuffix(p.Text, "\n"+line) {
						t.Errorf("%s lacks %q:\n%s", slug, line, p.Text)
					}
				}
			}
			if got := kept(t, a, r.Batch); strings.Join(got, "\n") != strings.Join(c.kept, "\n") {
				t.Errorf("kept %q, want %q", got, c.kept)
			}
			again := apptest.OK(importer.ImportExport(ctx, a, req))(t)
			counts(t, again)
			if again.Write != 0 || again.Total != 0 || again.Batch != "" {
				t.Errorf("imported again: %+v", again)
			}
			for i, x := range again.Counts {
				if x.Brought != 0 || x.Total != r.Counts[i].Total || x.LeftOut != r.Counts[i].LeftOut {
					t.Errorf("imported again: %+v", x)
				}
			}
			apptest.OK(change.Undo(ctx, a.In("in"), history.UndoRequest{}))(t)
			for slug := range c.pages {
				if _, err := read.Get(ctx, a, read.GetRequest{Ref: "in:" + slug}); kb.CodeOf(err) != kb.NotFound {
					t.Errorf("after undo %s: %v", slug, err)
				}
			}
		})
	}
}

// A memory with new days or metadata, and an answer that an earlier version left out, are no other
// memory and no other message.
func TestLaterExportsDoubleNothing(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := apptest.New(t).Open()
	memory := func(more string) string {
		return `{"id":"m1","memory":"Likes slow fires","user_id":"ada","created_at":"2024-01-02T03:04:05Z"` + more + `}`
	}
	agent := func(calls, more string) string {
		return `{"agents":[{"id":"agent-0","name":"Helper","messages":[{"role":"assistant","content":"A thought","created_at":"2024-01-02T03:04:06Z"` + calls + `}` + more + `]}],"files":[{"id":"file-` + fmt.Sprint(len(more)) + `","file_name":"a.txt","content":"Text"}],"block_ids":[]}`
	}
	key := "ghp_x7Rk2LwQ9vTz4NbHs8YdPf1McJg6UaEo3XiK"
	for _, c := range []struct{ program, name, text, counts string }{
		{"mem0", "m.json", `[` + memory("") + `,{"id":"m3","memory":"The key is ` + key + `","user_id":"ada"}]`, "notes 1+0+0; attachments 0+0+0; memories 2+0+0"},
		{"mem0", "m.json", `[` + memory(`,"run_id":"r7","updated_at":"2024-03-01T00:00:00Z","metadata":{"row":1}`) + `,{"id":"m3","memory":"The key is ` + key + `","user_id":"ada","run_id":"r"}]`, "notes 0+1+0; attachments 0+0+0; memories 0+2+0"},
		{"mem0", "m.json", `[` + memory(`,"run_id":"r7","updated_at":"2024-04-01T00:00:00Z","expiration_date":"2025-01-01","metadata":{"row":2}`) + `,{"id":"m2","memory":"Likes slow fires a lot","user_id":"ada"}]`, "notes 0+1+0; attachments 0+0+0; memories 1+1+0"},
		{"letta", "a.af", agent("", ""), "notes 2+0+0; attachments 0+0+0; messages 1+0+0"},
		{"letta", "a.af", agent(`,"tool_calls":[{"function":{"name":"send_message","arguments":"{\"message\":\"It is lit\"}"}}]`, ""), "notes 0+2+0; attachments 0+0+0; messages 0+1+0"},
		{"letta", "a.af", agent("", `,{"role":"assistant","content":"A thought that is new","created_at":"2024-01-02T03:04:06Z"}`), "notes 0+2+0; attachments 0+0+0; messages 1+1+0"},
	} {
		req := importer.ExportRequest{Program: importer.Program(c.program), Into: "in"}
		req.File = export(t, c.name, c.text)
		if got := counts(t, apptest.OK(importer.ImportExport(ctx, a, req))(t)); got != c.counts {
			t.Errorf("%s: %s, want %s", c.text, got, c.counts)
		}
	}
}

// A note or a tag of a highlight that is added later comes to the highlight, which is not doubled.
func TestLaterNotesOfHighlights(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := apptest.New(t).Open()
	const head = "Highlight,Book Title,Book Author,Note,Tags,Location Type,Location,Highlighted at\n"
	for _, c := range []struct{ rows, counts, page string }{
		{"Fire slowly,Kilns,Ada,,,page,12,2024-01-02 03:04:05+00:00\nGlaze,Kilns,Ada,,,,0,\n", "notes 1+0+0; attachments 0+0+0; highlights 2+0+0", "- [highlight] Fire slowly (page 12, 2024-01-02)\n- [highlight] Glaze\n"},
		{"Fire slowly,Kilns,Ada,so it is,hot,page,12,2024-01-02 03:04:05+00:00\nGlaze,Kilns,Ada,thin,,,0,\n", "notes 0+1+0; attachments 0+0+0; highlights 0+2+0", "- [highlight] Fire slowly (page 12, 2024-01-02)\n  - so it is\n- [highlight] Glaze\n  - thin\n"},
		{"Fire slowly,Kilns,Ada,or not,,page,12,2024-01-02 03:04:05+00:00\nGlaze twice,Kilns,Ada,,,,0,\n", "notes 0+1+0; attachments 0+0+0; highlights 1+1+0", "- [highlight] Fire slowly (page 12, 2024-01-02)\n  - so it is\n  - or not\n- [highlight] Glaze\n  - thin\n- [highlight] Glaze twice\n"},
		{"Fire slowly,Kilns,Ada,or not,,page,12,2024-01-02 03:04:05+00:00\n", "notes 0+1+0; attachments 0+0+0; highlights 0+1+0", "  - or not\n- [highlight] Glaze\n"},
		{"Fire slowly,Kilns,Ada,or,,page,12,2024-01-02 03:04:05+00:00\n", "notes 0+1+0; attachments 0+0+0; highlights 0+1+0", "  - or not\n  - or\n- [highlight] Glaze\n"},
	} {
		req := importer.ExportRequest{Program: "readwise", Into: "in"}
		req.File = export(t, "readwise.csv", head+c.rows)
		if got := counts(t, apptest.OK(importer.ImportExport(ctx, a, req))(t)); got != c.counts {
			t.Errorf("%s: %s, want %s", c.rows, got, c.counts)
		}
		if page := apptest.OK(read.Get(ctx, a.In("in"), read.GetRequest{Ref: "kilns"}))(t); !strings.Contains(page.Text+"\n", c.page) {
			t.Errorf("%s:\n%s", c.rows, page.Text)
		}
	}
}

// An attachment of a page that an earlier import made without it is kept, once.
func TestLaterAttachments(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := apptest.New(t).Open()
	before := []string{"RESOLVER.md", "", "north.md", "The north kiln. ![](assets/k.png)\n"}
	after := append(before, "assets/k.png", "img")
	for _, c := range []struct {
		files  []string
		counts string
	}{
		{before, "notes 1+0+0; attachments 0+0+0; files 0+0+1"},
		{after, "notes 0+1+0; attachments 1+0+0; files 0+0+1"},
		{after, "notes 0+1+0; attachments 0+1+0; files 0+0+1"},
	} {
		req := importer.ExportRequest{Program: "gbrain", Into: "in"}
		req.File = directory(t, "brain", c.files...)
		r := apptest.OK(importer.ImportExport(ctx, a, req))(t)
		if got := counts(t, r); got != c.counts || r.Total > 1 {
			t.Errorf("%v: %s, want %s", c.files, got, c.counts)
		}
	}
	l := apptest.OK(importer.Imports(ctx, a, 10, 0))(t)
	if l.Total != 1 {
		t.Errorf("%+v", l)
	}
}

// An attachment that came later is kept for its page, also where that of another page is equal.
func TestLaterEqualAttachments(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := apptest.New(t).Open()
	before := []string{"RESOLVER.md", "", "north.md", "The north kiln. ![](assets/n.png)\n", "south.md", "The south kiln. ![](assets/s.png)\n", "assets/n.png", "img"}
	for _, c := range []struct {
		files  []string
		counts string
	}{
		{before, "notes 2+0+0; attachments 1+0+0; files 0+0+1"},
		{append(before, "assets/s.png", "img"), "notes 0+2+0; attachments 1+1+0; files 0+0+1"},
		{append(before, "assets/s.png", "img"), "notes 0+2+0; attachments 0+2+0; files 0+0+1"},
	} {
		req := importer.ExportRequest{Program: "gbrain", Into: "in"}
		req.File = directory(t, "brain", c.files...)
		if got := counts(t, apptest.OK(importer.ImportExport(ctx, a, req))(t)); got != c.counts {
			t.Errorf("%v: %s, want %s", c.files, got, c.counts)
		}
	}
}

// Exports with more rows than are in memory at a time have all of their pages and rows, each once.
func TestManyRows(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	const pages, each = 2100, 10
	var readwise, mem0 strings.Builder
	readwise.WriteString("Highlight,Book Title,Book Author,Note,Tags,Location,Highlighted at\n,Empty,,,,,\n")
	mem0.WriteString(`{"results":[{"id":"e","memory":" ","user_id":"u0"}`)
	for i := range pages * each { // the rows of a page are far from each other
		fmt.Fprintf(&readwise, "Said %d,Book %d,Ann,,,%d,2024-01-02 10:00:00+00:00\n", i, i%pages, i)
		fmt.Fprintf(&mem0, `,{"id":"m%d","memory":"Knows %d","user_id":"u%d"}`, i, i, i%pages)
	}
	fmt.Fprintf(&mem0, `],"relations":[{"source":"u%d","relationship":"knows","target":"Bob"},{"source":"nobody","relationship":"knows","target":"Bob"}]}`, pages-1)
	for _, c := range []struct {
		program importer.Program
		file    string
		counts  string
	}{
		{"readwise", export(t, "r.csv", readwise.String()), "notes 2100+0+0; attachments 0+0+0; highlights 21000+0+1"},
		{"mem0", export(t, "m.json", mem0.String()), "notes 2100+0+0; attachments 0+0+0; memories 21000+0+1; relations 1+0+1"},
	} {
		req := importer.ExportRequest{Program: c.program, Into: "in", Request: importer.Request{File: c.file, WriteOptions: api.WriteOptions{DryRun: true}}}
		if got := counts(t, apptest.OK(importer.ImportExport(t.Context(), apptest.New(t).Open(), req))(t)); got != c.counts {
			t.Errorf("%s: %s, want %s", c.program, got, c.counts)
		}
	}
}

// A file of an archive that cannot be unpacked matters only where a page names it.
func TestUnreadableFilesOfArchives(t *testing.T) {
	t.Parallel()
	a := apptest.New(t).Open()
	zipped := func(text string) string {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		w, err := z.Create("Kiln 0123456789abcdef0123456789abcdef.md")
		if err == nil {
			_, err = w.Write([]byte("# Kiln\n\n" + text))
		}
		if err == nil {
			_, err = z.CreateRaw(&zip.FileHeader{Name: "kiln.mov", Method: 14, CompressedSize64: 0, UncompressedSize64: 9})
		}
		if err = errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		return export(t, "export.zip", out.String())
	}
	req := importer.ExportRequest{Program: "notion", Into: "in"}
	req.File = zipped("![](kiln.mov)\n")
	if _, err := importer.ImportExport(t.Context(), a, req); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("a page with it: %v", err)
	}
	req.File = zipped("Fire slowly.\n")
	r := apptest.OK(importer.ImportExport(t.Context(), a, req))(t)
	if got := counts(t, r); got != "notes 1+0+0; attachments 0+0+1" || len(r.Lost) != 1 {
		t.Errorf("%s, %+v", got, r.Lost)
	}
}

// Damaged and hostile exports are refused, and nothing is written.
func TestNotesRefuse(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, with large files")
	ctx := t.Context()
	a := apptest.New(t).Open()
	zipped := func(change func(*zip.FileHeader), text string) func(t *testing.T) string {
		return func(t *testing.T) string {
			var out bytes.Buffer
			z := zip.NewWriter(&out)
			h := &zip.FileHeader{Name: "Takeout/Keep/a.json", Method: zip.Deflate}
			change(h)
			w, err := z.CreateHeader(h)
			if err == nil {
				_, err = w.Write([]byte(text))
			}
			if err == nil {
				err = z.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			return export(t, "export.zip", out.String())
		}
	}
	note := `{"title":"a","createdTimestampUsec":1}`
	for name, c := range map[string]struct {
		program string
		file    func(t *testing.T) string
		want    string
	}{
		"a path outside":  {"keep", zipped(func(h *zip.FileHeader) { h.Name = "../a.json" }, note), "a path outside it"},
		"a path of Unix":  {"keep", zipped(func(h *zip.FileHeader) { h.Name = "/etc/a.json" }, note), "a path outside it"},
		"a path with \\":  {"keep", zipped(func(h *zip.FileHeader) { h.Name = `Keep\..\..\a.json` }, note), "a path outside it"},
		"a symbolic link": {"keep", zipped(func(h *zip.FileHeader) { h.SetMode(os.ModeSymlink | 0o777) }, "/etc/passwd"), "a link or a device"},
		"a password":      {"keep", zipped(func(h *zip.FileHeader) { h.Flags |= 1 }, note), "encrypted"},
		"a bomb":          {"keep", zipped(func(*zip.FileHeader) {}, `{"title":"`+strings.Repeat("a", 66<<20)+`"}`), "unpacks to far more"},
		"inner bombs": {"notion", func(t *testing.T) string {
			text, err := os.ReadFile(archive(t, "a.md", "x"))
			if err != nil {
				t.Fatal(err)
			}
			var files []string
			for i := range 6 {
				files = append(files, string(rune('a'+i))+".zip", strings.Repeat("\x00", 60<<20)+string(text))
			}
			return archive(t, files...)
		}, "have more than 256 MiB"},
		"half a note":     {"keep", zipped(func(*zip.FileHeader) {}, note[:10]), "line 1"},
		"a link in a tar": {"joplin", func(t *testing.T) string { return linked(t) }, "a link or a device"},
		"half an archive": {"evernote", func(t *testing.T) string { return export(t, "a.enex", enexHead+"<note><title>a") }, "a.enex, line 3"},
		"entities": {"evernote", func(t *testing.T) string {
			return export(t, "a.enex", strings.Replace(enexHead, `dtd">`, `dtd" [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>`, 1)+"<note><title>&b;</title></note></en-export>")
		}, "entity"},
		"another program": {"simplenote", zipped(func(*zip.FileHeader) {}, note), "is not what simplenote exports"},
		"a bad attachment": {"evernote", func(t *testing.T) string {
			return export(t, "a.enex", enexHead+"<note><title>a</title><resource><data>!!</data></resource></note></en-export>")
		}, "cannot be decoded"},
	} {
		req := importer.ExportRequest{Program: importer.Program(c.program), Into: "bad"}
		req.File = c.file(t)
		r, err := importer.ImportExport(ctx, a, req)
		if kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v %v", name, r, err)
		}
	}
	if spaces := apptest.OK(a.Spaces.All(ctx))(t); len(spaces) != 0 {
		t.Errorf("left are %v", spaces)
	}
}

// linked is a TAR archive with a symbolic link.
func linked(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	if err := w.WriteHeader(&tar.Header{Name: "a.md", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return export(t, "notes.jex", out.String())
}

// Notes with documents next to them are no documents, unless somebody says so. A file that is too
// large for the memory is left out.
func TestDocumentsBesideNotes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := apptest.New(t).Open()
	dir := directory(t, "papers", "a.md", "# A", "b.html", "<p>Text</p>", "c.html", "<p>More</p>", "large.pdf", "")
	if err := os.Truncate(filepath.Join(dir, "large.pdf"), 257<<20); err != nil {
		t.Fatal(err)
	}
	if found := apptest.OK(importer.Detect(ctx, dir))(t); found.Program != "" || found.Notes != 1 {
		t.Errorf("detected: %+v", found)
	}
	r := apptest.OK(importer.ImportExport(ctx, a, importer.ExportRequest{Request: importer.Request{File: dir}, Program: "documents", Into: "in"}))(t)
	if got := counts(t, r); got != "notes 2+0+1; attachments 0+0+0; files 0+0+1" {
		t.Errorf("%s: %+v", got, r.Lost)
	}
	for _, l := range r.Lost {
		if l.What == "large.pdf" && !strings.Contains(l.Reason, "larger than 256 MiB") || l.What != "large.pdf" && l.What != "a.md" {
			t.Errorf("lost: %+v", l)
		}
	}
}

// A credential in the name of a note, a folder or a file is in no path, no text and no receipt.
func TestNotesHideCredentialsInNames(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := apptest.New(t).Open()
	const secret = "ghp_x7Rk2LwQ9vTz4NbHs8YdPf1McJg6UaEo3XiK"
	req := importer.ExportRequest{Program: "apple-notes", Into: "in"}
	req.File = archive(t,
		"iCloud Notes/Notes/"+secret+"/Key "+secret+"/Key "+secret+".txt", "Text",
		"iCloud Notes/Notes/"+secret+"/Key "+secret+"/"+secret+".png", "img",
		"iCloud Notes/Recently Deleted/"+secret+"/"+secret+".txt", "Text")
	r := apptest.OK(importer.ImportExport(ctx, a, req))(t)
	if got := counts(t, r); got != "notes 1+0+1; attachments 1+0+0" {
		t.Errorf("%s: %+v", got, r.Lost)
	}
	p := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: r.Pages[0].Ref}))(t)
	hides(t, secret, strings.ReplaceAll(fmt.Sprintf("%+v\n%+v\n%s\n%q", r, p, p.Text, kept(t, a, r.Batch)), req.File, ""))
	if again := apptest.OK(importer.ImportExport(ctx, a, req))(t); counts(t, again) != "notes 0+1+1; attachments 0+1+0" {
		t.Errorf("imported again: %s", counts(t, again))
	}
}

// hides fails where an answer has a part of a credential.
func hides(t *testing.T, secret string, answers ...any) {
	t.Helper()
	all := strings.ToLower(fmt.Sprintf("%+v", answers))
	for _, part := range []string{strings.ToLower(secret[4:20]), strings.ToLower(secret[20:])} {
		if at := strings.Index(all, part); at >= 0 {
			t.Errorf("the credential is there: %s", all[max(0, at-100):min(len(all), at+100)])
		}
	}
}

// A credential in a title of kt, a slug of quaid, or the name of a database of Notion or of its
// column is in no path, type, key or text.
func TestNamesHideCredentials(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := apptest.New(t).Open()
	const secret = "ghp_x7Rk2LwQ9vTz4NbHs8YdPf1McJg6UaEo3XiK"
	check := func(r importer.Receipt) {
		t.Helper()
		answers := []any{r.Pages, r.Lost}
		for _, p := range r.Pages {
			answers = append(answers, apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: p.Ref}))(t).Text)
		}
		if len(r.Pages) < 2 {
			t.Errorf("imported: %+v", r)
		}
		hides(t, secret, answers...)
	}

	old := quaidFile(t, foreigntest.Plain)
	if err := foreigntest.Add(ctx, old, "keys/"+secret); err != nil {
		t.Fatal(err)
	}
	check(importQuaid(t, a, old, "old", false))
	if again := importQuaid(t, a, old, "old", false); again.Total != 0 {
		t.Errorf("imported again: %+v", again.Pages)
	}

	kt := sample(t)
	foreigntest.Titled(t, kt, "kt-a1b2", "Key "+secret)
	check(apptest.OK(importer.ImportKT(ctx, a, importer.Request{File: kt}))(t))

	req := importer.ExportRequest{Program: "notion", Into: "in"}
	req.File = archive(t,
		"Keys "+secret+" 00000000000000000000000000000003.csv", "Name,Key "+secret+"\nOne,6\nTwo,7\n",
		"Keys "+secret+" 00000000000000000000000000000003/One 00000000000000000000000000000004.md", "# One\n\nKey "+secret+": 6\n\nText.\n")
	check(apptest.OK(importer.ImportExport(ctx, a, req))(t))
}

// Documents are read before the space is locked: what happens to them then does not matter.
func TestDocumentsAreReadBeforeTheLock(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := apptest.New(t).Open()
	req := importer.ExportRequest{Program: "documents", Into: "in"}
	req.File = directory(t, "papers", "a.html", "<p>Fire slowly</p>", "b.html", "<p>Wait</p>", "empty.html", "<p></p>")
	lock, locked := a.Writer.Lock, false
	a.Writer.Lock = func(ctx context.Context, s kb.Space) (func() error, error) {
		locked = true
		if err := os.RemoveAll(req.File); err != nil {
			t.Error(err)
		}
		return lock(ctx, s)
	}
	r := apptest.OK(importer.ImportExport(ctx, a, req))(t)
	if got := counts(t, r); !locked || got != "notes 2+0+1; attachments 0+0+0" {
		t.Errorf("locked %v: %s", locked, got)
	}
	if p := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "in:a"}))(t); !strings.Contains(p.Text, "Fire slowly") {
		t.Errorf("a: %s", p.Text)
	}
}

// Names of files in archives that Windows made have its separators, or are in code page 437.
func TestNamesInArchives(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	const base, old = "Takeout/Keep/\u00dcber.json", "Takeout/Keep/\x9aber.json"
	unicode := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, 0x7075), uint16(5+len(base)))
	unicode = append(binary.LittleEndian.AppendUint32(append(unicode, 1), crc32.ChecksumIEEE([]byte(old))), base...)
	for _, header := range []zip.FileHeader{{Name: `Takeout\Keep\Über.json`}, {Name: old, NonUTF8: true}, {Name: old, NonUTF8: true, Extra: unicode}} {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		w := apptest.OK(z.CreateHeader(&header))(t)
		_, err := io.WriteString(w, `{"textContent":"","listContent":[{"text":"one"}],"isTrashed":false}`)
		if err := errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		a := apptest.New(t).Open()
		req := importer.ExportRequest{Program: "keep", Into: "in"}
		req.File = export(t, "export.zip", out.String())
		if got := counts(t, apptest.OK(importer.ImportExport(ctx, a, req))(t)); got != "notes 1+0+0; attachments 0+0+0" {
			t.Errorf("%q: %s", header.Name, got)
		}
		id := "keep-" + hex.EncodeToString(sum("Über"))
		if page := apptest.OK(read.Get(ctx, a.In("in"), read.GetRequest{Ref: id}))(t); !strings.Contains(page.Text, "- [ ] one") {
			t.Errorf("%q:\n%s", header.Name, page.Text)
		}
	}
}

func sum(text string) []byte {
	h := sha256.Sum256([]byte(text))
	return h[:6]
}

// A text with NUL, which no page can have, is imported without it. The receipt says so once.
func TestNUL(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := apptest.New(t).Open()
	req := importer.ExportRequest{Program: "keep", Into: "in"}
	req.File = directory(t, "Keep", "Keep/a.json", `{"title":"Kiln \u0000","textContent":"a \u0000 b","createdTimestampUsec":5,"userEditedTimestampUsec":5}`)
	for _, want := range []int{1, 0} {
		r := apptest.OK(importer.ImportExport(ctx, a, req))(t)
		if r.Counts[0].Brought != want || len(r.Lost) != want {
			t.Errorf("%+v", r)
		}
	}
	if page := apptest.OK(read.Get(ctx, a.In("in"), read.GetRequest{Ref: "kiln"}))(t); !strings.Contains(page.Text, "a \ufffd b") {
		t.Error(page.Text)
	}
}

// A value that is left out may not be nested without end: each level takes memory.
func TestDeepMembers(t *testing.T) {
	t.Parallel()
	a := apptest.New(t).Open()
	req := importer.ExportRequest{Program: "letta", Into: "in"}
	req.File = export(t, "p.af", `{"name":"Potter","other":`+strings.Repeat("[", 20000)+strings.Repeat("]", 20000)+"}")
	if _, err := importer.ImportExport(t.Context(), a, req); kb.CodeOf(err) != kb.Invalid || !strings.Contains(kb.AsError(err).Message, "nested too deeply") {
		t.Error(err)
	}
}

// The members of an export of agentmemory, or of agents of Letta, are read in any order.
func TestMembersInAnyOrder(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	observations := `"observations":{"s1":[{"id":"o1","type":"note","title":"Lit"}],"s2":[{"id":"o2","type":"note","title":"Out"}],"s3":[]}`
	sessions := `"sessions":[{"id":"s1","firstPrompt":"Light it","startedAt":"2026-04-02T00:00:00Z"}]`
	summaries := `"summaries":[{"sessionId":"s1","title":"Lighting"},{"sessionId":"s2","title":"Ending"}]`
	agents := `"agents":[{"id":"a1","messages":[{"role":"user","content":"Light it"}],"block_ids":["b2","b1","none"],"name":"Potter"}]`
	blocks := `"blocks":[{"id":"b1","label":"human","value":"Ada"},{"id":"b3","label":"spare","value":"x"},{"id":"b2","label":"persona","value":"Potter"}]`
	for _, c := range []struct{ program, name, text, counts, ref, page string }{
		{"agentmemory", "m.json", `{"exportedAt":"x",` + sessions + "," + summaries + "," + observations + `,"other":{"a":[[1e999]]}}`, "notes 3+0+0; attachments 0+0+0; observations 2+0+0", "lighting", "> Light it\n\n## Observations\n\n- [note] Lit"},
		{"agentmemory", "m.json", `{"exportedAt":"x",` + observations + "," + summaries + "," + sessions + `}`, "notes 3+0+0; attachments 0+0+0; observations 2+0+0", "ending", "## Observations\n\n- [note] Out"},
		{"letta", "p.af", "{" + agents + "," + blocks + `,"files":null}`, "notes 1+0+0; attachments 0+0+0; blocks 2+0+1; messages 1+0+0", "potter", "## human\n\nAda\n\n\n## persona\n\nPotter\n\n\n## Messages\n\n### User\n\nLight it"},
		{"letta", "p.af", "[{" + blocks + "," + agents + "}]", "notes 1+0+0; attachments 0+0+0; blocks 2+0+1; messages 1+0+0", "potter", "## human\n\nAda\n\n\n## persona\n\nPotter"},
		{"letta", "p.af", `{"messages":[{"role":"user","content":"Light it"}],"name":"Potter","core_memory":[{"label":"human","value":"Ada"}]}`, "notes 1+0+0; attachments 0+0+0; blocks 1+0+0; messages 1+0+0", "potter", "## human\n\nAda\n\n\n## Messages\n\n### User\n\nLight it"},
		{"letta", "p.af", `{"agents": null,"name":"Potter"}`, "notes 1+0+0; attachments 0+0+0", "potter", "title: Potter"},
		{"letta", "p.af", `{"name":"Potter","core_memory":[{"label":"human","value":"Ada"}],"block_ids":["b1"],"blocks":[{"id":"b1","label":"persona","value":"Potter"}]}`, "notes 1+0+0; attachments 0+0+0; blocks 2+0+0", "potter", "## human\n\nAda\n\n\n## persona\n\nPotter"},
	} {
		a := apptest.New(t).Open()
		req := importer.ExportRequest{Program: importer.Program(c.program), Into: "in"}
		req.File = export(t, c.name, c.text)
		if got := counts(t, apptest.OK(importer.ImportExport(ctx, a, req))(t)); got != c.counts {
			t.Errorf("%s: %s, want %s", c.text, got, c.counts)
		}
		if page := apptest.OK(read.Get(ctx, a.In("in"), read.GetRequest{Ref: c.ref}))(t); !strings.Contains(page.Text, c.page) {
			t.Errorf("%s:\n%s", c.text, page.Text)
		}
		found := apptest.OK(importer.Detect(ctx, req.File))(t)
		if notes := int(c.counts[6] - '0'); found.Notes != notes {
			t.Errorf("%s: %d notes, want %d", c.text, found.Notes, notes)
		}
	}
}
