import type { CallOptions, Transport } from './transport.ts';
import type { ClientToken, NewClientToken } from './wire.ts';

/** Creates tokens for web pages, which `@parley/sdk/browser` uses. */
export class ClientTokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Call `create` in your backend, after it has identified the person. The page must never see the API key. */
  create(token: NewClientToken, options: CallOptions = {}): Promise<ClientToken> {
    return this.#transport.json('POST', '/api/client-tokens', { ...options, body: token });
  }
}
