/** Digits as JSON and numbers know them: Arabic and Persian keyboards type others. */
export const latinDigits = (typed: string): string =>
  typed
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
    .replaceAll('\u066b', '.');
