package webui_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A draft keeps the version that it was made from, and is dropped only after the write of
// its own form.
func TestDrafts(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run the script")
	}
	script, err := os.ReadFile("assets/drafts.js")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"drafts.mjs": string(script), "test.mjs": draftsTest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, node, filepath.Join(dir, "test.mjs")).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

const draftsTest = `
import assert from 'node:assert';
import { forgetSaved, keepDraft } from './drafts.mjs';
globalThis.crypto ??= (await import('node:crypto')).webcrypto;

class Store {
  items = new Map();
  getItem(k) { return this.items.get(k) ?? null; }
  setItem(k, v) { this.items.set(k, String(v)); }
  removeItem(k) { this.items.delete(k); }
}
const local = new Store(), session = new Store();
// shown is the form of a page as the server shows it.
const shown = (value, version, dataset = {}) => ({ value, dataset, form: { elements: { version: { value: version }, form: { value: '' } } } });

// Typed on version 1, while others wrote version 2.
let area = shown('one\n', '1');
let kept = keepDraft(area, 'k', local, session);
assert.equal(kept.other, null);
area.value = 'one and mine\n';
kept.store();
area = shown('one\nof others\n', '2');
kept = keepDraft(area, 'k', local, session);
assert.equal(kept.other.version, '1');
kept.restore();
assert.equal(area.value, 'one and mine\n');
assert.equal(area.form.elements.version.value, '1');
kept.store();
assert.deepEqual(JSON.parse(local.getItem('k')), { text: 'one and mine\n', version: '1' });

// A submit that was refused, then the write of another form: the draft stays.
kept.submit();
const mark = area.form.elements.form.value;
assert.match(mark, /^[0-9]+-[0-9]+$/);
forgetSaved(local, session, 'http://h/save');
forgetSaved(local, session, 'http://h/today?wrote=7&form=' + mark);
assert.notEqual(local.getItem('k'), null);
kept.submit();
forgetSaved(local, session, 'http://h/today?wrote=8&form=1-2');
assert.notEqual(local.getItem('k'), null);

// The write of this form.
kept.submit();
forgetSaved(local, session, 'http://h/page/a?wrote=9&form=' + area.form.elements.form.value);
assert.equal(local.getItem('k'), null);

// What the server shows again is a draft, too, also where it was not touched.
area = shown('typed\n', '3', { unsaved: '' });
kept = keepDraft(area, 'k', local, session);
kept.leave();
assert.equal(JSON.parse(local.getItem('k')).text, 'typed\n');
`
