/**
 * Texts of any length that are expensive to read, match, render or index, and JSON where any JSON is allowed. An
 * attacker who wants to stop the server would send them.
 */
export type Filler = {
  name: string;
  text(characters: number): string;
  json?(): unknown;
  isProse?: true;
  isPattern?: true;
};

const repeated =
  (piece: string) =>
  (characters: number): string =>
    piece.repeat(Math.ceil(characters / piece.length)).slice(0, characters);

/** Half of a pattern is not a valid pattern. */
const whole =
  (text: string) =>
  (characters: number): string =>
    text.slice(0, characters);

const counted = (characters: number): string => {
  let text = '';
  for (let word = 0; text.length < characters; word++) text += `${word.toString(36)}x `;
  return text.slice(0, characters);
};

/** The server refuses deeper JSON everywhere. */
const DEEP = 22;
const deep = (): unknown => {
  let value: unknown = 1;
  for (let depth = 0; depth < DEEP; depth++) value = depth % 2 === 0 ? [value] : { a: value };
  return value;
};

export const FILLERS: readonly Filler[] = [
  { name: 'letters', isProse: true, text: repeated('a'), json: deep },
  // This character becomes eighteen letters where text is folded.
  { name: 'ligatures', isProse: true, text: repeated('\u{fdfa}') },
  { name: 'astral letters', text: repeated('\u{1d54f}'), json: () => Array.from({ length: 5_000 }, () => 0.1) },
  { name: 'short words', text: repeated('a 1. ') },
  { name: 'other words', isProse: true, text: counted },
  { name: 'nested groups', isPattern: true, text: whole(`${'('.repeat(7)}${'){100}'.repeat(7)}`) },
  { name: 'nested letters', isPattern: true, text: whole(`${'('.repeat(7)}a${'){100}'.repeat(7)}`) },
  { name: 'many states', isPattern: true, text: whole('(\\w\\w?\\w?\\w?){60}!') },
  { name: 'backtracking', isPattern: true, text: repeated('(a+)+$') },
  { name: 'classes', isPattern: true, text: whole(`[${'\\p{Ll}'.repeat(70)}]{100}`) },
  { name: 'variables', text: repeated('{{a}}') },
  { name: 'braces', text: repeated('{{') },
  { name: 'blanks in braces', text: (characters) => `{{a${' '.repeat(Math.max(0, characters - 5))}}}` },
  { name: 'markup', text: repeated('[](*_`<a ') },
  { name: 'table', isProse: true, text: repeated('|a|b\n|-|-\n') },
];
