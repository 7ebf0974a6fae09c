/** Converts digits to ASCII digits, because Arabic and Persian keyboards type other digits than JSON has. */
export const latinDigits = (typed: string): string =>
  typed
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
    .replaceAll('\u066b', '.');

/** Returns the number in a text field. NaN if the field is empty or its text is not a number. */
export const typedNumber = (typed: string): number =>
  typed.trim() === '' ? Number.NaN : Number(latinDigits(typed.trim()));
