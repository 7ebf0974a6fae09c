import type { LiveDeltas } from './live-deltas.ts';
import type { DeltaChange } from './watched-topics.ts';

/**
 * Passes deltas to one reader in step with the stored messages: deltas come after earlier messages, and end with their
 * own message.
 */
export type DeltaFollower = {
  /**
   * Call this function when the reader has all stored messages. The reader gets deltas after this call.
   * `mayHaveMessage`: the reader may already have the message of a turn that has not ended, so the text that is shown
   * now is removed at the end of its turn.
   */
  open(mayHaveMessage?: boolean): void;
  /**
   * Call this function before the reader gets a message of the agent. `text`: the text of the message, sent as deltas
   * if no deltas were shown.
   */
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
  /** The turn whose message the reader may already have. */
  let joined = '';
  const onChange = ({ turn, text, replaces, isStored }: DeltaChange): void => {
    current = turn;
    if (!isOpen) early = replaces ? text : early + text;
    else if (isStored && isShown && turn === joined && turn !== finished) show('replace', '');
    else if (!isStored && turn !== finished) show(replaces ? 'replace' : 'delta', text);
  };
  const leave = liveDeltas.follow(topic, onChange);
  return {
    open: (mayHaveMessage = false) => {
      if (isOpen) return;
      isOpen = true;
      if (early === '') return;
      if (mayHaveMessage) joined = current;
      show('replace', early);
    },
    endMessage: (text = '') => {
      if (!isShown && text !== '') show('delta', text);
      isShown = false;
      if (isOpen) finished = current;
    },
    leave,
  };
}
