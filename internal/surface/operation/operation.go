package operation

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cairn-kb/cairn/internal/memory"
)

// Route is where HTTP has an operation. Path is relative to the API's root and
// may end in {name...} for an argument that comes from it; if that argument is
// optional, the path without it exists, too. The rest of the input is in the
// query with GET and DELETE, and a JSON object in the body otherwise.
type Route struct {
	Method string `json:"method"`
	Path   string `json:"path"`
}

// Operation is a function with typed input and answer, properties common to all
// callers, and its HTTP route.
type Operation struct {
	Name        string // lower case with underscores
	Title       string // for people
	Description string // of what it does
	Group       string // under which documents list it
	Route       Route

	ReadOnly    bool // changes nothing
	Destructive bool // removes existing content
	Idempotent  bool // doing it twice is doing it once

	// Reads are the arguments that HTTP takes under GET, too, of an operation whose route is a
	// POST: with these alone it changes nothing. Dry is the argument that makes sure of that.
	Reads []string
	Dry   string

	nothing any  // the answer while nothing was ever stored; nil for the error
	first   bool // can be the first to store something, and makes the memory then

	do func(ctx context.Context, a *memory.Session, in any) (any, error) // run, for callers that know its types by the schemas only

	signature
}

// The groups. The tools that are unchanged operations come in sets of the same
// names, except those of the group notes, which all have another shape.
const (
	core       = string(Core)
	more       = string(More)
	capturings = string(Capture)
	vaults     = string(Context)
	reviewing  = string(Review)
	notebook   = string(Notes) // has tools of its own for each
)

// Read reads the input strictly by its schema, for a program that has the
// schema and benefits from precise errors. The error is as that of Tool.Run.
func (op *Operation) Read(given json.RawMessage) (Call, error) {
	return op.read(Reader{Name: op.Name, Strict: true}, given)
}

// self lets operations of all types be in one list.
func (op *Operation) self() *Operation { return op }

// signature is what goes into something that can be called, and what comes
// out.
type signature struct {
	*schemas
	// prepare makes a call of input that fits the schema, under the name that was called.
	prepare func(name string, in any) (Call, error)
}

// schemas are made when they are needed, since most commands do not need them.
type schemas struct {
	takes, answers reflect.Type
	shape          []Shaping // of the input

	input, output struct {
		once sync.Once
		made *jsonschema.Schema
	}
}

// signatureOf is that of what takes values of one type and answers those of another.
func signatureOf(in, out reflect.Type, prepare func(name string, in any) (Call, error), shape []Shaping) signature {
	return signature{&schemas{takes: in, answers: out, shape: shape}, prepare}
}

// Input is the schema of the input, an object.
func (s *schemas) Input() *jsonschema.Schema {
	s.input.once.Do(func() {
		s.input.made = SchemaOf(s.takes, true)
		for _, change := range s.shape {
			change(s.input.made)
		}
	})
	return s.input.made
}

// Output is the schema of the answer, an object.
func (s *schemas) Output() *jsonschema.Schema {
	s.output.once.Do(func() { s.output.made = SchemaOf(s.answers, false) })
	return s.output.made
}

// read makes a call of input as JSON.
func (s signature) read(f Reader, raw json.RawMessage) (Call, error) {
	given := reflect.New(s.takes)
	if err := f.Read(s.Input(), raw, given.Interface()); err != nil {
		return Call{}, err
	}
	call, err := s.prepare(f.Name, given.Elem().Interface())
	call.name = f.Name
	return call, named(f.Name, err)
}

// typed is an operation with the types of its function.
type typed[In, Out any] struct {
	Operation
	run func(context.Context, *memory.Session, In) (Out, error)
}

// define makes an operation of a function with typed input and answer.
func define[In, Out any](op Operation, run func(context.Context, *memory.Session, In) (Out, error), shape ...Shaping) *typed[In, Out] {
	if op.nothing != nil {
		_ = op.nothing.(Out) // the table is wrong else, and any test sees it
	}
	op.do = func(ctx context.Context, a *memory.Session, in any) (any, error) { return run(ctx, a, in.(In)) }
	t := &typed[In, Out]{op, run}
	t.signature = signatureOf(reflect.TypeFor[In](), reflect.TypeFor[Out](), t.call, shape)
	return t
}

// call prepares a call of the operation. Code here is in the binary once, not per operation.
func (o *Operation) call(_ string, in any) (Call, error) { return prepare(o, in, unchanged), nil }

func unchanged(out any) (any, error) { return out, nil }

// All returns the operations, those of the group core first.
var All = sync.OnceValue(func() []*Operation {
	return slices.Concat(
		list(recall, readPage, writePage, editPage, remember, undo, browse, status),
		list(historyOperation, diffVersions, restore, redo, linkPages,
			movePage, deletePage, tagPage, timeline, timelineAdd, linkClose, listLinks, listUnlinked, listMentions, graphAround, drawMap, projectSlug,
			find, findByFields, countFacets, pageRows, listTasks, rawData, rawStore,
			assert, assertClose, assertions, checkPages, resolve, dismiss, contest,
			schemaValidate, schemaInfer, schemaDiff, lintPages, commitFiles, makeIndex, pullCommits, pushCommits, addSource, curateOperation, curateDecide,
			makeBriefing,
			ingestSource,
			listGaps, gapLog, gapNote, gapApprove, gapResolve, gapRemove,
			dailyNote, todayPage, injectPages, inboxPages, routines, tableOperation, newPage, spaces, syncFiles, doctorOperation, listSessions, distilSessions),
		list(captureText, stalePages, staleApply, compactPlan, compactPages, contextBrief, showPage),
		list(listUnreviewed, showChange, reviewChanges, reviewed, takeBack, blamePage, countActivity),
		list(readNote, writeNote, writeCanvas, editNote, recentPages, buildContext, projects, spaceCreate, spaceRemove, readFile),
	)
})

func list(ops ...interface{ self() *Operation }) []*Operation {
	out := make([]*Operation, len(ops))
	for i, op := range ops {
		out[i] = op.self()
	}
	return out
}
