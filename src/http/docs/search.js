/** Results while one types. Without this file, and before it is ready, the form asks the server: /docs?q=… */
import { find } from './rank.js';

const form = document.querySelector('[role=search]');
const field = form.querySelector('input');
const list = form.querySelector('[role=listbox]');
const status = form.querySelector('[role=status]');

/** What can be found is loaded when the field is first used; if that fails, the next use tries again. */
let entries = null;
let isLoading = false;
async function load() {
  if (isLoading || entries !== null) return;
  isLoading = true;
  try {
    entries = (await import('./entries.js')).ENTRIES;
    show();
  } finally {
    isLoading = false;
  }
}

let found = [];
let active = 0;

function show() {
  if (entries === null || document.activeElement !== field) return;
  found = find(entries, field.value);
  list.replaceChildren(...found.map(optionOf));
  activate(0);
  open(field.value.trim() !== '');
}

function optionOf({ title, detail, place }, index) {
  const option = document.createElement('li');
  option.id = `found-${index}`;
  option.setAttribute('role', 'option');
  for (const [kind, text] of [
    ['title', title],
    ['detail', detail],
    ['place', place],
  ]) {
    if (text === '') continue;
    const part = document.createElement('span');
    part.className = kind;
    part.textContent = text;
    option.append(part, ' ');
  }
  // The field keeps the focus: pressing is not leaving.
  option.addEventListener('mousedown', (event) => event.preventDefault());
  option.addEventListener('click', () => go(index));
  return option;
}

function open(isOpen) {
  const isShown = isOpen && found.length > 0;
  list.hidden = !isShown;
  field.setAttribute('aria-expanded', String(isShown));
  if (!isShown) field.removeAttribute('aria-activedescendant');
  status.textContent = isOpen ? resultText(found.length) : '';
  status.classList.toggle('empty', isOpen && found.length === 0);
}

const resultText = (count) => (count === 0 ? 'Nothing found' : `${count} ${count === 1 ? 'result' : 'results'}`);

function activate(index) {
  active = index;
  for (const [at, option] of [...list.children].entries()) option.setAttribute('aria-selected', String(at === index));
  const option = list.children[index];
  if (!option) return;
  field.setAttribute('aria-activedescendant', option.id);
  option.scrollIntoView({ block: 'nearest' });
}

function go(index) {
  const { href } = found[index];
  open(false);
  field.blur();
  location.assign(href);
}

field.addEventListener('focus', () => {
  void load();
  show();
});
field.addEventListener('input', () => {
  void load();
  show();
});
field.addEventListener('blur', () => open(false));
field.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Escape' && !list.hidden) {
    // The text stays; a second press empties the field.
    event.preventDefault();
    open(false);
  } else if (step && found.length > 0) {
    event.preventDefault();
    if (list.hidden) open(true);
    activate((found.length + active + step) % found.length);
  }
});
form.addEventListener('submit', (event) => {
  if (list.hidden) return;
  event.preventDefault();
  go(active);
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select, [contenteditable]');
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  event.preventDefault();
  field.focus();
  field.select();
});
