import { type Rows, upload } from './batches.ts';
import { isParleyError } from './errors.ts';
import { List, type Page, type PageOptions } from './pages.ts';
import { type CallOptions, path, type Transport, type WriteOptions } from './transport.ts';
import type {
  BulkResult,
  BulkResults,
  CreateEndUser,
  EndUser,
  EndUserConversation,
  EndUserExport,
  Message,
  SearchEndUsers,
  SetConsent,
  UpdateEndUser,
  UpsertEndUser,
} from './wire.ts';

export type EndUserFilter = {
  external_id?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  updated_after?: string | undefined;
};
export type BulkOptions = WriteOptions & {
  /** The client calls this function with the result of each row as soon as it is known, and `index` counts all rows. */
  onResult?: ((result: BulkResult, row: CreateEndUser) => void) | undefined;
  /** The number of rows per call, at most 500. */
  batchSize?: number | undefined;
};
export type BulkCounts = { created: number; updated: number; invalid: number };

const MAX_BATCH = 500;

/** The people that your agents talk to. */
export class EndUsers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(fields: CreateEndUser, options: WriteOptions = {}): Promise<EndUser> {
    return this.#transport.json('POST', '/api/end-users', { ...options, body: fields });
  }

  /** Creates or updates the person with your own ID. Absent fields do not change, and null removes a value. */
  upsert(externalId: string, fields: UpsertEndUser, options: CallOptions = {}): Promise<EndUser> {
    return this.#transport.json('PUT', path`/api/end-users/external/${externalId}`, { ...options, body: fields });
  }

  /**
   * Upserts any number of people from any iterable, 500 per call. The result of an invalid row is an error, and all
   * other rows are written. With your own `idempotencyKey`, the same rows and the same `batchSize`, a second run after
   * a crash has no second effect.
   */
  async bulk(
    rows: Rows<CreateEndUser>,
    { onResult, batchSize = MAX_BATCH, idempotencyKey, ...options }: BulkOptions = {},
  ): Promise<BulkCounts> {
    const counts: BulkCounts = { created: 0, updated: 0, invalid: 0 };
    const results = upload<CreateEndUser, BulkResult>({
      rows,
      size: Math.min(batchSize, MAX_BATCH),
      idempotencyKey,
      send: async (batch, key) => {
        const request = { ...options, idempotencyKey: key, body: { end_users: batch } };
        return (await this.#transport.json<BulkResults>('POST', '/api/end-users/bulk', request)).results;
      },
      refused: (index, fault) => ({ index, status: 'invalid', id: null, errors: [fault] }),
    });
    for await (const [result, row] of results) {
      counts[result.status]++;
      onResult?.(result, row);
    }
    return counts;
  }

  get(id: string, options: CallOptions = {}): Promise<EndUser> {
    return this.#transport.json('GET', path`/api/end-users/${id}`, options);
  }

  /** Lists people, newest first. */
  list({
    limit,
    cursor,
    external_id,
    email,
    phone,
    updated_after,
    ...options
  }: PageOptions & EndUserFilter = {}): List<EndUser> {
    const query = { limit, external_id, email, phone, updated_after };
    const read = (at?: string): Promise<Page<EndUser>> =>
      this.#transport.json('GET', '/api/end-users', { ...options, query: { ...query, cursor: at } });
    return new List(read, cursor);
  }

  /** Finds people, newest first: `query` matches the start of words, and `filter` matches exact values. */
  search({ cursor, ...search }: SearchEndUsers, options: CallOptions = {}): List<EndUser> {
    const read = (at?: string): Promise<Page<EndUser>> =>
      this.#transport.json('POST', '/api/end-users/search', { ...options, body: { ...search, cursor: at } });
    return new List(read, cursor);
  }

  update(id: string, fields: UpdateEndUser, options: CallOptions = {}): Promise<EndUser> {
    return this.#transport.json('PATCH', path`/api/end-users/${id}`, { ...options, body: fields });
  }

  /** Erases the person with all conversations, messages and runs, which cannot be undone. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    try {
      await this.#transport.json('DELETE', path`/api/end-users/${id}`, options);
    } catch (error) {
      // An earlier attempt has already erased the person, and only its response was lost.
      if (!isParleyError(error, 'end_user_not_found') || error.attempts === 1) throw error;
    }
  }

  setConsent(id: string, channelKind: string, consent: SetConsent, options: CallOptions = {}): Promise<EndUser> {
    return this.#transport.json('PUT', path`/api/end-users/${id}/consent/${channelKind}`, {
      ...options,
      body: consent,
    });
  }

  conversations(id: string, { limit, cursor, ...options }: PageOptions = {}): List<EndUserConversation> {
    const read = (at?: string): Promise<Page<EndUserConversation>> =>
      this.#transport.json('GET', path`/api/end-users/${id}/conversations`, {
        ...options,
        query: { limit, cursor: at },
      });
    return new List(read, cursor);
  }

  messages(id: string, conversation: string, { limit, cursor, ...options }: PageOptions = {}): List<Message> {
    const at = path`/api/end-users/${id}/conversations/${conversation}/messages`;
    const read = (after?: string): Promise<Page<Message>> =>
      this.#transport.json('GET', at, { ...options, query: { limit, cursor: after } });
    return new List(read, cursor);
  }

  /** Returns all stored data about the person. */
  export(id: string, options: CallOptions = {}): Promise<EndUserExport> {
    return this.#transport.json('GET', path`/api/end-users/${id}/export`, options);
  }
}
