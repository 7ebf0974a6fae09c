import { Approvals } from './approvals.ts';
import { Campaigns } from './campaigns.ts';
import { Channels } from './channels.ts';
import { ClientTokens } from './client-tokens.ts';
import { EndUsers } from './end-users.ts';
import { Events } from './events.ts';
import type { ParleyOptions } from './options.ts';
import { type CallOptions, type Request, Transport } from './transport.ts';
import { Runs, Triggers } from './triggers.ts';
import type { Health, LeakReport, Me, Ready } from './wire.ts';

export { isParleyError, ParleyError, type ParleyErrorCode } from './errors.ts';
export {
  type EventType,
  type WebhookEvent,
  type WebhookHeaders,
  webhooks,
  WebhookVerificationError,
} from './webhooks.ts';
export type { BulkCounts, BulkOptions, EndUserFilter } from './end-users.ts';
export type { PushCounts, PushOptions } from './campaigns.ts';
export type { ApprovalOptions, DecisionOptions } from './approvals.ts';
export type { EventOptions } from './events.ts';
export type { List, Page, PageOptions } from './pages.ts';
export type { RunEvent } from './stream.ts';
export type { LogEntry } from './log.ts';
export type { ParleyOptions } from './options.ts';
export type { CallOptions, ResponseInfo, WriteOptions } from './transport.ts';
export type { ResultFields, RunRef, RunWith, StartedRun, StartOptions } from './triggers.ts';
export {
  accepted,
  type Later,
  later,
  reply,
  type Turn,
  type TurnHandler,
  type TurnReply,
  turns,
  type TurnsOptions,
} from './turns.ts';
export type { NodeRequest, NodeResponse } from './turn-servers.ts';
export type * from './wire.ts';

/** The client of the public API of one Parley server, with one API key. */
export class Parley {
  readonly triggers: Triggers;
  readonly runs: Runs;
  readonly channels: Channels;
  readonly clientTokens: ClientTokens;
  readonly endUsers: EndUsers;
  readonly campaigns: Campaigns;
  readonly events: Events;
  readonly approvals: Approvals;
  readonly #transport: Transport;

  constructor(options: ParleyOptions) {
    this.#transport = new Transport(options);
    this.triggers = new Triggers(this.#transport);
    this.runs = new Runs(this.#transport);
    this.channels = new Channels(this.#transport);
    this.clientTokens = new ClientTokens(this.#transport);
    this.endUsers = new EndUsers(this.#transport);
    this.campaigns = new Campaigns(this.#transport);
    this.events = new Events(this.#transport);
    this.approvals = new Approvals(this.#transport);
  }

  /** Returns the API key's own record with its permissions. */
  me(options: CallOptions = {}): Promise<Me> {
    return this.#transport.json('GET', '/api/me', options);
  }

  health(options: CallOptions = {}): Promise<Health> {
    return this.#transport.json('GET', '/api/health', options);
  }

  ready(options: CallOptions = {}): Promise<Ready> {
    return this.#transport.json('GET', '/ready', options);
  }

  openapi(options: CallOptions = {}): Promise<Record<string, unknown>> {
    return this.#transport.json('GET', '/api/openapi.json', options);
  }

  /** Revokes keys that were found in public. The call to revoke keys needs no key itself. */
  async reportLeakedKeys(report: LeakReport, options: CallOptions = {}): Promise<void> {
    await this.#transport.json('POST', '/api/keys/leaked', { ...options, body: report });
  }

  /** Calls any route, with the same retries and errors as the other methods. Encode the IDs in `path` yourself. */
  request<T>(method: string, path: string, request: Request = {}): Promise<T> {
    return this.#transport.json<T>(method, path, request);
  }

  /** Like `request`, but returns the response of `fetch` with its unread body. */
  raw(method: string, path: string, request: Request = {}): Promise<Response> {
    return this.#transport.open(method, path, request);
  }
}
