/**
 * Matches controls and formats without a shape, which can reverse or hide a part of the text. The pattern excludes
 * joiners, because Persian texts and emojis need them.
 */
const INVISIBLE =
  // oxlint-disable-next-line eslint/no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * Returns a text in a form that a member can safely approve. The author of the text may be a stranger, and
 * `\u{202e}0001` would read as 1000. Characters without a shape are shown as escapes.
 */
export const shownText = (text: string): string =>
  text.replaceAll(INVISIBLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);

/** Returns the value of an argument, without quotation marks around a text. */
export const shownValue = (value: unknown): string =>
  shownText(typeof value === 'string' ? value : JSON.stringify(value));
