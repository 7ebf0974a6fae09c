/**
 * The maximum count of numbers in one response: about a megabyte of JSON, which the event loop parses in tens of
 * milliseconds.
 */
export const MAX_NUMBERS = 65_536;
const MAX_BATCH = 64;
/** The batch size before the dimensions are known. */
const FIRST_BATCH = 8;

/** How many texts one call sends for embedding. */
export const batchOf = (dimensions: number | null): number =>
  dimensions === null ? FIRST_BATCH : Math.max(1, Math.min(MAX_BATCH, Math.floor(MAX_NUMBERS / dimensions)));
