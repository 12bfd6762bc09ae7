package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Seal names the recipients of an encrypted file. The zero value means no
// encryption.
type Seal struct {
	To         []string // recipients, such as age1…
	Passphrase string
}

// Seals reports whether files are to be encrypted.
func (s Seal) Seals() bool { return len(s.To) > 0 || s.Passphrase != "" }

func (s Seal) recipients() (out []age.Recipient, err error) {
	if s.Passphrase != "" {
		if len(s.To) > 0 {
			return nil, kb.Errorf(kb.Usage, "a file is encrypted for recipients or with a passphrase, and not both")
		}
		r, err := age.NewScryptRecipient(s.Passphrase)
		return []age.Recipient{r}, err
	}
	for _, to := range s.To {
		all, err := age.ParseRecipients(bytes.NewReader([]byte(to)))
		if err != nil {
			return nil, kb.Errorf(kb.Usage, "%q is not a recipient of age", to).WithHint("Recipients begin with age1. age-keygen makes one with its identity.")
		}
		out = append(out, all...)
	}
	return out, nil
}

// write encrypts the output of f to a new file that only its owner can read. The
// file is either complete or absent.
func (s Seal) write(file string, f func(io.Writer) error) error {
	recipients, err := s.recipients()
	if err != nil {
		return err
	}
	name := filepath.Base(file)
	part := name + partSuffix
	err = fsys.Within(filepath.Dir(file), func(dir *fsys.Dir) error {
		_ = dir.Remove(part) // left by a killed process
		to, err := dir.Create(part, 0o600)
		if err != nil {
			return err
		}
		w, err := age.Encrypt(to, recipients...)
		if err == nil {
			err = errors.Join(f(w), w.Close())
		}
		if err == nil {
			err = to.Sync()
		}
		if err = errors.Join(err, to.Close()); err == nil {
			_, err = fsys.PlaceNew(dir, part, name)
		}
		if err != nil {
			_ = dir.Remove(part)
		}
		return errors.Join(err, dir.SyncDir("."))
	})
	return fsys.Explain(err, "write %s", file)
}

// partSuffix is the suffix of an incomplete file.
const partSuffix = ".part"

// File encrypts a file.
func (s Seal) File(ctx context.Context, from, to string) error {
	return s.write(to, func(w io.Writer) error {
		f, err := fsys.OpenRegular(from)
		if err != nil {
			return err
		}
		_, err = io.Copy(w, whileOn{ctx, f})
		return errors.Join(err, f.Close())
	})
}

// Archive encrypts the files that f adds as a tar archive. No plain text is written
// to disk.
func (s Seal) Archive(to string, f func(put func(name string, text []byte) error) error) error {
	if fsys.Exists(to) {
		return kb.Errorf(kb.Conflict, "%s exists already", to).WithHint("Nothing was changed. Choose another name.")
	}
	return s.write(to, func(w io.Writer) error {
		archive := tar.NewWriter(w)
		err := f(func(name string, text []byte) error {
			if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
				return err
			}
			_, err := archive.Write(text)
			return err
		})
		if err != nil {
			return err
		}
		return archive.Close()
	})
}

// whileOn is a reader that fails when its context is done.
type whileOn struct {
	ctx context.Context
	r   io.Reader
}

func (w whileOn) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}

// Unseal holds the keys for decrypting a file.
type Unseal struct {
	Identity   string // file of identities, absolute
	Passphrase string
}

// sealHeader is the first line of an encrypted file.
const sealHeader = "age-encryption.org/v1\n"

// IsSealed reports whether a file is encrypted.
func IsSealed(file string) (bool, error) {
	f, err := fsys.OpenRegular(file)
	if err != nil {
		return false, fsys.Explain(err, "open the backup %s", file)
	}
	defer f.Close() // opened for reading only
	head := make([]byte, len(armor.Header))
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return false, fsys.Explain(err, "read the backup %s", file)
	}
	return bytes.HasPrefix(head[:n], []byte(sealHeader)) || string(head[:n]) == armor.Header, nil
}

func (u Unseal) identities() (out []age.Identity, err error) {
	if u.Passphrase != "" {
		i, err := age.NewScryptIdentity(u.Passphrase)
		return []age.Identity{i}, err
	}
	if u.Identity == "" {
		return nil, kb.Errorf(kb.Usage, "the backup is encrypted").WithReason(kb.BackupSealed)
	}
	text, err := fsys.ReadRegular(u.Identity, 1<<20)
	if err != nil {
		return nil, fsys.Explain(err, "read the identity")
	}
	if out, err = age.ParseIdentities(bytes.NewReader(text)); err != nil {
		return nil, kb.Errorf(kb.Usage, "%s has no identity of age", u.Identity)
	}
	return out, nil
}

// damaged is the error for an incomplete or corrupt encrypted file.
func damaged(file string, err error) error {
	return kb.Errorf(kb.Damaged, "%s is damaged, or only a part of it: %w", file, err).WithHint("Nothing was changed. Take another copy of the backup.")
}

// sealedText is the decrypted stream of an encrypted file.
type sealedText struct {
	r    io.Reader
	file string
}

func (s sealedText) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		err = damaged(s.file, err)
	}
	return n, err
}

// file decrypts a file to a new one that only its owner can read.
func (u Unseal) file(from, to string) error {
	identities, err := u.identities()
	if err != nil {
		return err
	}
	f, err := fsys.OpenRegular(from)
	if err != nil {
		return fsys.Explain(err, "open the backup %s", from)
	}
	defer f.Close() // opened for reading only
	var in io.Reader = f
	head := make([]byte, len(armor.Header))
	n, _ := io.ReadFull(f, head)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fsys.Explain(err, "read the backup %s", from)
	}
	if string(head[:n]) == armor.Header {
		in = armor.NewReader(f)
	}
	plain, err := age.Decrypt(in, identities...)
	var none *age.NoIdentityMatchError
	if err != nil && !errors.As(err, &none) {
		return damaged(from, err)
	}
	if err != nil {
		return kb.Errorf(kb.Refused, "%s cannot be decrypted: none of the identities fits, or the passphrase is wrong", from).WithHint("Nothing was changed.")
	}
	err = fsys.Within(filepath.Dir(to), func(dir *fsys.Dir) error {
		name := filepath.Base(to)
		_ = dir.Remove(name) // left by a killed process
		out, err := dir.Create(name, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, sealedText{plain, from})
		if err = errors.Join(err, out.Close()); err != nil {
			err = errors.Join(err, dir.Remove(name))
		}
		return err
	})
	return fsys.Explain(err, "decrypt %s", from)
}
