import type { ParleyErrorCode } from './errors.ts';

/** One attempt of a call, for your own log. */
export type LogEntry = {
  method: string;
  /** The path has no query, because a query may contain an address of a person. */
  path: string;
  /** The number of the attempt, which starts at 1. */
  attempt: number;
  /** The status is 0 if there was no response. */
  status: number;
  /** The code of the failure, or null if the attempt succeeded. */
  code: ParleyErrorCode | null;
  /** This ID identifies the call in the server's log. */
  requestId: string | null;
  milliseconds: number;
  /** The pause before the next attempt in milliseconds, or null if no attempt follows. */
  retryIn: number | null;
};

/** An error in the log function must not fail a call that the server has accepted. */
export function writeLog(log: ((entry: LogEntry) => void) | undefined, entry: LogEntry): void {
  try {
    log?.(entry);
  } catch {
    // The error comes from the caller's log function.
  }
}
