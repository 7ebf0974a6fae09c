/**
 * One response has at most this many numbers, which are about a megabyte of JSON that the event loop parses in tens of
 * milliseconds.
 */
export const MAX_NUMBERS = 65_536;
const MAX_BATCH = 64;
/** The batch size while the number of dimensions is unknown. */
const FIRST_BATCH = 8;

/** Returns the number of texts that one call embeds. */
export const batchOf = (dimensions: number | null): number =>
  dimensions === null ? FIRST_BATCH : Math.max(1, Math.min(MAX_BATCH, Math.floor(MAX_NUMBERS / dimensions)));
