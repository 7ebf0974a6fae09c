/** Longer than agents usually think; people who took over do not write at once. */
const TYPING_MS = 30_000;

/** What the agent has written of its next message. It is only shown: the message itself comes whole. */
export function createWriting() {
  let words = '';
  let typingUntil = 0;
  /** The person has written: the agent stops, and begins again. */
  let isStopped = false;
  return {
    shown: () => ({ words, typing: typingUntil > Date.now() }),
    /** The agent will answer; returns when it is no longer expected, in milliseconds from now. */
    await: () => {
      typingUntil = Date.now() + TYPING_MS;
      return TYPING_MS + 50;
    },
    end: () => {
      typingUntil = 0;
    },
    /** More of it, or all of it instead of what came before. */
    hear: (text: string, replaces: boolean) => {
      if (replaces) isStopped = false;
      words = isStopped ? '' : replaces ? text : words + text;
    },
    stop: () => {
      if (words !== '') isStopped = true;
      words = '';
    },
    /** The message is there, or the stream is gone; a new stream sends all words again. */
    forget: () => {
      words = '';
      isStopped = false;
    },
  };
}
