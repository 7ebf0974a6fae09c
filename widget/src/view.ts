import type { ChatAppearance } from '../../contract/chat.ts';
import type { Shown } from './conversation.ts';
import { drawing, h } from './dom.ts';
import { createField } from './input-field.ts';
import { createLauncher } from './launcher.ts';
import { createLog } from './log.ts';
import type { Rate } from './rating-view.ts';
import { readableOn, style } from './style.ts';
import type { Speech } from './texts.ts';

export type ViewOptions = {
  appearance: ChatAppearance;
  speech: Speech;
  /** True: the page shows only the chat. */
  isPage: boolean;
  theme: 'light' | 'dark' | 'auto';
  /** The origin of Parley's server. The server's origin differs from the origin of the page. */
  server: string;
};
export type ViewActions = {
  toggle(open: boolean): void;
  /** Returns false if the message cannot be accepted now. */
  say(text: string): boolean;
  /** Returns false if the file is empty or too large. */
  sendFile(file: File): boolean;
  rate: Rate;
  sayAgain(name: string): void;
  earlier(): Promise<void>;
};

const CROSS = 'M6 6l12 12M18 6L6 18';

/** Draws the visible chat and its buttons. The view draws the given state and makes no calls to the server. */
export function createView(host: HTMLElement, options: ViewOptions, act: ViewActions) {
  const { appearance, speech, isPage, server } = options;
  const { words } = speech;
  const { title, greeting, suggestions } = textsOf(appearance, speech);

  const launcher = createLauncher(speech, () => act.toggle(!isOpen()));
  const notice = h('div', { class: 'notice', role: 'status', hidden: true });
  const { say, sendFiles, setOutage } = createSending(notice, words, act);
  const { sayAgain, rate } = act;
  const tools = { speech, server, say, sayAgain, rate, thumbs: appearance.thumbs };
  const log = createLog({ greeting, suggestions, ask }, tools, act.earlier);
  const field = createField(speech, {
    onSend: (text) => {
      const isAccepted = say(text);
      log.toEnd();
      return isAccepted;
    },
    onFiles: appearance.files ? sendFiles : null,
  });
  const heading = h('h2', { dir: 'auto', tabindex: '-1', id: 'title' }, title);
  const close = h(
    'button',
    { type: 'button', class: 'close', 'aria-label': words.close, onclick: () => act.toggle(false) },
    drawing(CROSS),
  );
  const dots = h('div', { class: 'dots', role: 'status' });
  const panel = h(
    'section',
    { class: 'panel', role: isPage ? 'region' : 'dialog', 'aria-labelledby': 'title', hidden: true },
    h('div', { class: 'head' }, avatarOf(appearance), heading, isPage ? null : close),
    log.element,
    dots,
    notice,
    field.form,
  );
  const root = createRoot(host, options, isPage ? [panel] : [launcher.button, panel, launcher.arrived]);
  const narrow = matchMedia('(max-width: 480px)');
  // If the chat covers the page, the focus stays in the chat.
  root.addEventListener('keydown', (event) => {
    if (isPage || !isOpen()) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      act.toggle(false);
    } else if (event.key === 'Tab' && narrow.matches) keepFocusIn(panel, heading, event);
  });
  const isOpen = (): boolean => !panel.hidden;

  /** The focused button disappears, so the focus must move first. */
  function ask(text: string): void {
    say(text);
    log.toEnd();
    focusIn();
  }

  /** On a phone, the keyboard would cover the messages. */
  const focusIn = (): void => (matchMedia('(pointer: coarse)').matches ? heading : field).focus();

  return {
    draw(shown: Shown): void {
      log.draw(shown);
      dots.textContent = shown.typing ? words.typing : '';
      const { state } = shown;
      setOutage(state === 'offline' ? words.offline : state === 'closed' ? words.closed : '');
      launcher.tell(shown.unread, isOpen());
    },
    open(now: boolean, moveFocus: boolean): void {
      if (now === isOpen()) return;
      panel.hidden = !now;
      root.classList.toggle('open', now);
      launcher.button.setAttribute('aria-expanded', String(now));
      if (narrow.matches && now && !isPage) panel.setAttribute('aria-modal', 'true');
      else panel.removeAttribute('aria-modal');
      if (now) log.toEnd();
      if (!moveFocus) return;
      if (now) focusIn();
      else launcher.button.focus();
    },
    isOpen,
    /** Removes unfinished text, which the next person must not see. */
    forget: field.clear,
  };
}

/** Sends messages. The notice shows why the latest input was not accepted, and an outage. */
function createSending(notice: HTMLElement, words: Speech['words'], act: ViewActions) {
  let outage = '';
  let refusal = '';
  const draw = (): void => {
    const text = [refusal, outage].filter(Boolean).join(' ');
    if (notice.textContent !== text) notice.textContent = text;
    notice.hidden = text === '';
  };
  const report = (isAccepted: boolean, reason: string): boolean => {
    refusal = isAccepted ? '' : reason;
    draw();
    return isAccepted;
  };
  return {
    say: (text: string): boolean => report(act.say(text), words.full),
    sendFiles: (files: readonly File[]): boolean => report(files.map(act.sendFile).every(Boolean), words.file_size),
    setOutage: (text: string): void => {
      outage = text;
      draw();
    },
  };
}

/** A text in the language of the page, otherwise the text for all languages, otherwise the widget's own text. */
function textsOf({ translations, ...usual }: ChatAppearance, { language, words }: Speech) {
  const own = translations[language];
  return {
    title: own?.title || usual.title || words.title,
    greeting: own?.greeting || usual.greeting || words.greeting,
    suggestions: (own?.suggestions ?? usual.suggestions).filter((text) => text.trim() !== ''),
  };
}

/** The title next to the avatar has the name, so a screen reader can ignore the avatar. */
const avatarOf = ({ avatar }: ChatAppearance): HTMLElement | null =>
  avatar === '' ? null : h('span', { class: 'avatar', 'aria-hidden': 'true' }, avatar);

/** Isolated from the styles of the surrounding page. */
function createRoot(host: HTMLElement, { appearance, speech, isPage, theme }: ViewOptions, parts: Node[]): HTMLElement {
  const root = h(
    'div',
    { class: `root ${appearance.position}${isPage ? ' page' : ''}`, dir: speech.dir, lang: speech.language },
    ...parts,
  );
  root.style.setProperty('--accent', appearance.color);
  root.style.setProperty('--on-accent', readableOn(appearance.color));

  const shadow = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  shadow.adoptedStyleSheets = [sheet];
  shadow.append(root);

  const dark = matchMedia('(prefers-color-scheme: dark)');
  const paint = (): unknown => root.classList.toggle('dark', theme === 'dark' || (theme === 'auto' && dark.matches));
  paint();
  dark.addEventListener('change', paint);
  return root;
}

/**
 * Tab moves from the last element to the first, and Shift+Tab in the other direction. The heading has the focus when
 * the chat opens.
 */
function keepFocusIn(panel: HTMLElement, heading: HTMLElement, event: KeyboardEvent): void {
  const stops = [...panel.querySelectorAll<HTMLElement>('button, a, textarea, summary, [tabindex="0"]')].filter(
    (one) => one.checkVisibility?.() ?? true,
  );
  const edge = event.shiftKey ? stops[0] : stops.at(-1);
  const { activeElement } = panel.getRootNode() as ShadowRoot;
  if (activeElement !== edge && activeElement !== heading) return;
  event.preventDefault();
  (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
}
