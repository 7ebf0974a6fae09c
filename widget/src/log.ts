import { h } from './dom.ts';
import { lineView, messageView, type MessageTools, waitingView } from './message-view.ts';
import type { Shown } from './conversation.ts';

/** If the view is at most this far from the newest message, it follows new messages. */
const NEAR_END_PX = 80;

/** The content before the visitor's first message. `ask`: sends a suggestion as a message of the visitor. */
export type First = { greeting: string; suggestions: readonly string[]; ask(text: string): void };
type Wanted = { id: string; key: string; make: () => HTMLLIElement };

/** Shows the list of messages, and the button that loads older messages. */
export function createLog(first: First, tools: MessageTools, loadEarlier: () => Promise<void>) {
  const { words } = tools.speech;
  const more = h('button', { type: 'button', class: 'more', hidden: true, onclick: earlier }, words.earlier);
  const failure = h('span', { class: 'bad', role: 'status' });
  const list = h('ol');
  const log = h('div', { class: 'log', role: 'log', tabindex: '0', 'aria-label': words.log }, more, failure, list);
  const update = createUpdate(list);
  // Screen readers read the complete message, not each part of it.
  const bubble = h('div', { class: 'bubble', dir: 'auto' });
  const writing = h('li', { class: 'said writing', 'aria-hidden': 'true' }, bubble);
  const toEnd = (): void => {
    log.scrollTop = log.scrollHeight;
  };

  function earlier(): void {
    const before = log.scrollHeight - log.scrollTop;
    more.disabled = true;
    failure.textContent = '';
    loadEarlier()
      .then(() => {
        log.scrollTop = log.scrollHeight - before;
        if (more.hidden) log.focus();
        return null;
      })
      .catch(() => {
        failure.textContent = words.earlier_failed;
      })
      .finally(() => {
        more.disabled = false;
      });
  }

  return {
    element: log,
    toEnd,
    draw(shown: Shown): void {
      const { state, loaded } = shown;
      const nearEnd = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_END_PX;
      const wanted = wantedOf(shown, first, tools);
      // Screen readers do not announce old messages one by one.
      log.setAttribute('aria-busy', String(!loaded && state !== 'offline' && state !== 'closed'));
      update(wanted);
      if (shown.words === '') writing.remove();
      else if (!writing.isConnected) list.append(writing);
      bubble.textContent = shown.words;
      if (nearEnd) toEnd();
      more.hidden = !shown.hasMore;
      if (more.hidden) failure.textContent = '';
    },
  };
}

/** Returns the entries that the list should show, in order. An entry with an unchanged key is not drawn again. */
function wantedOf(
  { messages, waiting, state, loaded, hasMore, readUntil }: Shown,
  first: First,
  tools: MessageTools,
): Wanted[] {
  const { greeting, suggestions } = first;
  // The greeting and suggestions are shown only if the visitor certainly has no messages, so that a returning visitor
  // never sees them for a moment.
  const firstNew = firstNewOf(messages, readUntil);
  const isNew = loaded && messages.length === 0 && waiting.length === 0;
  return [
    ...(!hasMore && (loaded || messages.length === 0)
      ? [
          {
            id: 'greeting',
            key: '',
            make: () => h('li', { class: 'said' }, h('div', { class: 'bubble', dir: 'auto' }, greeting)),
          },
        ]
      : []),
    ...(isNew && suggestions.length > 0
      ? [{ id: 'suggestions', key: '', make: () => suggestionsView(first, tools) }]
      : []),
    ...messages.flatMap((message, index) => {
      const isLast = index === messages.length - 1 && waiting.length === 0;
      const id = message.client_id ?? message.id;
      const isAnswer = messages.slice(0, index).some(({ role }) => role === 'end_user');
      // Only choices look different in the last position of the list. The scores of a survey look the same in every
      // position.
      const isKey = message.content.type === 'choices' && message.rating?.kind !== 'survey';
      const key = isKey ? `${message.id} ${isLast}` : message.id;
      return [
        ...linesBefore(message, messages.slice(0, index), { firstNew, words: tools.speech.words }),
        { id, key, make: () => messageView(message, tools, { isLast, isAnswer }) },
      ];
    }),
    ...waiting.map((one) => {
      const online = state === 'online' || state === 'connecting';
      return {
        id: one.client_id,
        key: `${online} ${one.failed} ${one.sent}`,
        make: () => waitingView(one, tools, online),
      };
    }),
  ];
}

/** Returns the first message that was new when the chat was opened, if the visitor had read earlier messages. */
function firstNewOf(messages: Shown['messages'], readUntil: string | null): string | undefined {
  if (readUntil === null) return undefined;
  return messages.find(({ id, role }) => role !== 'end_user' && id > readUntil)?.id;
}

type Around = { firstNew: string | undefined; words: MessageTools['speech']['words'] };

function linesBefore(
  message: Shown['messages'][number],
  before: Shown['messages'],
  { firstNew, words }: Around,
): Wanted[] {
  const { id, author } = message;
  // A message of the visitor between two answers does not mean that another author joined.
  const latest = before.findLast(({ role }) => role !== 'end_user')?.author;
  const lines = [
    ...(id === firstNew && before.length > 0 ? [{ id: 'new', text: words.new_messages }] : []),
    ...(author && author !== latest
      ? [{ id: `joined ${id}`, text: words.joined.replace('{name}', () => author) }]
      : []),
  ];
  return lines.map((line) => ({ id: line.id, key: line.text + id, make: () => lineView(line.text) }));
}

function suggestionsView({ suggestions, ask }: First, { speech: { words } }: MessageTools): HTMLLIElement {
  const keys = suggestions.map((text) => h('button', { type: 'button', dir: 'auto', onclick: () => ask(text) }, text));
  return h(
    'li',
    { class: 'said' },
    h('div', { class: 'choices', role: 'group', 'aria-label': words.suggestions }, ...keys),
  );
}

/** Only changed entries are updated, so a screen reader announces only new entries and an opened source stays open. */
function createUpdate(list: HTMLElement): (wanted: readonly Wanted[]) => void {
  const drawn = new Map<string, { key: string; node: HTMLLIElement }>();
  return (wanted) => {
    const shown = new Set(wanted.map(({ id }) => id));
    for (const [id, { node }] of drawn) {
      if (shown.has(id)) continue;
      node.remove();
      drawn.delete(id);
    }
    let previous: Element | null = null;
    for (const { id, key, make } of wanted) {
      const known = drawn.get(id);
      let node = known?.node;
      if (!node || known!.key !== key) {
        const fresh = make();
        node?.replaceWith(fresh);
        node = fresh;
      }
      drawn.set(id, { key, node });
      const place: Element | null = previous ? previous.nextElementSibling : list.firstElementChild;
      if (place !== node) list.insertBefore(node, place);
      previous = node;
    }
  };
}
