import type pg from 'pg';
import { PLAN_WITH_API } from '../../../contract/plans.ts';
import { type ProblemCode, Refusal } from '../../../contract/problems.ts';
import { type Named, named, type Values } from '../named-statement.ts';

/**
 * The fence is the check in every statement that accepts work. A node may be suspended between its check in memory and
 * its write. The statement checks the conditions again and writes nothing if one is false: the key is not revoked, the
 * caller is inside its networks, the plan is paid, and the records in the path exist. The conditions and the reasons
 * for a refusal come from the same list, so they cannot differ.
 */
type Rule = {
  /** A condition on the row, with the table's name as alias. */
  isThere: string;
  /** `keyId`: the expression for the key of the call, which is null for a member. */
  isOn(keyId: string): string;
  gone: ProblemCode;
  off: ProblemCode;
};

const NOT_DELETED = (table: string): string => `${table}.deleted_at IS NULL`;

const RULES = {
  agent: { isThere: NOT_DELETED('agent'), isOn: () => 'agent.enabled', gone: 'agent_not_found', off: 'agent_disabled' },
  trigger: {
    isThere: NOT_DELETED('trigger'),
    isOn: () => 'trigger.enabled',
    gone: 'trigger_not_found',
    off: 'trigger_disabled',
  },
  channel: {
    isThere: NOT_DELETED('channel'),
    isOn: () => 'channel.enabled',
    gone: 'channel_not_found',
    off: 'channel_disabled',
  },
  campaign: {
    // With such a condition, the planner never chooses the index of the list, which contains only rows that are not
    // deleted.
    isThere: `coalesce(campaign.deleted_at, 'infinity') = 'infinity'`,
    // Members prepare the recipients of a draft. The worker sends nothing before the campaign starts.
    isOn: (keyId) => `(campaign.state = 'live' OR campaign.state = 'draft' AND ${keyId} IS NULL)
      AND coalesce((campaign.settings ->> 'ends_at')::timestamptz > now(), true)`,
    gone: 'campaign_not_found',
    off: 'campaign_not_open',
  },
} satisfies Record<string, Rule>;

type Thing = keyof typeof RULES;

/** The records on which a write depends. Each record must exist (`there`), or must also be enabled (`on`). */
export type Needs = Readonly<Partial<Record<Thing, 'there' | 'on'>>>;

const thingsOf = (needs: Needs): Thing[] => Object.keys(needs) as Thing[];

export const isUnrevoked = (key: string): string =>
  `${key}.revoked_at IS NULL AND (${key}.revoke_at IS NULL OR ${key}.revoke_at > now())`;

/**
 * The result is null, which denies access, if the key has networks and the address is invalid. `from`: the caller's
 * address as text.
 */
export const isInNetworks = (key: string, from: string): string =>
  `(${key}.allowed_networks IS NULL OR ${from}::inet <<= ANY (${key}.allowed_networks))`;

type Gate = {
  /**
   * The content of the FROM clause, with the alias `g`. Each row has the columns org_id, key_id (null: a person in the
   * dashboard), came_from, and `<thing>_id` for everything in `needs`.
   */
  rows: string;
  needs: Needs;
  /** `keys`: only API keys require the paid plan, and people in the dashboard may make this change on the free plan. */
  paidPlanFor: 'everybody' | 'keys';
  /** The columns of the CTE `gate`, selected from `g` and the records. */
  columns: string;
};

const gateText = ({ rows, needs, paidPlanFor, columns }: Gate): string => {
  const joins = thingsOf(needs).map((thing) => {
    const { isThere, isOn } = RULES[thing];
    const on = needs[thing] === 'on' ? ` AND ${isOn('g.key_id')}` : '';
    return `JOIN ${thing} ON ${thing}.org_id = g.org_id AND ${thing}.id = g.${thing}_id AND ${isThere}${on}`;
  });
  const paid =
    paidPlanFor === 'keys' ? `(g.key_id IS NULL OR o.plan = '${PLAN_WITH_API}')` : `o.plan = '${PLAN_WITH_API}'`;
  return `
  SELECT ${columns}
  FROM ${rows}
  JOIN organization o ON o.id = g.org_id AND ${paid}
  ${joins.join('\n  ')}
  LEFT JOIN api_key k ON k.org_id = g.org_id AND k.id = g.key_id
    AND ${isUnrevoked('k')}
    AND ${isInNetworks('k', 'g.came_from')}
  WHERE g.key_id IS NULL OR k.id IS NOT NULL`;
};

declare const fenced: unique symbol;

/**
 * A statement that writes on behalf of a call. Only `acceptingStatement` creates such a statement. A test finds every
 * other statement that stores a response for a call (fence.test.ts).
 */
export type AcceptingStatement<Name extends string> = ((values: Values<Name>) => FencedQuery) & {
  readonly text: string;
};
type FencedQuery = ReturnType<Named<never>> & { readonly [fenced]: true };

/**
 * `then`: the rest of the statement. The rest of the statement reads the CTE `gate` and writes only calls that passed
 * it.
 */
export const acceptingStatement = <const Types extends Readonly<Record<string, string>>>(
  name: string,
  types: Types,
  gate: Gate,
  then: string,
): AcceptingStatement<keyof Types & string> =>
  named(name, types, `WITH gate AS MATERIALIZED (${gateText(gate)}\n), ${then}`) as AcceptingStatement<
    keyof Types & string
  >;

/** Runs an accepting statement in the database. */
export const accept = <Row extends pg.QueryResultRow>(
  client: pg.ClientBase | pg.Pool,
  query: FencedQuery,
): Promise<pg.QueryResult<Row>> => client.query<Row>(query);

export type FencedCall = { orgId: string; keyId: string | null; from: string | null } & Partial<
  Record<`${Thing}Id`, string>
>;

const keyWithout = (rule: string): string =>
  `$2::text IS NOT NULL AND NOT EXISTS (SELECT 1 FROM api_key k WHERE k.org_id = $1 AND k.id = $2 AND ${rule})`;

/** The first reason, in the order of checks (docs/security.md), why the fence stopped a call. */
export async function whyStopped(client: pg.Pool | pg.PoolClient, needs: Needs, call: FencedCall): Promise<Refusal> {
  const things = thingsOf(needs);
  const without = (thing: Thing, rule: string): string =>
    `NOT EXISTS (SELECT 1 FROM ${thing} WHERE org_id = $1 AND id = $${things.indexOf(thing) + 4} AND ${rule})`;
  const branches = [
    [keyWithout(isUnrevoked('k')), 'key_revoked'],
    [keyWithout(isInNetworks('k', '$3::text')), 'network_not_allowed'],
    [`NOT EXISTS (SELECT 1 FROM organization WHERE id = $1 AND plan = '${PLAN_WITH_API}')`, 'plan_required'],
    ...things.map((thing) => [without(thing, RULES[thing].isThere), RULES[thing].gone]),
    ...things
      .filter((thing) => needs[thing] === 'on')
      .map((thing) => [without(thing, RULES[thing].isOn('$2::text')), RULES[thing].off]),
  ];
  const found = await client.query<{ code: ProblemCode | null }>(
    `SELECT CASE ${branches.map(([when, code]) => `WHEN ${when} THEN '${code}'`).join('\n')} END AS code`,
    [call.orgId, call.keyId, call.from, ...things.map((thing) => call[`${thing}Id`])],
  );
  const code = found.rows[0]?.code;
  // Without a code, the record was disabled and then enabled again during the call. The statement wrote nothing, so the
  // caller may retry.
  return code ? new Refusal(code) : new Refusal('unavailable', 'Another change was made at the same time. Try again.');
}
