import type { Fault, Problem } from './wire.ts';

/** The codes of the server, with three codes for calls without a valid response of the server. */
export type ParleyErrorCode = Problem['code'] | 'connection_failed' | 'timed_out' | 'response_invalid';

type Facts<Code> = {
  code: Code;
  detail: string;
  /** The status is 0 if there was no response. */
  status?: number;
  headers?: Headers | null;
  requestId?: string | null;
  /** The number of attempts, including the first attempt. */
  attempts?: number;
  problem?: Problem | null;
  cause?: unknown;
};

/**
 * Every failed call throws this error. The field `code` is the reason, and `requestId` identifies the call in the
 * server's log.
 */
export class ParleyError<Code extends ParleyErrorCode = ParleyErrorCode> extends Error {
  readonly code: Code;
  readonly status: number;
  /** The headers of the response, or null without a response. */
  readonly headers: Headers | null;
  readonly requestId: string | null;
  readonly attempts: number;
  /** The complete body of the error. The link `type` in the body leads to the help page of the error. */
  readonly problem: Problem | null;

  constructor({
    code,
    detail,
    status = 0,
    headers = null,
    requestId = null,
    attempts = 1,
    problem = null,
    cause,
  }: Facts<Code>) {
    super(`${code}: ${detail}${firstFault(problem?.errors)}`, { cause });
    this.name = 'ParleyError';
    this.code = code;
    this.status = status;
    this.headers = headers;
    this.requestId = requestId;
    this.attempts = attempts;
    this.problem = problem;
  }

  /** Lists each fault of the body with its JSON pointer, for the code `validation_failed`. */
  get errors(): readonly Fault[] {
    return this.problem?.errors ?? [];
  }

  /** Narrows the type of an error, as in `if (error.is('rate_limited')) …`. */
  is<Wanted extends ParleyErrorCode>(...codes: Wanted[]): this is ParleyError<Wanted> {
    return (codes as ParleyErrorCode[]).includes(this.code);
  }
}

function firstFault([first, ...more]: readonly Fault[] = []): string {
  if (!first) return '';
  return ` ${first.pointer || 'The body'}: ${first.detail}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
}

/** True for an error of this library. With codes, the result is true only for an error with one of these codes. */
export const isParleyError = <Wanted extends ParleyErrorCode = ParleyErrorCode>(
  error: unknown,
  ...codes: Wanted[]
): error is ParleyError<Wanted> => error instanceof ParleyError && (codes.length === 0 || error.is(...codes));
