/** Converts digits to those of JSON and numbers: Arabic and Persian keyboards type other digits. */
export const latinDigits = (typed: string): string =>
  typed
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
    .replaceAll('\u066b', '.');
