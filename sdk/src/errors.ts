import type { Fault, Problem } from './wire.ts';

/** The codes of the server, and three for calls that got no answer of the server. */
export type ParleyErrorCode = Problem['code'] | 'connection_failed' | 'timed_out' | 'response_invalid';

type Facts<Code> = {
  code: Code;
  detail: string;
  /** 0: no response. */
  status?: number;
  requestId?: string | null;
  /** Calls made, retries included. */
  attempts?: number;
  problem?: Problem | null;
  cause?: unknown;
};

/** Every failed call throws this error; `code` says which one, `requestId` names the call in the log of the server. */
export class ParleyError<Code extends ParleyErrorCode = ParleyErrorCode> extends Error {
  readonly code: Code;
  readonly status: number;
  readonly requestId: string | null;
  readonly attempts: number;
  /** The complete body of the error, with its page of help in `type`. */
  readonly problem: Problem | null;

  constructor({ code, detail, status = 0, requestId = null, attempts = 1, problem = null, cause }: Facts<Code>) {
    super(`${code}: ${detail}`, { cause });
    this.name = 'ParleyError';
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.attempts = attempts;
    this.problem = problem;
  }

  /** Each fault of the body with its JSON pointer, for `validation_failed`. */
  get errors(): readonly Fault[] {
    return this.problem?.errors ?? [];
  }

  /** Narrows the type: `if (error.is('rate_limited')) …`. */
  is<Wanted extends ParleyErrorCode>(...codes: Wanted[]): this is ParleyError<Wanted> {
    return (codes as ParleyErrorCode[]).includes(this.code);
  }
}

/** Whether it is an error of this library, and, with codes, one of them. */
export const isParleyError = <Wanted extends ParleyErrorCode = ParleyErrorCode>(
  error: unknown,
  ...codes: Wanted[]
): error is ParleyError<Wanted> => error instanceof ParleyError && (codes.length === 0 || error.is(...codes));
