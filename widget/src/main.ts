import type { ChatAppearance, OpenChatSession } from '../../contract/chat.ts';
import { createClient } from './client.ts';
import { createConnection } from './connection.ts';
import { createConversation } from './conversation.ts';
import { storable } from './storable-text.ts';
import { openKept } from './stored-state.ts';
import { createView, type ViewActions, type ViewOptions } from './view.ts';
import { chooseSpeech } from './texts.ts';

/** The server inserts this value before the script (src/http/chat/widget-script.ts). */
declare const PARLEY_CHAT: ChatAppearance;

/** The functions that the page can call, such as `parleyChat.open()`. */
type ParleyChat = {
  open(): void;
  close(): void;
  /** Identifies a person who is signed in on the page. The page's own server creates the hash (docs/web-chat.md). */
  identify(person: { externalId: string; userHash: string; name?: string }): void;
  /** Call this function after the person has signed out. */
  reset(): void;
};

const ELEMENT = 'parley-chat';
/** A page in the background closes its stream after this time, because browsers allow few connections to one server. */
const HIDDEN_MS = 30_000;
/** A copy of the contract's limit, because an import would bundle the schema library. */
const MAX_NAME_CHARACTERS = 200;

const tag = document.currentScript;

function start(script: HTMLScriptElement): void {
  const { dataset } = script;
  const base = script.src.replace(/\/widget\.js.*$/, '');
  const options = { ...optionsOf(dataset), server: new URL(base).origin };
  const { speech, isPage } = options;
  const host = document.createElement(ELEMENT);
  if (isPage) {
    document.documentElement.lang = speech.language;
    document.documentElement.dir = speech.dir;
  }

  let talk: ReturnType<typeof begin>;
  const view = createView(host, options, { toggle: (open) => toggle(open, true), ...actsOn(() => talk.conversation) });

  /** Creates the state of one person. A sign-in or sign-out resets the state. */
  function begin(person: OpenChatSession) {
    const who = person.external_id ?? '';
    const stored = openKept(`parley.chat.${PARLEY_CHAT.channel_id}.${who}`, () => {
      // After a sign-out on another page, this page starts with the next visitor.
      if (client.isReplaced() && stored.read().token === undefined) return become(person);
      if (client.isReplaced()) connection.restart();
      conversation.change();
    });
    const client = createClient(base, stored, { ...person, ...localeOf(speech.locale) });
    const conversation = createConversation(client, stored, (shown) => view.draw(shown));
    const connection = createConnection(client, {
      onReady: conversation.load,
      onMessages: conversation.take,
      onWords: conversation.hear,
      onState: conversation.setState,
    });
    const wanted = (): boolean => view.isOpen() || stored.read().talked === true || person.external_id !== undefined;
    return {
      person,
      storage: stored,
      conversation,
      connection,
      /**
       * The widget is connected only if messages can arrive, because the chat is open or the person has a conversation.
       */
      connect: () => {
        if (wanted() && navigator.onLine) connection.start();
        conversation.look(view.isOpen() && document.visibilityState === 'visible');
      },
      end: () => {
        conversation.stop();
        connection.stop();
        stored.close();
      },
    };
  }

  function toggle(open: boolean, moveFocus: boolean): void {
    view.open(open, moveFocus);
    talk.connect();
  }

  /** `isNew`: no earlier visitor of this browser may be continued, signed in or not. */
  const become = (person: OpenChatSession, isNew = false): void => {
    talk.end();
    if (isNew || !isSame(talk.person, person)) view.forget();
    if (isNew) talk.storage.forget();
    talk = begin(person);
    if (isNew) talk.storage.forget();
    talk.connect();
  };

  talk = begin(personOf(dataset));
  document.body.append(host);

  let hiding: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiding);
    if (document.visibilityState === 'hidden') hiding = setTimeout(() => talk.connection.stop(), HIDDEN_MS);
    talk.connect();
  });
  addEventListener('online', () => {
    talk.connect();
    talk.connection.hurry();
  });
  addEventListener('offline', () => talk.connection.cut());

  const parleyChat: ParleyChat = {
    open: () => toggle(true, true),
    close: () => toggle(false, false),
    identify: (person) => become(personOf(person)),
    reset: () => become({}, true),
  };
  Object.assign(globalThis, { parleyChat });
  if (isPage || dataset['open'] !== undefined) toggle(true, false);
  else talk.connect();
}

/**
 * True if the chat continues with the same person, who may be a visitor who signs in. After a sign-out on another page,
 * `next` is the same object as `before`, and the next visitor may be another person.
 */
const isSame = (before: OpenChatSession, next: OpenChatSession): boolean =>
  before !== next && (before.external_id === undefined || before.external_id === next.external_id);

/** The conversation changes when another person signs in on the page. */
const actsOn = (now: () => ReturnType<typeof createConversation>): Omit<ViewActions, 'toggle'> => ({
  say: (text) => now().say(text),
  sendFile: (file) => now().sendFile(file),
  rate: (rated) => now().rate(rated),
  sayAgain: (name) => now().sayAgain(name),
  earlier: () => now().loadEarlier(),
});

/** Attributes of the script tag override the settings of the dashboard. */
function optionsOf({ page, language, color, position, theme }: DOMStringMap): Omit<ViewOptions, 'server'> {
  return {
    appearance: {
      ...PARLEY_CHAT,
      ...(/^#[0-9a-f]{6}$/i.test(color ?? '') && { color: color! }),
      ...((position === 'start' || position === 'end') && { position }),
    },
    speech: chooseSpeech(language),
    isPage: page !== undefined,
    theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
  };
}

type Told = { externalId?: string; userHash?: string; name?: string };
function personOf({ externalId, userHash, name }: Told): OpenChatSession {
  const shown = name ? storable(name.slice(0, MAX_NAME_CHARACTERS)) : '';
  return {
    ...(externalId && userHash && { external_id: externalId, user_hash: userHash }),
    ...(shown && { name: shown }),
  };
}

/** Converts the language of the page to the form that the server accepts, because a page may contain any text. */
function localeOf(tag: string): { locale?: string } {
  try {
    return { locale: Intl.getCanonicalLocales(tag)[0]!.slice(0, 35) };
  } catch {
    return {};
  }
}

// Starts the widget once, even if the tag is repeated, and not if the channel is turned off.
if (tag instanceof HTMLScriptElement && PARLEY_CHAT.enabled && !document.querySelector(ELEMENT)) {
  if (document.body) start(tag);
  else addEventListener('DOMContentLoaded', () => start(tag), { once: true });
}
