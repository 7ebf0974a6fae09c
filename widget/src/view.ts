import type { ChatAppearance } from '../../contract/chat.ts';
import type { Shown } from './conversation.ts';
import { drawing, h } from './dom.ts';
import { messageView, type MessageTools, waitingView } from './message-view.ts';
import { readableOn, style } from './style.ts';
import type { Speech } from './words.ts';

export type ViewOptions = {
  appearance: ChatAppearance;
  speech: Speech;
  /** The chat is the page. */
  isPage: boolean;
  theme: 'light' | 'dark' | 'auto';
};
export type ViewActions = {
  toggle(open: boolean): void;
  /** False: it cannot be taken now. */
  say(text: string): boolean;
  sayAgain(name: string): void;
  earlier(): Promise<void>;
};

const BUBBLE = 'M4 5h16v11H9l-5 4z';
const CROSS = 'M6 6l12 12M18 6L6 18';
const PLANE = 'M3 20l18-8L3 4v6l11 2-11 2z';
const MAX_BADGE = 99;
/** MAX_VISITOR_CHARACTERS of the contract, whose values would bring the schema library along. */
const MAX_CHARACTERS = 4_000;
/** Nearer than this to the newest message: new ones are followed. */
const NEAR_END_PX = 80;

type Wanted = { id: string; key: string; make: () => HTMLLIElement };

