/**
 * The regular expression for secret scanners (docs/key-format.md). A scanner that also checks the CRC has no false
 * alarms.
 */
export const KEY_PATTERN = String.raw`\bparley_(us|eu|in|qa)_[0-9A-Za-z]{49}\b`;
