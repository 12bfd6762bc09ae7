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
import { allDrafts, forgetSaved, keepDraft } from './drafts.mjs';
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
assert.deepEqual(kept.others, []);
area.value = 'one and mine\n';
kept.store();
area = shown('one\nof others\n', '2');
kept = keepDraft(area, 'k', local, session);
assert.equal(kept.others[0].version, '1');
kept.restore(kept.others[0]);
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
local.removeItem('k');

// The draft of another tab is neither dropped nor overwritten.
const texts = () => keepDraft(shown('page\n', '1'), 'k', local, session).others.map((d) => d.text);
const one = shown('page\n', '1'), two = shown('page\n', '1');
const first = keepDraft(one, 'k', local, session), second = keepDraft(two, 'k', local, session);
one.value = 'of one\n';
first.store();
two.value = 'p\n';
two.value = 'page\n'; // typed and undone
second.store();
assert.deepEqual(texts(), ['of one\n']);
two.value = 'of two\n';
second.store();
assert.deepEqual(texts(), ['of two\n', 'of one\n']);
one.value = 'of one, more\n';
first.store();
two.value = 'of two, more\n';
second.store();
assert.deepEqual(texts(), ['of two, more\n', 'of one, more\n']);

// One is saved, and the other stays. A draft that was restored and typed on is one draft.
second.submit();
forgetSaved(local, session, 'http://h/page/a?form=' + two.form.elements.form.value);
assert.deepEqual(texts(), ['of one, more\n']);
area = shown('of two, more\n', '2');
kept = keepDraft(area, 'k', local, session);
area.value = 'new\n';
kept.store();
kept.restore(kept.others[0]);
area.value = 'of one, most\n';
kept.store();
assert.deepEqual(texts(), ['of one, most\n', 'new\n']);
kept.discard({ text: 'new\n' });
assert.deepEqual(texts(), ['of one, most\n']);

// A merge that the server shows takes the place of the text that it was made of.
kept.submit();
area = shown('merged\n', '3', { unsaved: '' });
keepDraft(area, 'k', local, session).leave();
assert.deepEqual(texts(), ['merged\n']);

// Two tabs and a draft from before: all three are kept and offered, whatever the turns.
local.items.clear();
local.setItem('k', JSON.stringify({ text: 'old\n', version: '1' }));
const left = shown('page\n', '1'), right = shown('page\n', '1');
const a = keepDraft(left, 'k', local, session), b = keepDraft(right, 'k', local, session);
left.value = 'left\n';
a.store();
right.value = 'right\n';
b.store();
assert.deepEqual(texts(), ['right\n', 'left\n', 'old\n']);
left.value = 'left, more\n';
a.store();
right.value = 'right, more\n';
b.store();
assert.deepEqual(texts(), ['right, more\n', 'left, more\n', 'old\n']);
keepDraft(shown('page\n', '1'), 'k', local, session).discard({ text: 'left, more\n' });
assert.deepEqual(texts(), ['right, more\n', 'old\n']);

// A form is saved that was not touched, or that another tab typed after: the others stay.
const still = shown('page\n', '1');
keepDraft(still, 'k', local, session).submit();
forgetSaved(local, session, 'http://h/page/a?form=' + still.form.elements.form.value);
assert.deepEqual(texts(), ['right, more\n', 'old\n']);
b.submit();
left.value = 'left again\n';
a.store();
forgetSaved(local, session, 'http://h/page/a?form=' + right.form.elements.form.value);
assert.deepEqual(texts(), ['left again\n', 'old\n']);

// There is an end to them: the oldest goes.
for (let i = 0; i < 20; i++) {
  const area = shown('page\n', '1'), kept = keepDraft(area, 'k', local, session);
  area.value = i + '\n';
  kept.store();
}
assert.deepEqual(texts(), [...Array(11).keys()].map((i) => 19 - i + '\n'));

// All texts of an address, once each, and nothing else that the browser keeps there.
const address = {
  'typed::page:1': JSON.stringify({ text: 'new\n', version: '1' }), 'other typed::page:1': JSON.stringify([{ text: 'old\n' }, { text: 'new\n' }]),
  'plain-field': '1', getItem(k) { return this[k]; },
};
assert.deepEqual(allDrafts(address), ['old\n', 'new\n']);
`
