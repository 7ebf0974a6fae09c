import type { CallOptions, Transport } from './transport.ts';
import type { ClientToken, NewClientToken } from './wire.ts';

/** Tokens for web pages. `@parley/sdk/browser` uses them. */
export class ClientTokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Call this in your backend, after it has identified the person. The page must never see the API key. */
  create(token: NewClientToken, options: CallOptions = {}): Promise<ClientToken> {
    return this.#transport.json('POST', '/api/client-tokens', { ...options, body: token });
  }
}
