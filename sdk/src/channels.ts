import { type CallOptions, path, type Transport, type WriteOptions } from './transport.ts';
import type { AcceptedMessage, Channel, ChannelList, ChannelMessage, SendMessage } from './wire.ts';

/** Sends messages that your backend writes. */
export class Channels {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(agent: string, options: CallOptions = {}): Promise<Channel[]> {
    return (await this.#transport.json<ChannelList>('GET', path`/api/channels/${agent}`, options)).data;
  }

  /**
   * The promise resolves when the message is stored. The method `message` and the events `message.*` have the later
   * state of the message.
   */
  send(agent: string, channel: string, message: SendMessage, options: WriteOptions = {}): Promise<AcceptedMessage> {
    return this.#transport.json('POST', path`/api/channels/${agent}/${channel}/messages`, {
      ...options,
      body: message,
    });
  }

  message(agent: string, channel: string, message: string, options: CallOptions = {}): Promise<ChannelMessage> {
    return this.#transport.json('GET', path`/api/channels/${agent}/${channel}/messages/${message}`, options);
  }
}
