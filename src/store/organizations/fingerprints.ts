import { sql, type SQL } from 'drizzle-orm';
import { RECIPIENT_STATUSES } from '../../../contract/campaigns.ts';
import { MAX_COUNTED } from '../../../contract/dashboard/conversations.ts';
import type { TopicKind } from '../../../contract/dashboard/changes.ts';
import { RUN_STATUSES } from '../../../contract/triggers.ts';
import { foundInReachableCells } from '../cells/by-cell.ts';
import type { Queryable } from '../db.ts';

/**
 * A fingerprint is a short text that is different after any change in a topic. A fingerprint is computed from the row
 * versions (`xmin`) that PostgreSQL stores in any case. A watcher polls for changes, and writers do not notify:
 * accepting a call needs no NOTIFY, no shared counter, and no index on a time. Only the newest rows are read, through
 * the indexes of the lists.
 */
export type Watched = { orgId: string; kind: TopicKind; /** Empty for topics of the whole organization. */ id: string };

/** The fingerprint covers five pages of the list. */
const CONVERSATIONS = 100;
/** The limit equals the limit for counting (contract/dashboard/conversations.ts). */
const WAITING = MAX_COUNTED;
const MESSAGES = 50;
const RUNS = 50;
/** The limit applies to each status, and to the next recipients that are due. */
const RECIPIENTS = 20;
const KEYS = 200;
const REQUESTS = 50;
const AUDIT = 20;
const APPROVALS = 100;

/** Row versions of a query that selects `v`, as one short text. */
const versions = (rows: SQL): SQL => sql`(SELECT md5(string_agg(v, ' ')) FROM (${rows}) AS x)`;

/** Each query uses the columns `w.org_id` and `w.id`. */
/** A snooze ends at its time, and the row does not change. */
const SNOOZED = `coalesce(c.snoozed_until > now(), false)::text`;

