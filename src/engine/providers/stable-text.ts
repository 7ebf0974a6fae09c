import { MAX_MESSAGE_CHARACTERS } from '../../../contract/limits.ts';
import { storableText } from '../../kernel/storable.ts';
import type { Passage, Words } from '../provider.ts';
import { withoutMarkers } from './cite-passages.ts';

/**
 * Passes the text of a model to a reader while it arrives. The final answer loses its citation markers and the spaces
 * around it (cite-passages.ts), so a piece is shown only when later pieces cannot change it. The beginning of a marker,
 * spaces, and half of a character are shown only after the next piece. The shown text is always a beginning of the
 * stored message.
 */
export type StableText = { add(text: string): void; takeBack(): void };

/**
 * A text with more characters is not a marker. If more text than this is undecided, it is shown only when the answer is
 * complete.
 */
const MAX_UNDECIDED_CHARACTERS = 1_000;

/**
 * Matches a marker, or the beginning of a marker, at the end of the text. If a `(` follows the marker, the text is a
 * link.
 */
const BEGUN_MARKER = /^[[【][ \t]*(?:\p{Nd}[\p{Nd} \t,،;]*[\]】]?)?$/u;

/** `passages`: the passages so far, to which searches of the model may add during the turn. */
export function createStableText(words: Words, passages: () => readonly Passage[]): StableText {
  let undecided = '';
  /**
   * Text whose end the next piece may change, because spaces at the end are left out, and half of a character needs the
   * other half.
   */
  let pending = '';
  let shown = 0;

  return {
    add(text) {
      undecided += text;
      if (undecided.length - text.length > MAX_UNDECIDED_CHARACTERS || shown >= MAX_MESSAGE_CHARACTERS) return;
      const end = endOfDecided(undecided);
      const more = pending + withoutMarkers(undecided.slice(0, end), passages());
      undecided = undecided.slice(end);
      const decided = shown === 0 ? more.trimStart() : more;
      const last = decided.trimEnd().length;
      const ready = decided.slice(0, isFirstHalf(decided.charCodeAt(last - 1)) ? last - 1 : last);
      pending = decided.slice(ready.length);
      const next = ready.slice(0, MAX_MESSAGE_CHARACTERS - shown);
      if (next === '') return;
      shown += next.length;
      words.add(storableText(next));
    },
    takeBack() {
      undecided = '';
      pending = '';
      if (shown > 0) words.takeBack();
      shown = 0;
    },
  };
}

function endOfDecided(text: string): number {
  let end = text.length;
  if (isFirstHalf(text.charCodeAt(end - 1))) end--;
  const open = Math.max(text.lastIndexOf('[', end - 1), text.lastIndexOf('【', end - 1));
  if (open >= 0 && BEGUN_MARKER.test(text.slice(open, end))) end = open;
  while (end > 0 && ' \t\u00a0'.includes(text[end - 1]!)) end--;
  return end;
}

const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
