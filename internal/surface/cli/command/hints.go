package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// HintOf is what to do about an error at a command line.
func HintOf(e *kb.Error) string {
	if e.Reason == "" {
		return e.Hint
	}
	if w, ok := hints[e.Reason]; ok {
		return w.Hint(e)
	}
	return operation.ForUser(e)
}

// hints name commands and flags, where programs that call tools get other
// texts. Texts common to both are in operation/hint, which has to list each
// reason, too.
var hints = map[kb.Reason]kb.Wording{
	kb.PageNotFound:     kb.Words("Search for it: cairn search WORDS"),
	kb.PageDeleted:      kb.Words("{actor} deleted it at {when}; cairn restore brings it back, and --version {version} shows it."),
	kb.PageExists:       kb.Words("Read it and put with --expected-version, or edit it (cairn edit), or replace it (cairn put --overwrite)."),
	kb.NameTaken:        kb.Words("Edit {ref}, or read it and put with that version expected. For another page of this name pass --new, or a path with its extension."),
	kb.NoteExists:       kb.Words("Edit {ref}, or put it with its version expected."),
	kb.NoSuchSchema:     kb.Words("Make one of what they hold: cairn schema infer {word:type}"),
	kb.SchemaExists:     kb.Words("Nothing was changed. cairn schema diff {word:type} shows what to change in it; or move it away, and infer again."),
	kb.NoSuchLine:       kb.Words("Any other text: cairn daily TEXT"),
	kb.NoSuchType:       kb.Words("Types in use are counted by cairn stats."),
	kb.TitleTaken:       kb.Words("Edit {ref}, or give another title."),
	kb.NameShared:       kb.Words("For another page of this name pass --new, or a path with its extension."),
	kb.SimilarFound:     kb.Words("Nothing was stored. Add the text with --extend {word:ref}, replace that page's text with --update {word:ref}, or pass --keep for a page of its own."),
	kb.BrokenPlan:       kb.Words("Start from what cairn compact --plan prints, and give each cluster a title and a summary."),
	kb.NoSummary:        kb.Words("Nothing was changed, and it can be tried again. Settings: cairn config. Without summary_command and summary_model, summaries have sentences of the pages."),
	kb.PageWithoutName:  kb.Words("For example: cairn put ideas/cairn --title Cairn"),
	kb.SummaryMissing:   kb.Words("Nothing was written. Give it with --summary: one line about the page, written to be found."),
	kb.NothingToEdit:    kb.Words("Give a change; see cairn edit --help."),
	kb.LinkWithoutType:  kb.Words("For example: cairn link people/ada works_at companies/brex"),
	kb.NoRelation:       kb.Words("List its links: cairn links {word:slug}"),
	kb.TagInText:        kb.Words("Change the text: cairn edit REF --find '#{tag}' --replace-with ''"),
	kb.MetadataReplaced: kb.Words("Nothing was changed. Set a property with --set KEY=VALUE, and replace in a part of the text with --section."),
	kb.LinksProtected:   kb.Words("Keep the links as they are (--keep-links), or let its owner do it."),
	kb.SourceStored:     kb.Words("Nothing was written. Replace it with --overwrite."),
	kb.AssertedNowhere:  kb.Words("Name the page with --on."),
	kb.NoSuchSource:     kb.Words("List what there is: cairn raw {word:ref}"),
	kb.NoSuchLink:       kb.Words("List the links of a page with their ids: cairn links REF --json"),
	kb.EvidenceKept:     kb.Words("Add a new entry (cairn timeline-add {word:ref}). A human may alter entries on purpose: --rewrite-timeline."),
	kb.EvidenceDeleted:  kb.Words("Bring the page back (cairn restore {word:ref}) and edit it. A human may drop entries on purpose: --rewrite-timeline."),
	kb.WrittenUnread:    kb.Words("See the latest writes: cairn recent"),
	kb.NotPermitted:     kb.Words("nothing was changed; the space's policy says who may do this (cairn space show)"),
	kb.SecretFound:      takeOut,
	kb.SecretsTooMany:   kb.Words("split the text and take the credentials out; keep a reference to where they are stored instead"),
	kb.NoSuchDirectory:  kb.Words("List the top: cairn ls"),

	kb.NoSuchVersion: kb.Words("List them with cairn history."),
	kb.VersionPruned: kb.Words("It was pruned by the space's retention; cairn history shows which versions have their text."),
	kb.PathTaken:     kb.Words("Move that one away with cairn mv and restore again, or see the old text: cairn get REF --version N"),
	kb.NoSuchWrite:   kb.Words("See the latest writes: cairn recent"),
	kb.NothingToUndo: kb.Words("See the latest writes: cairn recent --all. To undo a particular write, give its number."),
	kb.NothingToRedo: kb.Words("What undo took back can be redone until something else is written. After that name the undo by its number: cairn undo N (see cairn recent)."),
	kb.UndoUnbounded: kb.Words("For example: cairn undo --actor agent:claude-code --since today"),

	kb.BadSimilarity: kb.Words("It is from 0 to 1; --explain shows those of hits."),
	kb.ModelSlow:     kb.Words("it may be loading the model: ask again, or wait longer: cairn config set question_wait 10s"),
	kb.NoSuchGap:     kb.Words("List them with cairn gaps --all --resolved."),

	kb.NoDatabase:      orHere("Any command that writes makes one, such as cairn remember TEXT; for a directory of notes: cairn space add DIR"),
	kb.NoMemory:        orHere("The first page makes it: cairn remember TEXT. Notes in a directory: cairn space add DIR"),
	kb.NoSpace:         orHere("Add a directory of notes (cairn space add DIR) or search one (cairn search --in DIR WORDS)."),
	kb.NoSpaceYet:      orHere("There are no spaces yet: cairn space add DIR"),
	kb.NoDefaultSpace:  kb.Words("Set one: cairn space default NAME"),
	kb.SpaceUndecided:  kb.Words("Name one with --space, or set a default: cairn space default NAME. There are {spaces}."),
	kb.MappedTooWide:   kb.Words("Map directories below them, or set a default space: cairn space default NAME"),
	kb.SpaceElsewhere:  kb.Words("Run the command on {host}. If the directory was moved to this machine: cairn space move-host {space} DIR"),
	kb.SpaceCopied:     kb.Words("Search it with --space {space}. To write it on this machine instead of {host}: cairn space move-host {space} DIR. To make it a space of its own, remove its id from .cairn/space.toml."),
	kb.DirectoryEmpty:  kb.Words("Mount its disk or put the files back. If you deleted them on purpose, sync with --yes."),
	kb.MayContest:      kb.Words("Nothing was changed. Append to it, or write what contradicts it as a page of its own, and mark both: cairn contest {word:path} OTHER --reason WHY"),
	kb.SourceTooLarge:  kb.Words("--full keeps all of it."),
	kb.NoRepository:    kb.Words("git init in the directory makes one, and so does cairn space add --init."),
	kb.OtherRepository: kb.Words("Write to that repository in a space of its own."),
	kb.UnsavedEdits:    kb.Words("Save the file in Emacs, or give its edits up, and try again."),
	kb.GitUnderway:     kb.Words("Finish or abort it with git, and try again."),
	kb.GitDetached:     kb.Words("Check a branch out with git switch, and try again."),
	kb.GitNoUpstream:   kb.Words("git push -u REMOTE BRANCH in the directory makes it follow one."),
	kb.GitDiverged:     kb.Words("cairn pull brings the two together."),
	kb.GitBehind:       kb.Words("cairn pull brings them in."),
	kb.GitInTheWay:     kb.Words("Commit them (cairn commit --all), then cairn pull. A file that git does not know has to be moved."),
	kb.GitRewritten:    kb.Words("If that was on purpose, git rebase --onto puts the local commits on top of the remote ones."),
	kb.GitUnreachable:  kb.Words("Try again when the remote can be reached. Local commits are safe; run cairn push then."),
	kb.GitStaged:       kb.Words("Commit it, or take it back with git restore --staged, and try again."),
	kb.GitIgnored:      kb.Words("Take it out of .gitignore, or write to another path."),
	kb.GitSparse:       kb.Words("Add its directory with git sparse-checkout add, and try again."),
	kb.GitPrograms:     kb.Words("Look at what the repository names. To accept it: cairn space add {word:root} --accept"),
	kb.PolicyWaits:     kb.Words("Look at what it would do. To accept it: cairn space add {word:root} --accept"),
	kb.HookRefused:     kb.Words("Change what it is about and try again."),
	kb.GitLocked:       kb.Words("If no git program runs there, that file is left of one that died: see what it was before removing it."),
	kb.MassDeletion:    kb.Words("Is the directory mounted, and is it the right one? If you deleted them on purpose, sync again with --yes."),
}

