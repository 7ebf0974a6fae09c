/** Most agents answer faster than this, but members who took over often write later. */
const TYPING_MS = 30_000;

/**
 * Shows the unfinished text of the agent's next message. The preview is not stored, because the final message arrives
 * complete.
 */
export function createMessagePreview() {
  let words = '';
  let typingUntil = 0;
  /** True: the visitor has written again, so the agent stops and starts again. */
  let isStopped = false;
  return {
    shown: () => ({ words, typing: typingUntil > Date.now() }),
    /** Marks that an answer is expected. Returns the milliseconds until the mark expires. */
    await: () => {
      typingUntil = Date.now() + TYPING_MS;
      return TYPING_MS + 50;
    },
    end: () => {
      typingUntil = 0;
    },
    /** Adds a part of the text, or replaces the whole text. */
    hear: (text: string, replaces: boolean) => {
      if (replaces) isStopped = false;
      words = isStopped ? '' : replaces ? text : words + text;
    },
    stop: () => {
      if (words !== '') isStopped = true;
      words = '';
    },
    /**
     * This function is called when the message has arrived or the stream has ended. A new stream sends the whole text
     * again.
     */
    forget: () => {
      words = '';
      isStopped = false;
    },
  };
}
