/**
 * Returns a rough upper estimate of the tokens that a text needs. Every model counts tokens differently, so the
 * estimate is high. In English, a token has about four letters, and the estimate assumes three. In other scripts, each
 * letter counts as a token.
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
