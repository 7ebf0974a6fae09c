export type EgressCode = 'egress_refused' | 'egress_timeout' | 'egress_unreachable' | 'egress_too_large';

/**
 * An outgoing call without an answer. The message is a sentence that the person who gave the URL may see. The message
 * contains neither the URL nor the resolved addresses, which would reveal the internal network.
 */
export class EgressError extends Error {
  readonly code: EgressCode;
  /** True only if the other side certainly read nothing of the request: no connection, no certificate, no name. */
  readonly neverConnected: boolean;

  constructor(code: EgressCode, message: string, options: { cause?: unknown; neverConnected?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.name = 'EgressError';
    this.code = code;
    this.neverConnected = options.neverConnected ?? false;
  }
}

/** The reason why no connection was made. The causes of an undici error contain this error. */
export class NotConnected extends Error {
  constructor(cause: unknown) {
    super('No connection was made.', { cause });
    this.name = 'NotConnected';
  }
}
