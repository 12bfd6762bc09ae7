// Completion in a text that is edited: pages after [[, tags after #, and relations and
// properties where a line begins. The text is a plain textarea: undo, spelling and screen
// readers work as everywhere.

// context is the kind of name before the caret, and the typed part of it.
export function context(before) {
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const front = before.startsWith('---\n') && !/\n---\s*\n/.test(before.slice(3));
  const link = /\[\[([^[\]|#\n]{0,80})$/.exec(line);
  if (link) return { kind: 'page', typed: link[1] };
  if (front) {
    const tags = /^tags:.*?([\p{L}\p{N}_/-]*)$/u.exec(line);
    if (tags) return { kind: 'tag', typed: tags[1] };
    const key = /^([\p{L}_][\p{L}\p{N}_-]*)$/u.exec(line);
    return key ? { kind: 'property', typed: key[1] } : null;
  }
  const tag = /(?:^|[\s(])#([\p{L}\p{N}_/-]+)$/u.exec(line);
  if (tag) return { kind: 'tag', typed: tag[1] };
  const relation = /^\s*[-*] ([a-z_]{2,})$/.exec(line);
  return relation ? { kind: 'relation', typed: relation[1] } : null;
}

// accepted is the text of a choice.
export function accepted(kind, name, after) {
  if (kind === 'page') return name + (after.startsWith(']]') ? '' : ']]');
  if (kind === 'property') return name + ': ';
  if (kind === 'relation') return name + ' [[';
  return name;
}

// starts are the names that begin with what is typed, then those that hold it.
export function starts(names, typed) {
  const low = typed.toLowerCase();
  const holds = names.filter((n) => n.toLowerCase().includes(low) && n !== typed);
  return [...holds.filter((n) => n.toLowerCase().startsWith(low)), ...holds.filter((n) => !n.toLowerCase().startsWith(low))].slice(0, 8);
}

// place returns where the caret of an area is, within the window.
function place(area) {
  const style = getComputedStyle(area);
  const copy = document.createElement('div');
  for (const name of ['font', 'letterSpacing', 'padding', 'border', 'lineHeight', 'tabSize', 'boxSizing']) copy.style[name] = style[name];
  Object.assign(copy.style, { position: 'absolute', visibility: 'hidden', whiteSpace: 'pre-wrap', overflowWrap: 'break-word', width: area.clientWidth + 'px', top: 0, left: 0 });
  const near = area.value.lastIndexOf('\n', area.selectionStart - 1) + 1;
  const lines = area.value.slice(0, near).split('\n').length - 1;
  copy.textContent = area.value.slice(near, area.selectionStart);
  const mark = document.createElement('span');
  mark.textContent = '\u200b';
  copy.append(mark);
  document.body.append(copy);
  const box = area.getBoundingClientRect(), high = parseFloat(style.lineHeight) || 20;
  const at = { left: box.left + mark.offsetLeft, top: box.top + mark.offsetTop + lines * high - area.scrollTop + high };
  copy.remove();
  return { left: Math.max(8, Math.min(at.left, innerWidth - 280)), top: Math.max(box.top + 8, Math.min(at.top, box.bottom)) };
}

// completes offers names while an area is typed into. find returns those of a kind.
export function completes(area, find) {
  let list, kind, typed, at = 0, turn = 0;
  const close = () => {
    turn++;
    list?.remove();
    list = undefined;
    area.removeAttribute('aria-activedescendant');
  };
  const choose = (i) => {
    at = i;
    [...list.children].forEach((o, n) => o.setAttribute('aria-selected', n === at));
    area.setAttribute('aria-activedescendant', list.children[at].id);
    list.children[at].scrollIntoView({ block: 'nearest' });
  };
  const take = () => {
    const text = accepted(kind, list.children[at].dataset.name, area.value.slice(area.selectionEnd));
    area.setSelectionRange(area.selectionStart - typed.length, area.selectionEnd);
    close();
    // The way that a browser can undo.
    if (!document.execCommand('insertText', false, text)) area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
    if (text.endsWith(']]') || !area.value.slice(area.selectionEnd).startsWith(']]')) return;
    area.setSelectionRange(area.selectionEnd + 2, area.selectionEnd + 2);
  };
  const show = (names) => {
    list?.remove();
    if (!names.length) { close(); return; }
    list = document.createElement('ul');
    list.className = 'completions';
    list.id = 'completions';
    list.setAttribute('role', 'listbox');
    list.setAttribute('aria-label', 'Completions');
    names.forEach((name, i) => {
      const option = document.createElement('li');
      option.id = 'completion-' + i;
      option.setAttribute('role', 'option');
      option.dataset.name = name;
      option.textContent = name;
      option.addEventListener('mousedown', (e) => { e.preventDefault(); choose(i); take(); });
      list.append(option);
    });
    const { left, top } = place(area);
    Object.assign(list.style, { left: left + 'px', top: top + 'px' });
    document.body.append(list);
    choose(0);
  };
  area.setAttribute('aria-autocomplete', 'list');
  area.addEventListener('input', async () => {
    const found = !area.hidden && area.selectionStart === area.selectionEnd && context(area.value.slice(0, area.selectionStart));
    if (!found) { close(); return; }
    const mine = ++turn;
    const at = area.selectionStart, names = await find(found.kind, found.typed);
    // The caret may have gone elsewhere meanwhile.
    if (mine !== turn || document.activeElement !== area || area.selectionStart !== at || area.selectionEnd !== at) return;
    ({ kind, typed } = found);
    show(starts(names, typed));
  });
  area.addEventListener('keydown', (e) => {
    if (!list) return;
    const n = list.children.length;
    switch (e.key) {
      case 'ArrowDown': choose((at + 1) % n); break;
      case 'ArrowUp': choose((at + n - 1) % n); break;
      case 'Enter': case 'Tab': take(); break;
      case 'Escape': close(); break;
      case 'ArrowLeft': case 'ArrowRight': case 'Home': case 'End': case 'PageUp': case 'PageDown': close(); return;
      default: return;
    }
    e.preventDefault();
    e.stopPropagation();
  });
  area.addEventListener('blur', close);
  area.addEventListener('scroll', close);
  area.addEventListener('click', close);
}
