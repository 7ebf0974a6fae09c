/** The expression that secret scanners look for (docs/key-format.md); one that checks the CRC as well has no false alarms. */
export const KEY_PATTERN = String.raw`\bparley_(us|eu|in|qa)_[0-9A-Za-z]{49}\b`;
/** The same for access tokens (docs/access-tokens.md). */
export const TOKEN_PATTERN = String.raw`\bparley_token_(us|eu|in|qa)_[0-9A-Za-z]{49}\b`;
