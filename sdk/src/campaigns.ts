import { type Rows, upload } from './batches.ts';
import { List, type Page, type PageOptions } from './pages.ts';
import { type CallOptions, path, type Transport, type WriteOptions } from './transport.ts';
import type { Campaign, PushedRecipients, PushRecipients, PushResult, Recipient, RecipientInput } from './wire.ts';

export type PushOptions = WriteOptions & {
  dedupe?: PushRecipients['dedupe'] | undefined;
  /**
   * The client calls this function with the result of each recipient as soon as it is known, and `index` counts all
   * recipients.
   */
  onResult?: ((result: PushResult, recipient: RecipientInput) => void) | undefined;
  /** The number of recipients per call, at most 1,000. */
  batchSize?: number | undefined;
};
export type PushCounts = Omit<PushedRecipients, 'results'>;

const MAX_BATCH = 1_000;
const COUNTED = { pending: 'accepted', duplicate: 'duplicates', suppressed: 'suppressed', invalid: 'invalid' } as const;

/** The calls of a campaign need the campaign's own key. */
export class Campaigns {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(campaign: string, options: CallOptions = {}): Promise<Campaign> {
    return this.#transport.json('GET', path`/api/campaigns/${campaign}`, options);
  }

  /**
   * Adds recipients from any iterable: an array, a generator, rows of a file or a database. With your own
   * `idempotencyKey`, the same rows and the same `batchSize`, a second run after a crash has no second effect.
   */
  async push(
    campaign: string,
    recipients: Rows<RecipientInput>,
    { onResult, batchSize = MAX_BATCH, idempotencyKey, dedupe, ...options }: PushOptions = {},
  ): Promise<PushCounts> {
    const counts: PushCounts = { accepted: 0, duplicates: 0, suppressed: 0, invalid: 0 };
    const at = path`/api/campaigns/${campaign}/recipients`;
    const results = upload<RecipientInput, PushResult>({
      rows: recipients,
      size: Math.min(batchSize, MAX_BATCH),
      idempotencyKey,
      send: async (batch, key) => {
        const body = { recipients: batch, ...(dedupe && { dedupe }) };
        return (await this.#transport.json<PushedRecipients>('POST', at, { ...options, idempotencyKey: key, body }))
          .results;
      },
      refused: (index, fault, { ref = null }) => ({
        index,
        ref,
        recipient_id: null,
        status: 'invalid',
        reason: fault.code,
        errors: [fault],
      }),
    });
    for await (const [result, recipient] of results) {
      counts[COUNTED[result.status]]++;
      onResult?.(result, recipient);
    }
    return counts;
  }

  /** Lists the recipients, newest first. The filter `ref` finds a recipient by your own name for it. */
  recipients(
    campaign: string,
    {
      limit,
      cursor,
      status,
      ref,
      ...options
    }: PageOptions & { status?: Recipient['status'] | undefined; ref?: string | undefined } = {},
  ): List<Recipient> {
    const query = { limit, status, ref };
    const read = (at?: string): Promise<Page<Recipient>> =>
      this.#transport.json('GET', path`/api/campaigns/${campaign}/recipients`, {
        ...options,
        query: { ...query, cursor: at },
      });
    return new List(read, cursor);
  }

  recipient(campaign: string, recipient: string, options: CallOptions = {}): Promise<Recipient> {
    return this.#transport.json('GET', path`/api/campaigns/${campaign}/recipients/${recipient}`, options);
  }

  cancelRecipient(campaign: string, recipient: string, options: CallOptions = {}): Promise<Recipient> {
    return this.#transport.json('DELETE', path`/api/campaigns/${campaign}/recipients/${recipient}`, options);
  }

  pause(campaign: string, options: WriteOptions = {}): Promise<Campaign> {
    return this.#transport.json('POST', path`/api/campaigns/${campaign}/pause`, options);
  }

  resume(campaign: string, options: WriteOptions = {}): Promise<Campaign> {
    return this.#transport.json('POST', path`/api/campaigns/${campaign}/resume`, options);
  }
}
