import type { LiveWords, WordsChange } from './live-deltas.ts';

/**
 * Words for one reader, in step with the stored messages that reach it in another way: earlier messages first, and
 * after a message nothing more of its words.
 */
export type FollowedWords = {
  /** The reader has all messages until now; from here on it gets words. */
  open(): void;
  /** The reader gets a message of the agent. `text`: sent as its words, if none of them were shown. */
  said(text?: string): void;
  leave(): void;
};

export function followWords(
  liveWords: Pick<LiveWords, 'follow'>,
  topic: string,
  send: (event: 'delta' | 'replace', text: string) => void,
): FollowedWords {
  let isOpen = false;
  let early = '';
  let isShown = false;
  const show = (event: 'delta' | 'replace', text: string): void => {
    isShown = text !== '';
    send(event, text);
  };
  let current = '';
  let finished = '';
  const onChange = ({ turn, text, replaces, isStored }: WordsChange): void => {
    current = turn;
    if (!isOpen) early = replaces ? text : early + text;
    else if (!isStored && turn !== finished) show(replaces ? 'replace' : 'delta', text);
  };
  const leave = liveWords.follow(topic, onChange);
  return {
    open: () => {
      if (isOpen) return;
      isOpen = true;
      if (early !== '') show('replace', early);
    },
    said: (text = '') => {
      if (!isShown && text !== '') show('delta', text);
      isShown = false;
      if (isOpen) finished = current;
    },
    leave,
  };
}
