import type { LiveDeltas } from './live-deltas.ts';
import type { DeltaChange } from './watched-topics.ts';

/**
 * Passes deltas to one reader, in step with the stored messages that reach the reader in another way: earlier messages
 * come first, and after a message its deltas end.
 */
export type DeltaFollower = {
  /** The reader has all messages until now. From now on, the reader gets deltas. */
  open(): void;
  /** The reader gets a message of the agent. `text`: sent as deltas if no deltas were shown. */
  endMessage(text?: string): void;
  leave(): void;
};

export function followDeltas(
  liveDeltas: Pick<LiveDeltas, 'follow'>,
  topic: string,
  send: (event: 'delta' | 'replace', text: string) => void,
): DeltaFollower {
  let isOpen = false;
  let early = '';
  let isShown = false;
  const show = (event: 'delta' | 'replace', text: string): void => {
    isShown = text !== '';
    send(event, text);
  };
  let current = '';
  let finished = '';
  const onChange = ({ turn, text, replaces, isStored }: DeltaChange): void => {
    current = turn;
    if (!isOpen) early = replaces ? text : early + text;
    else if (!isStored && turn !== finished) show(replaces ? 'replace' : 'delta', text);
  };
  const leave = liveDeltas.follow(topic, onChange);
  return {
    open: () => {
      if (isOpen) return;
      isOpen = true;
      if (early !== '') show('replace', early);
    },
    endMessage: (text = '') => {
      if (!isShown && text !== '') show('delta', text);
      isShown = false;
      if (isOpen) finished = current;
    },
    leave,
  };
}
