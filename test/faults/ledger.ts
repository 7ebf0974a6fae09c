import type { Node } from './node.ts';
import type { Tenant } from './region.ts';
import { request } from './http-client.ts';

/**
 * The ledger is the client's record on its own monotonic clock: every call with its start and end, every revoke with
 * the time of its response. The checker (check.ts) compares the ledger with the database.
 */
export type Call = {
  node: string;
  /** The index of the key among the keys of the tenant. */
  key: number;
  kind: 'trigger' | 'me';
  start: number;
  end: number;
  /** The status is 0 if the connection was refused, and null if the outcome is unknown. */
  status: number | null;
  code: string | null;
  error: string | null;
  retryAfter: string | null;
  runId: string | null;
  idempotencyKey: string | null;
};

export type Revoke = {
  key: number;
  node: string;
  requestedAt: number;
  /** The time of the response "revoked", or null while there is no response. */
  answeredAt: number | null;
  /** The first response to the revoke, or the reason why there was none. */
  answer: string;
};

export type Ledger = { calls: Call[]; revokes: Revoke[] };

export const isAccepted = ({ status }: Call): boolean => status !== null && status >= 200 && status < 300;
/** True if the server may have executed the call. */
export const isUnknown = ({ status, code }: Call): boolean => status === null || code === 'outcome_unknown';

export const triggerPath = ({ agentId, triggerId }: Tenant): string => `/api/triggers/${agentId}/${triggerId}`;

/** Makes one call and records it in the ledger. */
export async function call(
  ledger: Ledger,
  tenant: Tenant,
  node: Node,
  key: number,
  kind: Call['kind'],
  idempotencyKey: string | null = null,
): Promise<Call> {
  const authorization = `Bearer ${tenant.keys[key]!.value}`;
  const start = performance.now();
  const answer =
    kind === 'me'
      ? await request(`${node.url}/api/me`, { headers: { authorization } })
      : await request(node.url + triggerPath(tenant), {
          method: 'POST',
          headers: { authorization, ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }) },
          body: { metadata: { call: idempotencyKey ?? '', key: String(key) } },
        });
  const made: Call = {
    node: node.name,
    key,
    kind,
    start,
    end: performance.now(),
    status: answer.status,
    code: answer.body?.code ?? null,
    error: answer.error,
    retryAfter: answer.headers['retry-after'] ?? null,
    runId: kind === 'trigger' && answer.status === 202 ? answer.body.id : null,
    idempotencyKey,
  };
  ledger.calls.push(made);
  return made;
}
