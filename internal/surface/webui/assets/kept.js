// Drafts at an address that the web UI had before: they can be copied, since no form is here.
import { allDrafts } from './drafts.js';

const list = document.getElementById('drafts');
allDrafts(localStorage).forEach((text, i) => {
  const label = document.createElement('label');
  const area = document.createElement('textarea');
  label.htmlFor = area.id = 'draft-' + i;
  label.textContent = 'Draft ' + (i + 1);
  area.value = text;
  area.readOnly = true;
  area.rows = Math.min(24, text.split('\n').length + 2);
  list.append(label, area);
});
