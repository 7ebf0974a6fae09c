/** Matches a variable in a text for which a saved reply had no value. */
const VARIABLE = /\{\{[^{}\n]{1,100}\}\}/;
const VARIABLES = new RegExp(VARIABLE, 'g');

export const missingValues = (text: string): string[] => [
  ...new Set([...text.matchAll(VARIABLES)].map(([written]) => written)),
];

/** Matches a shortcut of a saved reply at the end of the text, which Enter would send unchanged. */
export const shortcutAtEnd = (text: string): string[] => text.match(/(?<=^|\s)\/\S*$/) ?? [];

/**
 * Selects the first variable, so that typing replaces it. If the text has no variable, the caret moves to `otherwise`.
 */
export function selectMissing(field: HTMLTextAreaElement | null, otherwise?: number): void {
  if (!field) return;
  field.focus();
  const found = VARIABLE.exec(field.value);
  if (found) field.setSelectionRange(found.index, found.index + found[0].length);
  else if (otherwise !== undefined) field.setSelectionRange(otherwise, otherwise);
}
