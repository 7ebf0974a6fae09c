import type { Edit } from './edits.ts';

/**
 * Bugs that the suite plants into the sources while one of its processes loads them (plant.ts). The scenario of a bug
 * must report a matching finding. If the suite stays green with one planted bug, its green results for other bugs prove
 * nothing.
 */
export type Bug = { name: string; scenario: string; finding: RegExp; edits: Edit[] };

export const bugs: Bug[] = [
  {
    name: 'a call is answered before its commit',
    scenario: 'kill-after-answer',
    finding: /acknowledged and lost/,
    edits: [
      {
        file: 'src/store/runs/accept.ts',
        find: 'const written = planned.length > 0 ? await writeRuns(client, planned, at) : new Set<string>();',
        replace: `const written = new Set<string>(planned.map(({ run }) => run.id));
          if (planned.length > 0) void writeRuns(client, planned, at).catch(() => {});`,
      },
    ],
  },
  {
    name: 'an agent is looked up without its organization',
    scenario: 'tenants',
    finding: /another organization's agent/,
    edits: [
      {
        file: 'src/store/api-keys/records.ts',
        find: 'WHERE a.org_id = $1 AND a.id = $2 AND a.deleted_at IS NULL) AS agent',
        replace: 'WHERE $1::text IS NOT NULL AND a.id = $2 AND a.deleted_at IS NULL) AS agent',
      },
    ],
  },
  {
    name: 'memory is used without a lease',
    scenario: 'cut-black-hole',
    finding: /accepted after "revoked"/,
    edits: [
      {
        file: 'src/access/nodes/lease.ts',
        find: '      const now = clock.monotonic();\n      if (now >= until) return false;',
        replace: '      if (node !== null) return true;\n      const now = clock.monotonic();',
      },
    ],
  },
  {
    name: 'a sleep of the machine is not noticed',
    scenario: 'suspend',
    finding: /accepted after "revoked"/,
    edits: [
      {
        file: 'src/access/nodes/lease.ts',
        find: 'return wallElapsed < leaseMs - marginMs && wallElapsed >= now - from - MAX_LAG_MS;',
        replace: 'return wallElapsed < Number.POSITIVE_INFINITY;',
      },
    ],
  },
  {
    name: 'the fence is left out of the accepting statement',
    scenario: 'late-statement',
    finding: /written past the fence/,
    edits: [
      {
        file: 'src/store/fence/fence.ts',
        find: "    AND ${isUnrevoked('k')}\n",
        replace: '',
      },
    ],
  },
  {
    name: 'a revoke is answered when the others were only notified',
    scenario: 'listener-killed',
    finding: /accepted after "revoked"/,
    edits: [{ file: 'src/access/nodes/change.ts', find: 'await barrier.wait(seq, self);', replace: '' }],
  },
  {
    name: 'a record that was read before a change is kept after it',
    scenario: 'late-fill',
    finding: /accepted after "revoked"/,
    edits: [
      {
        file: 'src/access/api-keys/directory.ts',
        find: '    since >= floor && ids.every(',
        replace: '    true || ids.every(',
      },
    ],
  },
  {
    name: 'a client token is verified without its key',
    scenario: 'client-tokens',
    finding: /client tokens were accepted after "revoked"/,
    edits: [
      {
        file: 'src/access/admit.ts',
        find: 'if (entry.isRevoked || entry.revokeAt <= clock.wall()) {',
        replace: 'if (client === null && (entry.isRevoked || entry.revokeAt <= clock.wall())) {',
      },
    ],
  },
  {
    name: 'each node enforces the whole limit',
    scenario: 'limits',
    finding: /calls were accepted where/,
    edits: [
      {
        file: 'src/access/limits/limits.ts',
        find: 'Math.max(1, Math.floor(limit / nodes))',
        replace: 'Math.max(1, Math.floor(limit / Math.min(1, nodes)))',
      },
    ],
  },
  {
    name: 'a lost answer is called "nothing was done"',
    scenario: 'answers-lost',
    finding: /refused but done/,
    edits: [
      {
        file: 'src/store/queue/plan-and-write.ts',
        find: "new Refusal('outcome_unknown', PROBLEMS.outcome_unknown.fix,",
        replace: "new Refusal('unavailable', PROBLEMS.outcome_unknown.fix,",
      },
    ],
  },
  {
    name: 'the Idempotency-Key is written in a separate statement',
    scenario: 'same-key',
    finding: /several runs (answered )?for one Idempotency-Key/,
    edits: [
      {
        file: 'src/store/runs/write.ts',
        find: "column('scope', 'bytea', ({ call }) => bytes(call.idempotency?.scope)),",
        replace: "column('scope', 'bytea', () => null),",
      },
      {
        file: 'src/store/runs/write.ts',
        find: '  return new Set(written.rows.map((row) => row.id));',
        replace: `  for (const { call, answer } of planned)
            if (call.idempotency)
              await client.query(
                \`INSERT INTO idempotency (org_id, scope, request, status, location, body)
                  VALUES ($1, $2, $3, 202, $4, $5) ON CONFLICT DO NOTHING\`,
                [call.orgId, call.idempotency.scope, call.idempotency.request, answer.location, answer.body],
              );
          return new Set(written.rows.map((row) => row.id));`,
      },
    ],
  },
  {
    name: 'a worker stores a turn without its lease token',
    scenario: 'cancel-in-turn',
    finding: /the cancelled run is/,
    edits: [{ file: 'src/store/runs/complete.ts', find: ' AND lease = t.lease', replace: '' }],
  },
  {
    name: 'a redirect is followed',
    scenario: 'redirect',
    finding: /a redirect was followed/,
    edits: [
      {
        file: 'src/kernel/egress.ts',
        find: '    const chunks: Buffer[] = [];',
        replace: `    const to = answer.headers.location;
          if (answer.statusCode >= 300 && answer.statusCode <= 399 && to)
            return await send(agent, { ...request, url: new URL(String(to), url).href });
          const chunks: Buffer[] = [];`,
      },
    ],
  },
  {
    name: 'a signature is verified over re-serialized JSON',
    scenario: 'signature',
    finding: /instead of 200/,
    edits: [
      {
        file: 'src/channels/webhook/webhook.ts',
        find: "verifyWebhook(secrets['secret'] ?? '', headers, body, now)",
        replace:
          "verifyWebhook(secrets['secret'] ?? '', headers, Buffer.from(JSON.stringify(JSON.parse(body.toString()))), now)",
      },
    ],
  },
  {
    name: 'a lost connection ends the process',
    scenario: 'cut-reset',
    finding: /ended by itself|not back within/,
    edits: [
      { file: 'src/store/db.ts', find: "  pool.on('connect', (client) => client.on('error', () => {}));", replace: '' },
    ],
  },
  {
    name: 'a stopped node keeps the log locked',
    scenario: 'pause-in-revoke',
    finding: /a revoke through .* took/,
    edits: [
      {
        file: 'src/store/nodes/leases.ts',
        find: 'export const LOCK_HELD_MS = 1_000;',
        replace: 'export const LOCK_HELD_MS = 60_000;',
      },
      { file: 'src/store/connection-settings.ts', find: 'silenceMs: 5_000', replace: 'silenceMs: 60_000' },
    ],
  },
  {
    name: 'a provider that is away is probed by everyone',
    scenario: 'provider-away',
    finding: /probes at once/,
    edits: [
      {
        file: 'src/store/costs/circuit-breaker.ts',
        find: 'closed_until <= now() AND (probe_until IS NULL OR probe_until <= now()) RETURNING 1',
        replace: 'closed_until <= now() RETURNING 1',
      },
    ],
  },
  {
    name: 'Retry-After of a provider is forgotten',
    scenario: 'provider-slow',
    finding: /although it asked to wait/,
    edits: [
      {
        file: 'src/answering/models/model-calls.ts',
        find: 'waitMs: failure.retryAfterMs, probed',
        replace: 'waitMs: null, probed',
      },
    ],
  },
  {
    name: 'a slow provider is called again and again',
    scenario: 'provider-slow',
    finding: /is still called/,
    edits: [
      {
        file: 'src/answering/models/model-calls.ts',
        find: "'provider_rate_limited', 'provider_timeout']);",
        replace: "'provider_rate_limited']);",
      },
    ],
  },
  {
    name: 'a budget forgets what turns in progress may spend',
    scenario: 'budget-spent',
    finding: /tokens were spent of a budget/,
    edits: [
      {
        file: 'src/store/costs/reserve.ts',
        find: 'coalesce(bool_and(coalesce(spent + reserved - held + need <= amount, false)), true)',
        replace: 'coalesce(bool_and(coalesce(spent + need <= amount, false)), true)',
      },
    ],
  },
  {
    name: 'an approved call gets a new key each time',
    scenario: 'approval-killed',
    finding: /was made with [2-9] keys/,
    edits: [
      {
        file: 'src/answering/approvals/call-approved.ts',
        find: 'await callAndTrace(call.tool, call, {',
        replace: 'await callAndTrace(call.tool, { ...call, idempotency_key: String(Math.random()) }, {',
      },
    ],
  },
  {
    name: 'a block is larger than what remains of the total',
    scenario: 'total-exact',
    finding: /are allowed in total/,
    edits: [
      {
        file: 'src/store/api-keys/total.ts',
        find: 'least(k.total - u.reserved, greatest($3::int',
        replace: 'CASE WHEN k.total > u.reserved THEN 1 ELSE 0 END * least(k.total, greatest(7, $3::int',
      },
    ],
  },
  {
    name: 'a stopped node keeps its block',
    scenario: 'total-stopped',
    finding: /calls were lost/,
    edits: [{ file: 'src/access/access.ts', find: '      await blocks.stop();\n', replace: '' }],
  },
  {
    name: 'a call is counted after a reservation that failed',
    scenario: 'total-cut',
    finding: /after all calls of the total were reserved/,
    edits: [
      {
        file: 'src/access/limits/call-blocks.ts',
        find: '    const calls = await state.reserve({ orgId, keyId, atLeast, atMost: block.next, share });',
        replace:
          '    const calls = await state.reserve({ orgId, keyId, atLeast, atMost: block.next, share }).catch(() => 1);',
      },
    ],
  },
  {
    name: 'a later answer replaces the first one',
    scenario: 'own-code',
    finding: /two answers of one turn were accepted|answered with another answer/,
    edits: [
      {
        file: 'src/store/turns/code-turn.ts',
        find: "  if (before) return before.print === given.print ? 'replayed' : 'superseded';",
        replace: '',
      },
    ],
  },
];

/** With shorter leases and pauses, a scenario with an unavailable worker or provider does not wait half a minute. */
export const IMPATIENT: Edit[] = [
  { file: 'src/store/queue/lease-seconds.ts', find: '  run: 30,', replace: '  run: 5,' },
  { file: 'src/store/queue/lease-seconds.ts', find: '  message: 30,', replace: '  message: 6,' },
  {
    file: 'src/store/costs/circuit-breaker.ts',
    find: 'FIRST_CLOSED_SECONDS = 15;',
    replace: 'FIRST_CLOSED_SECONDS = 4;',
  },
  { file: 'src/worker/claim-loop.ts', find: 'NEEDED_LEASE_MS = 17_000;', replace: 'NEEDED_LEASE_MS = 3_000;' },
];
