import { drawing, h } from './dom.ts';
import type { Speech } from './words.ts';

const PLANE = 'M3 20l18-8L3 4v6l11 2-11 2z';
/** MAX_VISITOR_CHARACTERS of the contract, whose values would bring the schema library along. */
const MAX_CHARACTERS = 4_000;

/** Where a message is typed and sent. */
export function createField({ words, dir }: Speech, onSend: (text: string) => void) {
  const field = h('textarea', {
    rows: '1',
    dir,
    'aria-label': words.message,
    placeholder: words.placeholder,
    maxlength: String(MAX_CHARACTERS),
    enterkeyhint: 'send',
    oninput: grow,
    onkeydown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      send(event);
    },
  });
  const form = h(
    'form',
    { onsubmit: send },
    field,
    h('button', { type: 'submit', class: 'send', 'aria-label': words.send }, drawing(PLANE)),
  );

  function send(event: Event): void {
    event.preventDefault();
    // Half of a character and NUL can be typed, but not stored.
    const text = field.value.replace(/[\p{Cs}\0]/gu, '').trim();
    if (text === '') return;
    field.value = '';
    grow();
    field.focus();
    onSend(text);
  }

  /** As high as its words, and in their direction; the placeholder runs as the chat does. */
  function grow(): void {
    field.dir = field.value === '' ? dir : 'auto';
    field.style.setProperty('block-size', 'auto');
    field.style.setProperty('block-size', `${Math.max(42, field.scrollHeight + 2)}px`);
  }

  return { form, focus: () => field.focus() };
}
