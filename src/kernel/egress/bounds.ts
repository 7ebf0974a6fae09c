import { EgressError } from './egress-error.ts';

export type EgressBounds = {
  /** The time limit from the start of the call to the last byte of the answer. */
  timeoutMs?: number;
  /** The maximum size of the answer's body. For `fetch`, the limit applies to the size after decompression. */
  maxBytes?: number;
};

/** The time is long enough for a webhook or a tool. */
export const EGRESS_TIMEOUT_MS = 15_000;
export const EGRESS_MAX_BYTES = 64 * 1024;

export const tooLarge = (): EgressError =>
  new EgressError('egress_too_large', 'The response is larger than the limit for this call.');
