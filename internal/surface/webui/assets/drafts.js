// Drafts: typed text outlives a reload, a crash and a stopped server. It is never put in
// place of anything without a click, and is dropped when it has been saved.

// mostMoved is how many drafts of one form are kept in addition to the last one.
const mostMoved = 10;

// A draft that another form takes the place of is moved: newest first.
const movedTo = (key) => 'other ' + key;
const movedOf = (local, key) => [JSON.parse(local.getItem(movedTo(key)) ?? '[]')].flat();
function setMoved(local, key, drafts) {
  if (drafts.length) local.setItem(movedTo(key), JSON.stringify(drafts.slice(0, mostMoved)));
  else local.removeItem(movedTo(key));
}

// drop forgets a draft, where it is by now. Another one stays.
function drop(local, key, draft) {
  if (local.getItem(key) === draft) local.removeItem(key);
  const moved = movedOf(local, key), others = moved.filter((d) => JSON.stringify(d) !== draft);
  if (others.length < moved.length) setMoved(local, key, others);
}

// allDrafts are the texts that were typed into all forms of an address and not saved, those of
// one form together.
export function allDrafts(local) {
  const keys = Object.keys(local).filter((k) => k.startsWith('typed:') || k.startsWith(movedTo('typed:'))).sort();
  return [...new Set(keys.flatMap((k) => JSON.parse(local.getItem(k))).map((d) => d.text))];
}

// forgetSaved drops the draft of a form that the server has taken: the address has the mark
// of that form then. Any other page after a submit means that it was not taken.
export function forgetSaved(local, session, address) {
  const submitted = JSON.parse(session.getItem('submitted') ?? 'null');
  session.removeItem('submitted');
  if (submitted && new URL(address).searchParams.get('form') === submitted.form) drop(local, submitted.key, submitted.draft);
}

// keepDraft keeps what is typed into an area, with the version of the page that it was made
// from. others are drafts that differ from the text of the area. A draft that this form did
// not make, of another tab or of before a reload, is moved and not overwritten.
export function keepDraft(area, key, local, session) {
  const { version, form } = area.form.elements;
  const own = area.value;
  const unsaved = 'unsaved' in area.dataset; // the server shows again what was typed
  // mine is what this form has stored. One that the server shows again stored it before.
  let mine = unsaved ? local.getItem(key) : null;
  const same = (a, b) => a?.trimEnd() === b?.trimEnd();
  const kept = () => [JSON.parse(local.getItem(key) ?? '[]'), movedOf(local, key)].flat();
  const others = kept().filter((d, i, drafts) => !same(d.text, own) && drafts.findIndex((e) => same(e.text, d.text)) === i);
  const store = () => {
    const there = local.getItem(key);
    const undone = area.value === own && !unsaved;
    if (mine !== null && (undone || there !== mine)) drop(local, key, mine);
    if (undone) {
      mine = null;
      return;
    }
    const now = JSON.stringify({ text: area.value, version: version?.value });
    if (there !== null && there !== mine && there !== now) {
      drop(local, key, there);
      setMoved(local, key, [JSON.parse(there), ...movedOf(local, key)]);
    }
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
      const draft = kept().find((d) => d.text === other.text);
      mine = draft ? JSON.stringify(draft) : null;
    },
    discard(other) {
      for (const d of kept()) if (d.text === other.text) drop(local, key, JSON.stringify(d));
    },
    submit() {
      leave();
      form.value = crypto.getRandomValues(new Uint32Array(2)).join('-');
      session.setItem('submitted', JSON.stringify({ key, form: form.value, draft: mine }));
    },
  };
}
