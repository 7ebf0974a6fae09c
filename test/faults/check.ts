import { type Call, isAccepted, isUnknown, type Ledger } from './ledger.ts';
import type { Region, Tenant } from './region.ts';
import { elapsedSince } from './stalls.ts';

/**
 * Compares the ledger with the guarantees and with the database. Each finding is one sentence, and an empty list is the
 * only good result. The checker does not know which fault was injected.
 */
export async function check(region: Region, tenant: Tenant, ledger: Ledger): Promise<string[]> {
  const found = new Findings();
  revokedAreRefused(ledger, found);
  refusalsAreTrue(ledger, found);
  const runs = await settledRuns(region, tenant, found);
  acceptedAreKept(ledger, runs, found);
  await revokesAreKept(region, tenant, ledger, found);
  await nothingWrittenAfterRevoke(region, tenant, found);
  return found.list();
}

/**
 * The guarantee for workers is that another worker takes over the work within 45 s. The time above 45 s is for the
 * take-over itself on a busy machine.
 */
const SETTLED_WITHIN_MS = 60_000;
/**
 * A statement that began before a revoke may wait for a lock and commit after the revoke, but a later statement may
 * not.
 */
const STATEMENT_MS = 2_000;

/** Counts findings by kind, because many findings of one kind contain no more information than the first. */
class Findings {
  readonly #counts = new Map<string, { first: string; count: number }>();
  add(kind: string, text: string): void {
    const known = this.#counts.get(kind);
    if (known) known.count++;
    else this.#counts.set(kind, { first: text, count: 1 });
  }
  list(): string[] {
    return [...this.#counts].map(([kind, { first, count }]) => `${kind} (${count} times): ${first}`);
  }
}

const describe = ({ node, kind, key, start, end, status, code, error }: Call): string =>
  `${kind} with key ${key} at ${node}, ${start.toFixed(1)} to ${end.toFixed(1)} ms: ${status} ${code ?? error ?? ''}`;

function revokedAreRefused({ calls, revokes }: Ledger, found: Findings): void {
  for (const revoke of revokes) {
    if (revoke.answeredAt === null) continue;
    for (const call of calls) {
      if (call.key === revoke.key && isAccepted(call) && call.start > revoke.answeredAt)
        found.add('accepted after "revoked"', `answered at ${revoke.answeredAt.toFixed(1)} ms; ${describe(call)}`);
    }
  }
}

/**
 * A fault may cause 401 for a key whose revoke was requested, 409 for a concurrent call with the same Idempotency-Key,
 * and 503 with Retry-After.
 */
function refusalsAreTrue({ calls, revokes }: Ledger, found: Findings): void {
  for (const call of calls) {
    const { status, code, retryAfter } = call;
    if (status === null || status === 0 || isAccepted(call)) continue;
    const isRevoked = revokes.some(({ key, requestedAt }) => key === call.key && requestedAt < call.end);
    const isTrue =
      (status === 401 && code === 'key_revoked' && isRevoked) ||
      (status === 409 && code === 'idempotency_in_progress') ||
      (status === 503 && (code === 'unavailable' || code === 'outcome_unknown') && retryAfter !== null);
    if (!isTrue) found.add(`untrue ${status} ${code}`, describe(call));
  }
}

type Run = { id: string; status: string; call: string | null; answers: number };

const OPEN = new Set(['queued', 'running', 'scheduled']);

async function settledRuns(region: Region, { orgId }: Tenant, found: Findings): Promise<Run[]> {
  const read = (): Promise<Run[]> =>
    region.rows(
      `SELECT r.id, r.status, r.input -> 'metadata' ->> 'call' AS call, coalesce(m.answers, 0) AS answers
       FROM run r LEFT JOIN (SELECT run_id, count(*)::int AS answers FROM message WHERE org_id = $1 AND role = 'agent'
         GROUP BY run_id) m ON m.run_id = r.id
       WHERE r.org_id = $1`,
      [orgId],
    );
  for (const from = performance.now(); elapsedSince(from).ms < SETTLED_WITHIN_MS;) {
    const [left] = await region.rows<{ open: number }>(
      `SELECT count(*)::int AS open FROM run WHERE org_id = $1 AND status = ANY ($2)`,
      [orgId, [...OPEN]],
    );
    if (left!.open === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const runs = await read();
  for (const { id, status, answers } of runs) {
    if (status !== 'waiting_for_user') found.add(`run ended as ${status}`, id);
    else if (answers !== 1) found.add(`${answers} answers to one run`, id);
  }
  return runs;
}

/** Every 202 has one run, every Idempotency-Key has at most one run, and a refused call has no run. */
function acceptedAreKept({ calls }: Ledger, runs: Run[], found: Findings): void {
  const byCall = Map.groupBy(runs, (run) => run.call ?? '');
  const ids = new Set(runs.map(({ id }) => id));
  const triggers = calls.filter(({ kind, idempotencyKey }) => kind === 'trigger' && idempotencyKey !== null);
  for (const [idempotencyKey, same] of Map.groupBy(triggers, (call) => call.idempotencyKey!)) {
    const accepted = same.filter(isAccepted);
    const answered = new Set(accepted.map(({ runId }) => runId));
    const written = byCall.get(idempotencyKey) ?? [];
    if (answered.size > 1) found.add('several runs answered for one Idempotency-Key', [...answered].join(' '));
    if (written.length > 1) found.add('several runs for one Idempotency-Key', written.map(({ id }) => id).join(' '));
    for (const call of accepted) if (!ids.has(call.runId!)) found.add('acknowledged and lost', describe(call));
    if (accepted.length === 0 && !same.some(isUnknown) && written.length > 0)
      found.add('refused but done', same.map(describe).join('; '));
  }
}

async function revokesAreKept(region: Region, { orgId, keys }: Tenant, ledger: Ledger, found: Findings): Promise<void> {
  const rows = await region.rows<{ id: string; revoked: boolean; effective: boolean }>(
    `SELECT id, revoked_at IS NOT NULL AS revoked, effective_at IS NOT NULL AS effective FROM api_key WHERE org_id = $1`,
    [orgId],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const revoke of ledger.revokes) {
    const row = byId.get(keys[revoke.key]!.id)!;
    const wasAcknowledged = revoke.answer === 'revoked' || revoke.answer === 'revoking';
    if (wasAcknowledged && !row.revoked) found.add('a revoke was lost', `key ${revoke.key} by ${revoke.node}`);
    if (row.revoked && !row.effective) found.add('a revoke was never finished', `key ${revoke.key} by ${revoke.node}`);
  }
  for (const [at, { id }] of keys.entries()) {
    if (byId.get(id)!.revoked && !ledger.revokes.some(({ key }) => key === at))
      found.add('revoked without being asked', `key ${at}`);
  }
}

/** Checks with the database's commit times that no node writes for a key after all nodes refuse it. */
async function nothingWrittenAfterRevoke(region: Region, { orgId, keys }: Tenant, found: Findings): Promise<void> {
  const late = await region.rows<{ run: string; key: string; ms: number }>(
    `SELECT r.id AS run, k.id AS key,
       (extract(epoch FROM pg_xact_commit_timestamp(i.xmin) - k.effective_at) * 1000)::float8 AS ms
     FROM run r
     JOIN idempotency i ON i.org_id = r.org_id AND i.body::json ->> 'id' = r.id
     JOIN unnest($2::text[]) WITH ORDINALITY AS named(id, n) ON named.n = (r.input -> 'metadata' ->> 'key')::int + 1
     JOIN api_key k ON k.org_id = r.org_id AND k.id = named.id
     WHERE r.org_id = $1 AND k.effective_at IS NOT NULL
       AND pg_xact_commit_timestamp(i.xmin) > k.effective_at + $3 * interval '1 millisecond'`,
    [orgId, keys.map(({ id }) => id), STATEMENT_MS],
  );
  for (const { run, key, ms } of late)
    found.add('written past the fence', `${run} by ${key}, ${ms.toFixed(0)} ms later`);
}