const FINGERPRINTS: Record<TopicKind, SQL> = {
  conversations:
    // A new message moves an older conversation to the start of the list.
    versions(sql`(SELECT c.id || c.xmin::text || ${sql.raw(SNOOZED)} AS v FROM conversation c WHERE c.org_id = w.org_id
    ORDER BY c.id DESC LIMIT ${sql.raw(String(CONVERSATIONS))})
    UNION ALL (SELECT m.id AS v FROM message m WHERE m.org_id = w.org_id ORDER BY m.id DESC LIMIT 1)`),
  // Each message and each reply changes the row of its conversation.
  waiting: versions(sql`(SELECT c.id || c.xmin::text || ${sql.raw(SNOOZED)} AS v FROM conversation c
    WHERE c.org_id = w.org_id AND c.status = 'handed_off' ORDER BY c.id DESC LIMIT ${sql.raw(String(WAITING))})
    UNION ALL (SELECT n.note_id || n.user_id AS v FROM conversation_mention n
    WHERE n.org_id = w.org_id AND n.seen_at IS NULL ORDER BY n.user_id LIMIT ${sql.raw(String(WAITING))})
    UNION ALL (SELECT p.id AS v FROM approval p
    WHERE p.org_id = w.org_id AND p.status = 'pending' ORDER BY p.created_at DESC LIMIT ${sql.raw(String(WAITING))})`),
  // A decision about an approval changes the row of one of the newest approvals, or removes it from the pending
  // approvals.
  approvals: versions(sql`(SELECT p.id || p.xmin::text AS v FROM approval p
    WHERE p.org_id = w.org_id AND p.status = 'pending' ORDER BY p.created_at DESC LIMIT ${sql.raw(String(WAITING))})
    UNION ALL (SELECT p.id || p.xmin::text AS v FROM approval p WHERE p.org_id = w.org_id
    ORDER BY p.id DESC LIMIT ${sql.raw(String(APPROVALS))})`),
  conversation: sql`(SELECT md5(concat_ws(' ', c.xmin::text,
      ${versions(sql`SELECT m.id || m.xmin::text AS v FROM message m
        WHERE m.conversation_id = c.id AND m.org_id = c.org_id
        ORDER BY m.created_at DESC LIMIT ${sql.raw(String(MESSAGES))}`)},
      ${versions(sql`SELECT n.id AS v FROM conversation_note n
        WHERE n.org_id = c.org_id AND n.conversation_id = c.id ORDER BY n.id`)},
      (SELECT r.xmin::text FROM run r WHERE r.org_id = c.org_id AND r.id = c.run_id)))
    FROM conversation c WHERE c.org_id = w.org_id AND c.id = w.id)`,
  // A member who leaves or stops typing does not change the row.
  presence: versions(sql`SELECT p.user_id || coalesce(p.typing_until > now(), false)::text
      || md5(coalesce(p.draft, '')) AS v
    FROM conversation_presence p
    WHERE p.org_id = w.org_id AND p.conversation_id = w.id AND p.here_until > now() ORDER BY p.user_id`),
  // The newest runs of each status are read, because the index has the status before the time.
  runs: versions(sql`SELECT n.v FROM unnest(${sql.raw(`ARRAY['${RUN_STATUSES.join("','")}']`)}) AS s(status)
    CROSS JOIN LATERAL (SELECT r.created_at, r.id || r.xmin::text AS v FROM run r
      WHERE r.trigger_id = w.id AND r.status = s.status AND r.org_id = w.org_id
      ORDER BY r.created_at DESC LIMIT ${sql.raw(String(RUNS))}) AS n
    ORDER BY n.created_at DESC LIMIT ${sql.raw(String(RUNS))}`),
  // Every row that changes a campaign's counts is the newest row of its status, or was the next row that was due.
  campaign: sql`(SELECT md5(concat_ws(' ', c.xmin::text,
      ${versions(sql`SELECT r.id || r.xmin::text AS v
        FROM unnest(${sql.raw(`ARRAY['${RECIPIENT_STATUSES.join("','")}']`)}) AS s(status)
        CROSS JOIN LATERAL (SELECT id, xmin FROM recipient
          WHERE campaign_id = c.id AND org_id = c.org_id AND status = s.status
          ORDER BY created_at DESC LIMIT ${sql.raw(String(RECIPIENTS))}) AS r`)},
      ${versions(sql`SELECT r.id || r.xmin::text AS v FROM recipient r
        WHERE r.org_id = c.org_id AND r.campaign_id = c.id AND r.due_at IS NOT NULL
        ORDER BY r.due_at LIMIT ${sql.raw(String(RECIPIENTS))}`)}))
    FROM campaign c WHERE c.org_id = w.org_id AND c.id = w.id)`,
  keys: versions(sql`SELECT k.id || k.xmin::text AS v FROM api_key k WHERE k.org_id = w.org_id
    ORDER BY k.id DESC LIMIT ${sql.raw(String(KEYS))}`),
  requests: versions(sql`SELECT l.id AS v FROM request_log l WHERE l.org_id = w.org_id
    ORDER BY l.id DESC LIMIT ${sql.raw(String(REQUESTS))}`),
  audit: versions(sql`SELECT a.id AS v FROM audit a WHERE a.org_id = w.org_id
    ORDER BY a.id DESC LIMIT ${sql.raw(String(AUDIT))}`),
  // The facts on which the first steps depend: whether there is an agent, a trigger, a key, a conversation, and a first
  // call.
  first_steps: sql`(SELECT md5(concat_ws(' ',
      (SELECT max(id) FROM agent WHERE org_id = w.org_id AND deleted_at IS NULL),
      (SELECT max(id) FROM trigger WHERE org_id = w.org_id AND deleted_at IS NULL),
      (SELECT max(id) FROM conversation WHERE org_id = w.org_id),
      (SELECT count(*) FROM api_key WHERE org_id = w.org_id AND revoked_at IS NULL),
      (SELECT count(*) FROM api_key WHERE org_id = w.org_id AND last_used_at IS NOT NULL))))`,
};

/**
 * The result has the same order as `watched`. Null for missing records and for records of other organizations.
 * Undefined: the cell of the organization does not answer.
 */
export async function readFingerprints(
  db: Queryable,
  watched: readonly Watched[],
): Promise<(string | null | undefined)[]> {
  const found = await foundInReachableCells(
    db,
    [...watched.entries()],
    ([, { orgId }]) => orgId,
    async (some) => {
      const prints = await fingerprintsOf(
        db,
        some.map(([, one]) => one),
      );
      return some.map(([place], index) => [place, prints[index]!] as const);
    },
  );
  const prints = new Map(found);
  return watched.map((_, place) => prints.get(place));
}

async function fingerprintsOf(db: Queryable, watched: readonly Watched[]): Promise<(string | null)[]> {
  const prints: (string | null)[] = Array.from({ length: watched.length }, () => null);
  const kinds = Map.groupBy(watched.entries(), ([, { kind }]) => kind);
  const read = async (kind: TopicKind, entries: readonly [number, Watched][]): Promise<void> => {
    const orgIds = entries.map(([, { orgId }]) => orgId);
    const ids = entries.map(([, { id }]) => id);
    const { rows } = await db.execute<{ print: string | null }>(sql`SELECT ${FINGERPRINTS[kind]} AS print
      FROM unnest(${sql.param(orgIds)}::text[], ${sql.param(ids)}::text[]) WITH ORDINALITY AS w(org_id, id, place)
      ORDER BY place`);
    for (const [index, [place]] of entries.entries()) prints[place] = rows[index]!.print;
  };
  await Promise.all(kinds.entries().map(([kind, entries]) => read(kind, entries)));
  return prints;
}
