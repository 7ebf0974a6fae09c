import { drawing, h } from './dom.ts';
import type { Speech } from './texts.ts';

const BUBBLE = 'M4 5h16v11H9l-5 4z';
const MAX_BADGE = 99;

/** The button that opens the chat. While the chat is closed, the button shows the number of new messages. */
export function createLauncher({ words }: Speech, onPress: () => void) {
  const badge = h('span', { class: 'badge', 'aria-hidden': 'true', hidden: true });
  const button = h(
    'button',
    { type: 'button', class: 'launcher', 'aria-expanded': 'false', onclick: onPress },
    drawing(BUBBLE),
    badge,
  );
  const arrived = h('div', { class: 'hidden', role: 'status' });
  let unreadBefore = 0;
  return {
    button,
    arrived,
    tell(unread: number, isOpen: boolean): void {
      badge.hidden = unread === 0;
      badge.textContent = unread > MAX_BADGE ? `${MAX_BADGE}+` : String(unread);
      if (unread > unreadBefore && !isOpen) arrived.textContent = words.arrived;
      else if (unread === 0) arrived.textContent = '';
      unreadBefore = unread;
      const label = isOpen ? words.close : words.open;
      const count = unread > 0 ? ` (${words.unread.replace('{n}', String(unread))})` : '';
      button.setAttribute('aria-label', label + count);
    },
  };
}
