/** Numbers in one answer: about a megabyte of JSON, which is read on the event loop in some ten milliseconds. */
export const MAX_NUMBERS = 65_536;
const MAX_BATCH = 64;
/** Before the dimensions are known. */
const FIRST_BATCH = 8;

/** How many texts one call embeds. */
export const batchOf = (dimensions: number | null): number =>
  dimensions === null ? FIRST_BATCH : Math.max(1, Math.min(MAX_BATCH, Math.floor(MAX_NUMBERS / dimensions)));
