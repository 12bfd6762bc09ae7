package history

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"

	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxLogged limits the commits searched for those of versions.
const maxLogged = 2000

// Commits finds the commits of versions of a document in a guarded space, "" for
// none: the commit of the write, else the first one with these bytes.
func Commits(ctx context.Context, sess *memory.Session, s kb.Space, versions []Made) ([]string, error) {
	out := make([]string, len(versions))
	if s.Kind != kb.DirectorySpace || len(versions) == 0 {
		return out, nil
	}
	w, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil || !w.Guards() {
		return out, ctx.Err() // errors of opening it are reported elsewhere
	}
	tree := w.Tree()
	repo, err := tree.Open(ctx)
	if err != nil {
		return out, ctx.Err()
	}
	var paths []string
	for _, v := range versions {
		if !slices.Contains(paths, v.Path) {
			paths = append(paths, v.Path, vault.SidecarPath(v.Path))
		}
	}
	logged, err := tree.Log(ctx, repo, paths, maxLogged)
	if err != nil {
		return out, ctx.Err() // doctor reports problems of the repository
	}
	used := map[string]bool{}
	for i, v := range versions {
		token := write.CommitToken(s.ID, v.Of)
		if at := slices.IndexFunc(logged, func(l git.Logged) bool { return slices.Contains(l.Tokens, token) }); at >= 0 {
			out[i] = logged[at].ID
			used[out[i]] = true
		}
	}
	for i, v := range slices.Backward(versions) { // oldest first
		if out[i] != "" || v.Pruned {
			continue
		}
		blob := ""
		if v.Change != kb.Deleted {
			var text []byte
			err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
				text, err = tx.History().Bytes(ctx, v.Hash)
				return err
			})
			if err != nil {
				return out, err
			}
			blob = blobID(text, len(repo.None))
		}
		for _, l := range slices.Backward(logged) {
			if id, there := l.Blobs[v.Path]; there && id == blob && !used[l.ID] {
				out[i] = l.ID
				used[l.ID] = true
				break
			}
		}
	}
	return out, nil
}

// blobID returns git's id for bytes, in the length of the repository's ids.
func blobID(text []byte, length int) string {
	whole := append(fmt.Appendf(nil, "blob %d\x00", len(text)), text...)
	if length == hex.EncodedLen(sha256.Size) {
		sum := sha256.Sum256(whole)
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum(whole)
	return hex.EncodeToString(sum[:])
}
