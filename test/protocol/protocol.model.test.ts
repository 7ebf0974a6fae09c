import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mintKey } from '../../src/access/api-keys/key-format.ts';
import { createDatabase } from './database.ts';
import { createNode } from './node.ts';
import { loadEditedNode, remedies } from './remedies.ts';
import { createWorld } from './world.ts';

/**
 * The protocol under thousands of schedules of delayed, lost and late statements, lost hints, paused nodes, sleeping
 * machines, jumping clocks and failovers. Invariants: no node ever accepts a request that is sent after the response
 * "revoked". After a key is narrowed, no node accepts a request from outside the remaining networks. Then each remedy
 * is removed from the sources once (remedies.ts), and the same search must find a schedule that breaks the invariant. A
 * remedy without such a schedule is either superfluous or not tested.
 */
const LEASE_MS = 1_000;
const END_MS = 5_000;
const KEYS = [1, 2, 3].map((byte) => mintKey('us', Buffer.alloc(32, byte)));
const INSIDE = '198.51.100.7';
const OUTSIDE = '203.0.113.7';
const NODES = 3;
const SEARCHES = [
  { runs: 60, hasTokens: false, tags: [] },
  { runs: 60, hasTokens: true, tags: [] },
  { runs: 300, hasTokens: true, tags: ['long'] },
];

const moment = fc.integer({ min: 0, max: END_MS - 1_000 });
const node = fc.nat({ max: NODES - 1 });
const key = fc.nat({ max: KEYS.length - 1 });

const fault = fc.record({
  /** A random time, or a time near one of the changes, where most faults occur. */
  when: fc.oneof(
    fc.record({ at: moment }),
    fc.record({ change: fc.nat({ max: 4 }), after: fc.integer({ min: -200, max: 400 }) }),
  ),
  node,
  kind: fc.constantFrom('pause', 'sleep', 'cut', 'failover', 'prune', 'jump'),
  ms: fc.integer({ min: 50, max: 2_500 }),
});

const schedule = fc.record({
  seed: fc.noShrink(fc.integer()),
  /** The share of commits whose announcement reaches a node. */
  heard: fc.constantFrom(0, 0.5, 1),
  /** A clock that is set back during sleep hides the sleep, so only one of the two happens. */
  clocks: fc.constantFrom('sleep', 'jump'),
  changes: fc.array(fc.record({ at: moment, node, key, change: fc.constantFrom('revoke', 'revoke', 'shorten') }), {
    minLength: 1,
    maxLength: 5,
  }),
  faults: fc.array(fault, { maxLength: 6 }),
});
type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never;

/** `stillIn`: the request comes from inside the remaining networks and was accepted. */
type Outcome = { violations: string[]; answered: number; accepted: number; stillIn: number };

/** Runs one schedule. `violations` are requests that were accepted but must not be. */
async function play(plan: Schedule, create: typeof createNode, hasTokens: boolean): Promise<Outcome> {
  const world = createWorld(plan.seed);
  const database = createDatabase(world);
  const found: string[] = [];
  let accepted = 0;
  let stillIn = 0;
  const answeredAt = new Map<string, number>();
  const onCommit = (): void => {
    for (const each of nodes) if (world.chance(plan.heard)) world.at(world.now() + world.between(0, 20), each.hint);
  };
  const nodes = Array.from({ length: NODES }, (_, index) =>
    create({ world, database, name: `node${index}`, leaseMs: LEASE_MS, hasTokens, onCommit }),
  );

  const request = (value: string): void => {
    const index = Math.floor(world.random() * NODES);
    const from = world.chance(0.5) ? INSIDE : OUTSIDE;
    nodes[index]!.request(value, from, (sentAt) => {
      accepted++;
      if (answeredAt.has(`shorten ${value}`) && from === INSIDE) stillIn++;
      const answered =
        answeredAt.get(`revoke ${value}`) ?? (from === OUTSIDE ? answeredAt.get(`shorten ${value}`) : undefined);
      if (answered !== undefined && sentAt > answered) {
        found.push(`node${index}: sent at ${sentAt}, answered at ${answered}, accepted at ${world.now()}`);
      }
    });
  };

  nodes.forEach((each, index) => world.at(index * world.between(0, 100), each.start));
  for (const { at, node, key, change } of plan.changes) {
    world.at(at, () =>
      nodes[node]!.change(change, KEYS[key]!, () => {
        const name = `${change} ${KEYS[key]!}`;
        if (!answeredAt.has(name)) answeredAt.set(name, world.now());
      }),
    );
  }
  for (const { when, node, kind, ms } of plan.faults) {
    const at = 'at' in when ? when.at : plan.changes[when.change % plan.changes.length]!.at + when.after;
    world.at(at, () => {
      if (kind === 'pause') nodes[node]!.pause(ms);
      else if (kind === 'cut') nodes[node]!.cutOff(ms);
      else if (kind === 'failover') database.failOver(ms / 5);
      else if (kind === 'prune') database.prune();
      else if (kind === plan.clocks && kind === 'sleep') nodes[node]!.suspend(ms);
      else if (kind === plan.clocks) nodes[node]!.jump(ms % 2 ? ms : -ms);
    });
  }
  // A steady stream of requests, so that every node caches the keys and every moment after a response is tested.
  for (let at = 0; at < END_MS; at += world.between(4, 40)) {
    world.at(at, () => request(KEYS[Math.floor(world.random() * KEYS.length)]!));
  }
  await world.run(END_MS + 5_000);
  return { violations: found, answered: answeredAt.size, accepted, stillIn };
}

type From = {
  seed?: number;
  path?: string;
  endOnFailure?: boolean;
  hasTokens?: boolean | undefined;
  seen?: (outcome: Outcome) => void;
};
const search = (create: typeof createNode, numRuns: number, { seen, hasTokens = false, ...from }: From) =>
  fc.check(
    fc.asyncProperty(schedule, async (plan) => {
      const outcome = await play(plan, create, hasTokens);
      seen?.(outcome);
      if (outcome.violations.length > 0) throw new Error(outcome.violations[0]);
    }),
    { numRuns, ...from },
  );

describe('lease protocol', () => {
  for (const { runs, hasTokens, tags } of SEARCHES)
    it(
      `accepts no request that was sent after "revoked" or "narrowed" was confirmed (${runs} schedules${hasTokens ? ', with client tokens' : ''})`,
      { tags, timeout: 300_000 },
      async () => {
        let answered = 0;
        let accepted = 0;
        let stillIn = 0;
        const seen = (outcome: Outcome): void => {
          answered += outcome.answered;
          accepted += outcome.accepted;
          stillIn += outcome.stillIn;
        };
        const result = await search(createNode, runs, { seen, hasTokens });
        expect(result.failed ? fc.defaultReportMessage(result) : null).toBeNull();
        // The search is meaningful only if revokes were answered and keys were in use.
        expect(answered).toBeGreaterThan(runs);
        expect(accepted).toBeGreaterThan(runs * 30);
        expect(stillIn).toBeGreaterThan(runs);
      },
    );

  it.each(remedies)(
    'the protocol fails without this step: $name',
    { timeout: 300_000 },
    async ({ edits, seed, path, hasTokens }) => {
      const edited = await loadEditedNode(edits);
      const result = await search(edited, 3_000, { seed, endOnFailure: true, hasTokens, ...(path && { path }) });
      expect(result.failed && String(result.errorInstance)).toContain('accepted at');
    },
  );
});
