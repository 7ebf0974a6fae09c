export type EgressCode = 'egress_refused' | 'egress_timeout' | 'egress_unreachable' | 'egress_too_large';

/**
 * An outgoing call that brought no answer. The message is a sentence that may be shown to the person who gave the
 * URL: it holds neither the URL nor what its name resolved to (that would answer questions about the inner network).
 */
export class EgressError extends Error {
  readonly code: EgressCode;
  /** True where it is certain that nobody has read anything of the request: no connection, no certificate, no name. */
  readonly neverConnected: boolean;

  constructor(code: EgressCode, message: string, options: { cause?: unknown; neverConnected?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.name = 'EgressError';
    this.code = code;
    this.neverConnected = options.neverConnected ?? false;
  }
}

/** Why no connection was made; what undici makes of it holds it among its causes. */
export class NotConnected extends Error {
  constructor(cause: unknown) {
    super('No connection was made.', { cause });
    this.name = 'NotConnected';
  }
}
