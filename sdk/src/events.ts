import { List, type Page } from './pages.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { EventType, WebhookEvent } from './webhooks.ts';

export type EventOptions<Type extends EventType = EventType> = CallOptions & {
  /**
   * The ID of the last event that you have, or a time. Without `after`, the list starts with the oldest event, 30 days
   * ago.
   */
  after?: string | undefined;
  type?: Type | undefined;
  /** The number of events per page, at most 100. */
  limit?: number | undefined;
};

/** Lists past events, oldest first, for a backend that was not reachable. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list<Type extends EventType = EventType>({ after: from, type, limit, ...options }: EventOptions<Type> = {}): List<
    WebhookEvent<Type>
  > {
    return new List(
      (after) =>
        this.#transport.json<Page<WebhookEvent<Type>>>('GET', '/api/events', {
          ...options,
          query: { after, type, limit },
        }),
      from,
    );
  }
}
