import type { ParleyErrorCode } from './errors.ts';

/** One attempt of a call, for your own log. */
export type LogEntry = {
  method: string;
  /** Without the query, which may contain an address of a person. */
  path: string;
  /** From 1. */
  attempt: number;
  /** 0: no response. */
  status: number;
  /** Why the attempt failed; null: it did not fail. */
  code: ParleyErrorCode | null;
  /** Names the call in the log of the server. */
  requestId: string | null;
  milliseconds: number;
  /** The pause before the next attempt in milliseconds; null: this was the last attempt. */
  retryIn: number | null;
};

/** A log that fails must not fail a call that the server has accepted. */
export function writeLog(log: ((entry: LogEntry) => void) | undefined, entry: LogEntry): void {
  try {
    log?.(entry);
  } catch {
    // The fault is in the log of the caller.
  }
}
