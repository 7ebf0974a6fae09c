for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(button.nextElementSibling.textContent).then(() => {
      button.textContent = 'Copied';
      return setTimeout(() => (button.textContent = 'Copy'), 1500);
    });
  });
}

/** One language for all samples of the page; it is remembered. */
const LANGUAGE = 'parley.docs.language';
const groups = [...document.querySelectorAll('[data-tabs]')];

function show(name) {
  for (const group of groups) {
    for (const button of group.querySelectorAll('[role=tab]')) {
      button.setAttribute('aria-selected', String(button.textContent === name));
      button.tabIndex = button.textContent === name ? 0 : -1;
    }
    for (const panel of group.querySelectorAll('[data-tab]')) panel.hidden = panel.dataset.tab !== name;
  }
}

function choose(button) {
  const top = button.getBoundingClientRect().top;
  show(button.textContent);
  localStorage.setItem(LANGUAGE, button.textContent);
  // The samples above have other heights now: what was clicked stays where it is.
  window.scrollBy(0, button.getBoundingClientRect().top - top);
  button.focus({ preventScroll: true });
}

for (const group of groups) {
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  for (const panel of group.querySelectorAll('[data-tab]')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.setAttribute('role', 'tab');
    button.textContent = panel.dataset.tab;
    button.addEventListener('click', () => choose(button));
    button.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (step)
        choose(
          list.children[(list.children.length + [...list.children].indexOf(button) + step) % list.children.length],
        );
    });
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-label', panel.dataset.tab);
    list.append(button);
  }
  group.prepend(list);
}
const remembered = localStorage.getItem(LANGUAGE);
if (groups.length > 0) show(['curl', 'TypeScript', 'Python'].includes(remembered) ? remembered : 'curl');
