import { drawing, h } from './dom.ts';
import { storable } from './storable-text.ts';
import type { Speech } from './texts.ts';

const PLANE = 'M3 20l18-8L3 4v6l11 2-11 2z';
/** A copy of MAX_VISITOR_CHARACTERS from the contract, because an import would bundle the schema library. */
const MAX_CHARACTERS = 4_000;

const CLIP = 'M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 4.8 4.8l-8.4 8.4a1.8 1.8 0 0 1-2.5-2.5L14 7.6';

export type FieldActions = {
  /** Returns false if the message is not accepted, and the text stays in the field. */
  onSend(text: string): boolean;
  /** Null if the chat does not accept files. */
  onFiles: ((files: readonly File[]) => void) | null;
};

/** Creates the input field of the chat. Visitors can choose, drop or paste files. */
export function createField({ words, dir }: Speech, { onSend, onFiles }: FieldActions) {
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
    {
      onsubmit: send,
      ondragover: (event: DragEvent) => event.preventDefault(),
      ondrop: (event: DragEvent) => take(event, event.dataTransfer),
      onpaste: (event: ClipboardEvent) => take(event, event.clipboardData),
    },
    onFiles && attach(onFiles),
    field,
    h('button', { type: 'submit', class: 'send', 'aria-label': words.send }, drawing(PLANE)),
  );

  function attach(give: (files: readonly File[]) => void): HTMLElement {
    const chooser = h('input', {
      type: 'file',
      multiple: true,
      hidden: true,
      onchange: () => {
        give([...chooser.files!]);
        // After this reset, a visitor can choose the same file again.
        chooser.value = '';
        field.focus();
      },
    });
    const key = { type: 'button', class: 'attach', 'aria-label': words.attach, onclick: () => chooser.click() };
    return h('span', {}, chooser, h('button', key, drawing(CLIP)));
  }

  function take(event: Event, data: DataTransfer | null): void {
    if (!onFiles || !data || data.files.length === 0) return;
    event.preventDefault();
    onFiles([...data.files]);
  }

  function send(event: Event): void {
    event.preventDefault();
    const text = storable(field.value);
    if (text === '' || !onSend(text)) return;
    clear();
    field.focus();
  }

  function clear(): void {
    field.value = '';
    grow();
  }

  /** The field grows with its text and follows the text's direction. The placeholder has the direction of the chat. */
  function grow(): void {
    field.dir = field.value === '' ? dir : 'auto';
    field.style.setProperty('block-size', 'auto');
    field.style.setProperty('block-size', `${Math.max(42, field.scrollHeight + 2)}px`);
  }

  return { form, clear, focus: () => field.focus() };
}
