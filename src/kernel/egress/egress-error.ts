export type EgressCode = 'egress_refused' | 'egress_timeout' | 'egress_unreachable' | 'egress_too_large';

/**
 * An outgoing call that brought no answer. The message is a sentence that may be shown to the person who gave the
 * URL: it holds neither the URL nor what its name resolved to (that would answer questions about the inner network).
 */
export class EgressError extends Error {
  readonly code: EgressCode;

  constructor(code: EgressCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'EgressError';
    this.code = code;
  }
}
