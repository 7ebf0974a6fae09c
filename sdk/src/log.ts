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
  /** The code of the failure. Null: the attempt succeeded. */
  code: ParleyErrorCode | null;
  /** Identifies the call in the server's log. */
  requestId: string | null;
  milliseconds: number;
  /** The pause before the next attempt in milliseconds. Null: no further attempt follows. */
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
