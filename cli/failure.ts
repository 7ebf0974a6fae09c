/**
 * The error of a command that failed. The member `code` is a problem code of the server (contract/problems.ts) or one
 * of the command line's own codes. The member `message` explains the failure and its remedy to the person who typed the
 * command.
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

/** A refusal of the server, with the server's own text. */
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

/** The exit codes of the command line, which docs/cli.md documents. */
export const EXIT_FAILED = 1;
/** The access token is unknown, expired or revoked, so a new token is necessary. */
export const EXIT_TOKEN_REFUSED = 3;
/** The access token is valid, but its verbs do not allow the command. */
export const EXIT_TOKEN_TOO_NARROW = 4;
/** Tests of an agent failed, or a replay differs. */
export const EXIT_TESTS_FAILED = 5;
/** The model would receive a request that is not in the recording. */
export const EXIT_NOT_RECORDED = 6;
/** The exit code after Ctrl-C is 128 + SIGINT, as in shells. */
export const EXIT_INTERRUPTED = 130;
