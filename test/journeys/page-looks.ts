import type { Page } from '@playwright/test';

/**
 * Returns faults of the look of a page, or of its open dialog: a second main button, digits without groups, an amount
 * of money with digits that no one pays, and a number that is broken in the middle.
 */
export const looksOf = (page: Page): Promise<string[]> => page.evaluate(LOOKS);

const LOOKS = `(() => {
  const isVisible = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 0;
  const place = [...document.querySelectorAll('[role=dialog]')].filter(isVisible).at(-1) ?? document.querySelector('main');
  const main = [...place.querySelectorAll('.mantine-Button-root:is(:not([data-variant]), [data-variant=filled]):not(:disabled, [data-disabled])')]
    .filter(isVisible).map((one) => one.innerText.replace(/\\s+/g, ' '));
  const found = main.length > 1 ? ['main buttons: ' + main.join(' | ')] : [];
  const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    const { data, parentElement } = node;
    // Codes and long texts of a person may have any digits.
    if (parentElement.closest('code, pre, textarea, svg') || !isVisible(parentElement)) continue;
    if (/(?<![\\w.,:+-])\\d{5,}(?![\\w-])/.test(data)) found.push('digits without groups: ' + data);
    if (/[1-9]\\d*\\.\\d{3,}(?!\\d*%)/.test(data)) found.push('too many digits: ' + data);
    for (const { index, 0: number } of data.matchAll(/\\+?\\d[\\d.,]{3,}/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + number.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push('broken number: ' + number);
    }
  }
  return found;
})()`;

/** Returns faults of the open dialog: its title, or the label of the focused field, is covered or outside the window. */
export const coveredInDialog = (page: Page): Promise<string[]> => page.evaluate(COVERED);

const COVERED = `(() => {
  const dialog = [...document.querySelectorAll('[role=dialog]')].filter((one) => one.checkVisibility()).at(-1);
  const field = document.activeElement;
  const parts = [dialog.querySelector('h2'), dialog.contains(field) && field.id && dialog.querySelector('label[for="' + field.id + '"]')];
  return parts.filter(Boolean).filter((part) => {
    const range = document.createRange();
    range.selectNodeContents(part);
    return [...range.getClientRects()].filter(({ width }) => width > 1).some(({ left, right, top, bottom }) => {
      const top_ = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return top_ === null || !(part.contains(top_) || top_.contains(part));
    });
  }).map((part) => 'covered: ' + part.innerText);
})()`;
