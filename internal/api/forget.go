package api

import "time"

// ForgetResult describes a permanent removal, done or planned.
type ForgetResult struct {
	DryRun     bool            `json:"dry_run,omitempty"`
	Resumed    bool            `json:"resumed,omitempty"` // an interrupted call was completed
	Pages      []ForgottenPage `json:"pages"`
	Versions   int             `json:"versions"`         // of them, and of other pages
	Texts      int             `json:"texts"`            // that were stored
	Gaps       int             `json:"gaps"`             // questions about them
	Items      int             `json:"items"`            // of imports and sources
	Messages   int             `json:"messages"`         // of other writes
	Dismissals int             `json:"dismissals"`       // notes on contradictions
	Shared     int             `json:"shared,omitempty"` // texts that another page has as well, which are kept
	Left       []string        `json:"left,omitempty"`   // pages and records that are kept, with the reason
	InLog      int64           `json:"in_log,omitempty"` // bytes of the log still held by readers
	Receipt    string          `json:"receipt,omitempty"`
	Verified   bool            `json:"verified"` // no traces are left in the files of the memory, except for Left
	Beyond     []Beyond        `json:"beyond"`   // places that forgetting does not reach
}

// ForgottenPage is a page that is removed, or that loses old texts.
type ForgottenPage struct {
	Ref      string `json:"ref"`
	Versions int    `json:"versions"`
	Whole    bool   `json:"whole"`             // including the page itself
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
	Marks     []string  `json:"marks"`          // pieces of texts, for finding them in a file
	Left      []string  `json:"left,omitempty"` // records that are kept and contain a part of a text, which has no mark
}

// ForgetVerify reports whether the texts of a receipt are completely removed.
type ForgetVerify struct {
	At         time.Time `json:"at"`
	Checked    []string  `json:"checked"` // tables and files
	Marks      int       `json:"marks"`
	Found      []string  `json:"found"`                // places with traces
	Unreadable []string  `json:"unreadable,omitempty"` // compressed or encrypted files
}

// Clean reports whether everything was read and nothing was found.
func (v ForgetVerify) Clean() bool { return len(v.Found)+len(v.Unreadable) == 0 }