/** What a person sees and presses. Draws what it is told and knows nothing of servers. */
export function createView(host: HTMLElement, { appearance, speech, isPage, theme }: ViewOptions, act: ViewActions) {
  const { words } = speech;
  const own = appearance.translations[speech.language];
  const title = own?.title || appearance.title || words.title;
  const greeting = own?.greeting || appearance.greeting || words.greeting;

  const badge = h('span', { class: 'badge', 'aria-hidden': 'true', hidden: true });
  const launcher = h(
    'button',
    { type: 'button', class: 'launcher', 'aria-expanded': 'false', onclick: () => act.toggle(!isOpen()) },
    drawing(BUBBLE),
    badge,
  );
  const heading = h('h2', { dir: 'auto', tabindex: '-1', id: 'title' }, title);
  const close = h(
    'button',
    { type: 'button', class: 'close', 'aria-label': words.close, onclick: () => act.toggle(false) },
    drawing(CROSS),
  );
  const more = h('button', { type: 'button', class: 'more', hidden: true, onclick: earlier }, words.earlier);
  const list = h('ol');
  const log = h('div', { class: 'log', role: 'log', tabindex: '0', 'aria-label': words.log }, more, list);
  const dots = h('div', { class: 'dots', role: 'status' });
  const notice = h('div', { class: 'notice', role: 'status', hidden: true });
  const field = h('textarea', {
    rows: '1',
    dir: speech.dir,
    'aria-label': words.message,
    placeholder: words.placeholder,
    maxlength: String(MAX_CHARACTERS),
    enterkeyhint: 'send',
    oninput: grow,
    onkeydown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      send();
    },
  });
  const form = h(
    'form',
    {
      onsubmit: (event: Event) => {
        event.preventDefault();
        send();
      },
    },
    field,
    h('button', { type: 'submit', class: 'send', 'aria-label': words.send }, drawing(PLANE)),
  );
  const panel = h(
    'section',
    { class: 'panel', role: isPage ? 'region' : 'dialog', 'aria-labelledby': 'title', hidden: true },
    h('div', { class: 'head' }, heading, isPage ? null : close),
    log,
    dots,
    notice,
    form,
  );
  const arrived = h('div', { class: 'hidden', role: 'status' });
  const root = h(
    'div',
    { class: `root ${appearance.position}${isPage ? ' page' : ''}`, dir: speech.dir, lang: speech.language },
    ...(isPage ? [panel] : [launcher, panel, arrived]),
  );
  root.style.setProperty('--accent', appearance.color);
  root.style.setProperty('--on-accent', readableOn(appearance.color));
  root.addEventListener('keydown', keys);

  const shadow = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  shadow.adoptedStyleSheets = [sheet];
  shadow.append(root);

  const dark = matchMedia('(prefers-color-scheme: dark)');
  const paint = (): unknown => root.classList.toggle('dark', theme === 'dark' || (theme === 'auto' && dark.matches));
  paint();
  dark.addEventListener('change', paint);

  const isOpen = (): boolean => !panel.hidden;
  const narrow = matchMedia('(max-width: 480px)');
  const tools: MessageTools = { speech, say, sayAgain: act.sayAgain };
  const drawn = new Map<string, { key: string; node: HTMLLIElement }>();
  let unreadBefore = 0;

  function say(text: string): void {
    if (act.say(text)) return;
    notice.textContent = words.full;
    notice.hidden = false;
  }

  function send(): void {
    // Half of a character and NUL can be typed, but not stored.
    const text = field.value.replace(/[\p{Cs}\0]/gu, '').trim();
    if (text === '') return;
    say(text);
    field.value = '';
    grow();
    field.focus();
    log.scrollTop = log.scrollHeight;
  }

  /** As high as its words, and in their direction; the placeholder runs as the chat does. */
  function grow(): void {
    field.dir = field.value === '' ? speech.dir : 'auto';
    field.style.setProperty('block-size', 'auto');
    field.style.setProperty('block-size', `${Math.max(42, field.scrollHeight + 2)}px`);
  }

  function earlier(): void {
    const before = log.scrollHeight - log.scrollTop;
    more.disabled = true;
    act
      .earlier()
      .then(() => {
        log.scrollTop = log.scrollHeight - before;
        if (more.hidden) log.focus();
        return null;
      })
      .catch(() => {})
      .finally(() => {
        more.disabled = false;
      });
  }

  /** Escape closes; where the chat covers the page, the focus stays in it. */
  function keys(event: KeyboardEvent): void {
    if (isPage || !isOpen()) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      act.toggle(false);
    } else if (event.key === 'Tab' && narrow.matches) {
      const stops = [...panel.querySelectorAll<HTMLElement>('button, a, textarea, summary, [tabindex="0"]')].filter(
        (one) => one.checkVisibility?.() ?? true,
      );
      const edge = event.shiftKey ? stops[0] : stops.at(-1);
      if (shadow.activeElement !== edge && shadow.activeElement !== heading) return;
      event.preventDefault();
      (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
    }
  }

  /** Only what changed is touched: a screen reader reads what is added, and an opened source stays open. */
  function drawMessages({ messages, waiting, state, loaded, hasMore }: Shown): void {
    const nearEnd = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_END_PX;
    const wanted: Wanted[] = [
      ...(!hasMore && (loaded || messages.length === 0)
        ? [
            {
              id: 'greeting',
              key: '',
              make: () => h('li', { class: 'said' }, h('div', { class: 'bubble', dir: 'auto' }, greeting)),
            },
          ]
        : []),
      ...messages.map((message, index) => {
        const isLast = index === messages.length - 1 && waiting.length === 0;
        const id = message.client_id ?? message.id;
        // Being last matters to choices alone.
        const key = message.content.type === 'choices' ? `${message.id} ${isLast}` : message.id;
        return { id, key, make: () => messageView(message, tools, isLast) };
      }),
      ...waiting.map((one) => {
        const online = state === 'online' || state === 'connecting';
        return { id: one.client_id, key: `${online} ${one.failed}`, make: () => waitingView(one, tools, online) };
      }),
    ];
    // History is not read out piece by piece.
    log.setAttribute('aria-busy', String(!loaded && state !== 'offline' && state !== 'closed'));
    const kept = new Set(wanted.map(({ id }) => id));
    for (const [id, { node }] of drawn) {
      if (kept.has(id)) continue;
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
    if (nearEnd) log.scrollTop = log.scrollHeight;
  }

  return {
    draw(shown: Shown): void {
      drawMessages(shown);
      more.hidden = !shown.hasMore;
      dots.textContent = shown.typing ? words.typing : '';
      const { state } = shown;
      const says = state === 'offline' ? words.offline : state === 'closed' ? words.closed : '';
      if (notice.textContent !== says) notice.textContent = says;
      notice.hidden = says === '';
      const { unread } = shown;
      badge.hidden = unread === 0;
      badge.textContent = unread > MAX_BADGE ? `${MAX_BADGE}+` : String(unread);
      if (unread > unreadBefore && !isOpen()) arrived.textContent = words.arrived;
      else if (unread === 0) arrived.textContent = '';
      unreadBefore = unread;
      const label = isOpen() ? words.close : words.open;
      const count = unread > 0 ? ` (${words.unread.replace('{n}', String(unread))})` : '';
      launcher.setAttribute('aria-label', label + count);
    },
    open(now: boolean, moveFocus: boolean): void {
      if (now === isOpen()) return;
      panel.hidden = !now;
      root.classList.toggle('open', now);
      launcher.setAttribute('aria-expanded', String(now));
      if (narrow.matches && now && !isPage) panel.setAttribute('aria-modal', 'true');
      else panel.removeAttribute('aria-modal');
      if (now) log.scrollTop = log.scrollHeight;
      if (!moveFocus) return;
      // On a phone the keyboard would cover what is to be read first.
      if (now) (matchMedia('(pointer: coarse)').matches ? heading : field).focus();
      else launcher.focus();
    },
    isOpen,
    close: () => dark.removeEventListener('change', paint),
  };
}
