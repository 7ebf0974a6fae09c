/**
 * A command that did not do what was asked. `code` is a problem code of the server (contract/problems.ts) or one of
 * the command line's own below; `message` is for the person who typed, one or a few sentences with the cure.
 */
export type OwnCode =
  | 'usage_invalid'
  | 'confirmation_required'
  | 'terminal_required'
  | 'config_unusable'
  | 'file_unreadable'
  | 'import_failed'
  | 'server_unreachable'
  | 'server_too_slow'
  | 'server_not_parley'
  | 'organization_missing'
  | 'organization_ambiguous'
  | 'session_missing'
  | 'second_factor_required'
  | 'channel_check_failed'
  | 'mcp_server_failed'
  | 'sync_failed'
  | 'tests_failed'
  | 'replay_differs'
  | 'answers_not_recorded';

export class Failure extends Error {
  readonly code: string;

  constructor(code: OwnCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Failure';
    this.code = code;
  }
}

/** What the server refused, in its own words. */
export class Refused extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number, message: string) {
    super(message);
    this.name = 'Refused';
    this.code = code;
    this.status = status;
  }
}

/** Exit codes, documented in docs/cli.md. */
export const EXIT_FAILED = 1;
/** The access token is unknown, expired or revoked: another one is needed. */
export const EXIT_TOKEN_REFUSED = 3;
/** The access token works, but not for this. */
export const EXIT_TOKEN_TOO_NARROW = 4;
/** Tests of an agent ran, and some failed; or a replay differs. */
export const EXIT_TESTS_FAILED = 5;
/** The model would be asked something that was not recorded. */
export const EXIT_NOT_RECORDED = 6;
/** 128 + SIGINT, as shells count. */
export const EXIT_INTERRUPTED = 130;
