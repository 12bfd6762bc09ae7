package api

import "time"

// ForgetResult describes a removal for good, done or planned.
type ForgetResult struct {
	DryRun     bool            `json:"dry_run,omitempty"`
	Resumed    bool            `json:"resumed,omitempty"` // an interrupted call was finished
	Pages      []ForgottenPage `json:"pages"`
	Versions   int             `json:"versions"`         // of them, and of other pages
	Texts      int             `json:"texts"`            // that were stored
	Gaps       int             `json:"gaps"`             // questions about them
	Items      int             `json:"items"`            // of imports and sources
	Messages   int             `json:"messages"`         // of other writes
	Dismissals int             `json:"dismissals"`       // notes on contradictions
	Shared     int             `json:"shared,omitempty"` // texts that another page has as well: they stay
	Left       []string        `json:"left,omitempty"`   // pages and records that stay, and why
	InLog      int64           `json:"in_log,omitempty"` // bytes of the log that readers still hold
	Receipt    string          `json:"receipt,omitempty"`
	Verified   bool            `json:"verified"` // nothing of it is left in the files of the memory, but for Left
	Beyond     []Beyond        `json:"beyond"`   // places that it does not reach
}

// ForgottenPage is a page that is removed, or of which old texts are.
type ForgottenPage struct {
	Ref      string `json:"ref"`
	Versions int    `json:"versions"`
	Whole    bool   `json:"whole"`             // the page itself, too
	Deleted  bool   `json:"deleted,omitempty"` // it was deleted before
}

// Beyond is a place that forgetting does not reach.
type Beyond struct {
	What     string     `json:"what"`
	At       *time.Time `json:"at,omitempty"`
	Commands []string   `json:"commands,omitempty"`
}

// ForgetReceipt lists removed texts by keyed hashes. It holds no text.
type ForgetReceipt struct {
	Format    int       `json:"format"`
	At        time.Time `json:"at"`
	Salt      string    `json:"salt"`           // key of the hashes
	Documents []string  `json:"documents"`      // ids of documents
	Texts     []string  `json:"texts"`          // SHA-256 of whole texts
	Marks     []string  `json:"marks"`          // pieces of texts, by which they are found in a file
	Left      []string  `json:"left,omitempty"` // records that stay and hold a part of a text; no mark is of it
}

// ForgetVerify reports whether the texts of a receipt are gone.
type ForgetVerify struct {
	At         time.Time `json:"at"`
	Checked    []string  `json:"checked"` // tables and files
	Marks      int       `json:"marks"`
	Found      []string  `json:"found"`                // where something is left
	Unreadable []string  `json:"unreadable,omitempty"` // files that are compressed or encrypted
}

// Clean reports whether everything was read and nothing was found.
func (v ForgetVerify) Clean() bool { return len(v.Found)+len(v.Unreadable) == 0 }