// orHere is what to do without a memory or a space: where the working directory
// holds notes, start with those.
func orHere(elsewhere string) kb.Wording {
	return func(f kb.Facts) string {
		if f[notesHere] == true {
			return "There are notes in this directory: cairn search --in . WORDS searches them, and cairn space add . keeps them as a space."
		}
		return elsewhere
	}
}

// notesHere is the fact that the working directory holds notes.
const notesHere = "notes_here"

// amongNotes adds to an error of a memory or space that is missing whether the
// working directory holds notes.
func amongNotes(dir string, err error) error {
	e := (*kb.Error)(nil)
	if !errors.As(err, &e) || e.Reason != kb.NoMemory && e.Reason != kb.NoDatabase && e.Reason != kb.NoSpace && e.Reason != kb.NoSpaceYet {
		return err
	}
	files, readErr := os.ReadDir(dir)
	if readErr != nil {
		return err // then there are none to speak of
	}
	for _, f := range files {
		if ext := strings.ToLower(filepath.Ext(f.Name())); !f.IsDir() && (ext == ".md" || ext == ".markdown" || ext == ".org") {
			if e.Facts == nil {
				e.Facts = kb.Facts{}
			}
			e.Facts[notesHere] = true
			return err
		}
	}
	return err
}

// takeOut names the flag that lets a secret pass once for each rule that found
// one.
func takeOut(f kb.Facts) string {
	rules, _ := f["rules"].([]string)
	var flags []string
	for _, rule := range rules {
		flags = append(flags, "--allow-secret "+rule)
	}
	hint := "take the value out and note where it is stored instead; if it is not a secret, pass " + strings.Join(flags, " ") + " for this write"
	if mark, ok := f["mark"].(string); ok { // that of an agent does not count
		hint += ", or put " + mark + " on the line"
	}
	return hint
}
