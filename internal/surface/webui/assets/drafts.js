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
// from. other is a draft that differs from the text of the area.
export function keepDraft(area, key, local, session) {
  const { version, form } = area.form.elements;
  const own = area.value;
  const unsaved = 'unsaved' in area.dataset; // the server shows again what was typed
  const draft = JSON.parse(local.getItem(key) ?? 'null');
  const store = () => {
    if (area.value === own && !unsaved) local.removeItem(key);
    else local.setItem(key, JSON.stringify({ text: area.value, version: version?.value }));
  };
  const leave = () => { if (area.value !== own || unsaved) store(); };
  return {
    other: draft && draft.text !== own ? draft : null,
    store,
    leave,
    // The server merges with what others wrote since that version, or shows both.
    restore() {
      area.value = draft.text;
      if (version) version.value = draft.version;
    },
    submit() {
      leave();
      form.value = crypto.getRandomValues(new Uint32Array(2)).join('-');
      session.setItem('submitted', JSON.stringify({ key, form: form.value }));
    },
  };
}
