// Drafts: typed text outlives a reload, a crash and a stopped server. It is never put in
// place of anything without a click, and is dropped when it has been saved.

// forgetSaved drops the draft of a form that the server has taken: the address has the mark
// of that form then. Any other page after a submit means that it was not taken.
export function forgetSaved(local, session, address) {
  const submitted = JSON.parse(session.getItem('submitted') ?? 'null');
  session.removeItem('submitted');
  if (submitted && new URL(address).searchParams.get('form') === submitted.form) local.removeItem(submitted.key);
}

// keepDraft keeps what is typed into an area, with the version of the page that it was made
// from. others are drafts that differ from the text of the area. A draft that this form did
// not make, of another tab or of before a reload, is moved and not overwritten.
export function keepDraft(area, key, local, session) {
  const { version, form } = area.form.elements;
  const own = area.value;
  const unsaved = 'unsaved' in area.dataset; // the server shows again what was typed
  const moved = 'other ' + key;
  // mine is what this form has stored. One that the server shows again stored it before.
  let mine = unsaved ? local.getItem(key) : null;
  const same = (a, b) => a?.trimEnd() === b?.trimEnd();
  const read = (at) => JSON.parse(local.getItem(at) ?? 'null');
  const others = [key, moved].map(read).filter((d, i, all) => d && !same(d.text, own) && !(i && same(d.text, all[0]?.text)));
  const store = () => {
    if (local.getItem(moved) === mine) local.removeItem(moved);
    const there = local.getItem(key);
    if (area.value === own && !unsaved) {
      if (there === mine) local.removeItem(key);
      mine = null;
      return;
    }
    const now = JSON.stringify({ text: area.value, version: version?.value });
    if (there !== null && there !== mine && there !== now) local.setItem(moved, there);
    local.setItem(key, mine = now);
  };
  const leave = () => { if (area.value !== own || unsaved) store(); };
  return {
    others,
    store,
    leave,
    // The server merges with what others wrote since that version, or shows both.
    restore(other) {
      area.value = other.text;
      if (version) version.value = other.version;
      mine = local.getItem([key, moved].find((at) => read(at)?.text === other.text) ?? key);
    },
    discard(other) {
      for (const at of [key, moved]) if (read(at)?.text === other.text) local.removeItem(at);
    },
    submit() {
      leave();
      form.value = crypto.getRandomValues(new Uint32Array(2)).join('-');
      session.setItem('submitted', JSON.stringify({ key, form: form.value }));
    },
  };
}
