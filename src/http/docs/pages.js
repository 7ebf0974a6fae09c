/** The menu of a narrow window, and which section is being read. */
const menu = document.querySelector('[data-menu]');
const contents = document.querySelector('#contents');

function openMenu(isOpen) {
  menu.setAttribute('aria-expanded', String(isOpen));
  contents.classList.toggle('open', isOpen);
}
const isMenuOpen = () => menu.getAttribute('aria-expanded') === 'true';

menu.addEventListener('click', () => openMenu(!isMenuOpen()));
contents.addEventListener('click', ({ target }) => {
  if (target.closest('a')) openMenu(false);
});
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape' || !isMenuOpen()) return;
  openMenu(false);
  menu.focus();
});

/** The link to this page may be far down in a long list. */
const current = contents.querySelector('[aria-current=page]');
if (current) contents.scrollTop = Math.max(0, current.offsetTop - contents.clientHeight / 2);

/** Links to places of this page, at both sides. */
const links = new Map();
for (const link of document.querySelectorAll('#contents a[href*="#"], .outline a')) {
  const url = new URL(link.href);
  if (url.pathname !== location.pathname) continue;
  const id = decodeURIComponent(url.hash.slice(1));
  links.set(id, [...(links.get(id) ?? []), link]);
}
const headings = [...document.querySelectorAll('main :is(h2, h3)[id]')].filter(({ id }) => links.has(id));

let marked = [];
function mark() {
  const top = document.documentElement.clientHeight / 4;
  const read = headings.findLast((heading) => heading.getBoundingClientRect().top < top) ?? headings[0];
  const next = read ? links.get(read.id) : [];
  if (next[0] === marked[0]) return;
  for (const link of marked) link.removeAttribute('aria-current');
  for (const link of next) {
    link.setAttribute('aria-current', 'location');
    keepInSight(link);
  }
  marked = next;
}

/** Scrolls the list alone, never the page. */
function keepInSight(link) {
  const list = link.closest('nav');
  const at = link.getBoundingClientRect();
  const frame = list.getBoundingClientRect();
  if (at.top < frame.top) list.scrollTop += at.top - frame.top - 40;
  else if (at.bottom > frame.bottom) list.scrollTop += at.bottom - frame.bottom + 40;
}

let isWaiting = false;
addEventListener('scroll', () => {
  if (isWaiting) return;
  isWaiting = true;
  requestAnimationFrame(() => {
    isWaiting = false;
    mark();
  });
});
mark();

/** A table that is wider than its place is scrolled with the keyboard too; the others are no stop for it. */
const fits = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute('tabindex');
  }
});
for (const table of document.querySelectorAll('.wide')) fits.observe(table);
