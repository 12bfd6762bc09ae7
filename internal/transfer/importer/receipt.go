package importer

import (
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// Receipt lists the results of an import, or the plan of a dry run.
type Receipt struct {
	api.Written
	Total  int     `json:"total"`               // number of written pages; Pages has the first of them
	From   string  `json:"from"`                // the file that was read
	Batch  string  `json:"import_id,omitempty"` // id of the batch with the bytes that were read
	Counts []Tally `json:"counts"`              // by kind
	Lost   []Loss  `json:"lost"`                // data without an equivalent here
}

// Tally counts the pieces of a kind: each was imported, existed already, or was left out.
type Tally struct {
	Kind    string `json:"kind"`
	Total   int    `json:"total"`
	Brought int    `json:"brought"`
	There   int    `json:"there"`
	LeftOut int    `json:"left_out"`
}

// Adds reports whether each piece of the kind was counted once.
func (t Tally) Adds() bool { return t.Total == t.Brought+t.There+t.LeftOut }

// Loss is something that was left out or changed, with the reason.
type Loss struct {
	What   string `json:"what"`
	Reason string `json:"reason"`
}

// listed is the maximum number of pages in a receipt, which is in memory and printed as a
// whole.
const listed = 1000

// wrote adds pages that were written.
func (r *Receipt) wrote(pages []api.WrittenPage) {
	r.Total += len(pages)
	r.Pages = append(r.Pages, pages[:min(len(pages), listed-len(r.Pages))]...)
}

// wroteAtOnce records the result of the single write of an import.
func (r *Receipt) wroteAtOnce(w api.Written) {
	pages := w.Pages
	w.Pages = []api.WrittenPage{}
	r.Written = w
	r.wrote(pages)
}

// tally adds a tally of a kind to the receipt.
func (r *Receipt) tally(kind string, total int) *Tally {
	r.Counts = append(r.Counts, Tally{Kind: kind, Total: total})
	return &r.Counts[len(r.Counts)-1]
}

// became is the outcome of a piece.
type became int

const (
	brought became = iota
	already
	leftOut
)

// note counts a piece of a kind with a total; why is the reason if it is left out.
func (r *Receipt) note(t *Tally, b became, what, why string) {
	switch b {
	case brought:
		t.Brought++
	case already:
		t.There++
	default:
		t.LeftOut++
		r.lose(what, why)
	}
}

// lose lists a loss. Credentials in names of pages and files are masked.
func (r *Receipt) lose(what, reason string) {
	r.Lost = append(r.Lost, Loss{string(secrets.Hide([]byte(what))), string(secrets.Hide([]byte(reason)))})
}

// String returns text such as "nodes 4+0+1": imported, existing, left out.
func (t Tally) String() string {
	return fmt.Sprintf("%s %d+%d+%d", t.Kind, t.Brought, t.There, t.LeftOut)
}
