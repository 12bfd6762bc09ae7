package write

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// Commands returns the commands of this group.
func Commands(p *command.Program) []*cobra.Command {
	return []*cobra.Command{
		newCapture(p),
		newIngest(p),
		newSource(p),
		newDaily(p),
		newToday(p),
		newInbox(p),
		newRoutine(p),
		newTable(p),
		newNew(p),
		newPut(p),
		newEdit(p),
		newMove(p),
		newRemove(p),
		newTag(p),
		newUntag(p),
		newTagRename(p),
		newLink(p),
		newLinkClose(p),
		newUnlink(p),
		newContest(p),
		newAssert(p),
		newAssertClose(p),
		newTimelineAdd(p),
		newRaw(p),
		newGap(p),
	}
}
