import type { ChatMessage } from '../../contract/chat.ts';
import { h } from './dom.ts';
import { type Rate, surveyView, thumbsView } from './rating-view.ts';
import type { Waiting } from './stored-state.ts';
import type { Speech } from './texts.ts';

export type MessageTools = {
  speech: Speech;
  /** The origin of Parley's server. */
  server: string;
  say(text: string): void;
  sayAgain(name: string): void;
  rate: Rate;
  /** True: the visitor can rate answers. */
  thumbs: boolean;
};

/** The place of a message in the list. `isAnswer`: true if the visitor wrote before the message. */
export type Place = { isLast: boolean; isAnswer: boolean };

/**
 * Creates the view of one message. The text of people is inserted as text. Only http and https addresses become links.
 */
export function messageView(message: ChatMessage, tools: MessageTools, { isLast, isAnswer }: Place): HTMLLIElement {
  const { speech } = tools;
  const { rating } = message;
  const isRated = tools.thumbs && isAnswer && rating?.kind === 'answer' && message.content.type !== 'choices';
  const { words } = speech;
  const mine = message.role === 'end_user';
  const { author } = message;
  const team = author ? `${author}:` : words.member;
  const who = mine ? words.you : message.role === 'member' ? team : words.agent;
  return h(
    'li',
    { class: mine ? 'said mine' : 'said', 'data-id': message.id },
    h('div', { class: 'bubble', dir: 'auto' }, hidden(`${who} `), ...contentOf(message, tools)),
    rating?.kind === 'survey' ? surveyView(message, tools) : choicesOf(message, tools, isLast),
    sourcesOf(message, speech),
    h(
      'div',
      { class: 'facts' },
      author ? h('bdi', { 'aria-hidden': 'true' }, author) : null,
      timeOf(message.created_at, speech),
      isRated ? thumbsView(message, tools) : null,
    ),
  );
}

export function waitingView(
  one: Waiting,
  { speech: { words }, sayAgain }: MessageTools,
  online: boolean,
): HTMLLIElement {
  const state = one.failed
    ? [
        h('span', { class: 'bad' }, words.failed),
        h('button', { type: 'button', onclick: () => sayAgain(one.client_id) }, words.again),
      ]
    : [online ? words.sending : words.waiting, ...progressOf(one)];
  return h(
    'li',
    { class: 'said mine', 'data-waiting': one.client_id },
    h('div', { class: 'bubble', dir: 'auto' }, hidden(`${words.you} `), ...linked(one.text)),
    h('div', { class: 'facts' }, ...state),
  );
}

/** Creates a text for screen readers. With a direction of its own, the text does not decide that of the message. */
const hidden = (text: string): HTMLElement => h('span', { class: 'hidden', dir: 'auto' }, text);

/** Creates a line between messages, which says who joined, or where the new messages begin. */
export const lineView = (text: string): HTMLLIElement => h('li', { class: 'line', dir: 'auto' }, text);

function progressOf({ sent }: Waiting): (Node | string)[] {
  if (sent === undefined) return [];
  const percent = Math.round(sent * 100);
  return [h('progress', { max: '100', value: String(percent) }), `${percent}%`];
}

function contentOf({ content }: ChatMessage, { server, speech: { words } }: MessageTools): (Node | string)[] {
  switch (content.type) {
    case 'text':
    case 'choices':
      return linked(content.text);
    case 'location': {
      const place = `${content.latitude},${content.longitude}`;
      const url = `https://www.openstreetmap.org/?mlat=${content.latitude}&mlon=${content.longitude}`;
      return [...captioned(content.text), linkTo(url, `${words.location} (${place})`)];
    }
    case 'image':
    case 'audio':
    case 'video':
    case 'file': {
      const name = content.type === 'file' && content.name ? content.name : words[content.type];
      // Stored files are requested from the server address that this page uses.
      const place = OURS.exec(content.url)?.[1];
      const url = place === undefined ? content.url : server + place;
      const link = linkTo(url, name);
      // A picture from another server would load without a click and reveal the visitor to this server.
      const isShown = content.type === 'image' && place !== undefined && link instanceof HTMLElement;
      if (isShown) link.replaceChildren(picture(url, name));
      return [...captioned(content.text), link];
    }
    default:
      return linked(content.text ?? '');
  }
}

const OURS = /^https?:\/\/[^/]+(\/attachments\/org_\w{26}\/attachment_\w{26}\/[\w-]{32}\/[\w.-]+)$/;

/** If the policy of the page forbids pictures of the server, the name of the file is shown. */
function picture(url: string, name: string): HTMLElement {
  const shown = h('img', { src: url, alt: name, onerror: () => shown.replaceWith(name) });
  return shown;
}

const captioned = (text: string | undefined): (Node | string)[] => (text ? [...linked(text), '\n'] : []);

const ADDRESS = /https?:\/\/[^\s<>"'\u2068\u2069]+/gi;

/** Creates plain text in which URLs are links. */
function linked(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = found.replace(/[.,;:!?)\]}،؛؟।]+$/u, '');
    parts.push(text.slice(at, index), linkTo(address, address));
    at = index + address.length;
  }
  parts.push(text.slice(at));
  return parts;
}

function linkTo(address: string, label: string): Node | string {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return label;
  return h('a', { href: address, target: '_blank', rel: 'noopener noreferrer nofollow', dir: 'auto' }, label);
}

/** Only the newest question can still be answered with a button. */
function choicesOf({ content }: ChatMessage, { say }: MessageTools, isLast: boolean): HTMLElement | null {
  if (content.type !== 'choices') return null;
  const keys = content.choices.map(({ label }) =>
    h('button', { type: 'button', dir: 'auto', disabled: !isLast, onclick: () => say(label) }, label),
  );
  return isLast ? h('div', { class: 'choices', role: 'group' }, ...keys) : null;
}

function sourcesOf({ sources }: ChatMessage, { words }: Speech): HTMLElement | null {
  if (sources.length === 0) return null;
  const entries = sources.map(({ document: name, quote }) =>
    h('li', {}, h('b', { dir: 'auto' }, name), h('blockquote', { dir: 'auto' }, quote)),
  );
  return h(
    'details',
    {},
    h('summary', {}, words.sources.replace('{n}', String(sources.length))),
    h('ul', {}, ...entries),
  );
}

function timeOf(at: string, { locale, language }: Speech): HTMLElement {
  const time = new Date(at);
  const sameDay = time.toDateString() === new Date().toDateString();
  const how: Intl.DateTimeFormatOptions = sameDay
    ? { timeStyle: 'short' }
    : { dateStyle: 'medium', timeStyle: 'short' };
  let text: string;
  try {
    text = time.toLocaleString(locale, how);
  } catch {
    // The page may declare an invalid language.
    text = time.toLocaleString(language, how);
  }
  return h('time', { datetime: at }, text);
}
