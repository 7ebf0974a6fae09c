/**
 * How many tokens of a model a text takes at most, roughly: every model counts in its own way, so this errs on the safe
 * side. English takes about four letters a token and is counted with three; of other scripts each letter counts.
 */
export const estimateTokens = (text: string): number => {
  let thirds = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x20;
    thirds += isLetter ? 1 : code < 0x250 ? 2 : 3;
  }
  return Math.ceil(thirds / 3);
};
