import { foundInReachableCells } from '../cells/by-cell.ts';
import type { Db } from '../db.ts';
import { named, rowsOf } from '../named-statement.ts';
import { checkedOnly } from '../queue/join-by-key.ts';
import { MAX_CONVERSATIONS, VISIBLE, VISITOR_COLUMNS, type VisitorMessageRow, type VisitorPlace } from '../visitors.ts';

/**
 * Delivers new messages to visitors with an open chat. All open chats share one query every POLL_MS, no matter which
 * process does the work. Code of this process that stores messages calls `look`, so that readers see the messages
 * immediately.
 *
 * A message is new if it was written in the last moments by the database's own clock. A transaction that commits late
 * is still within OVERLAP, and the feed remembers seen messages for that time. A message that waits for its time or for
 * a worker is no longer recent when it becomes visible. The feed also remembers waiting messages, and reads them when
 * their wait is over.
 */
export type MessageFeed = {
  /**
   * Calls the listener with messages in order, each once. Returns a function that ends the subscription. After the
   * first call, which may contain no messages, the listener misses no message. Read the older messages after the first
   * call.
   */
  follow(place: VisitorPlace, onMessages: (messages: VisitorMessageRow[]) => void): () => void;
  look(): void;
  stop(): void;
};

type Listener = (messages: VisitorMessageRow[]) => void;
type Followed = VisitorPlace & {
  listeners: Set<Listener>;
  /** Listeners that the feed has not called yet. */
  newcomers: Set<Listener>;
  /** The IDs of messages that the feed has passed on, with their time. */
  seen: Map<string, number>;
  waiting: Set<string>;
  /** True until the first read, which also finds messages that a pause of a campaign has already stopped. */
  isNew: boolean;
  /** The feed has read all messages up to this time. */
  lookedAt: number;
};

const POLL_MS = 300;
/** The overlap is longer than any transaction of Parley that writes a message, plus the difference of node clocks. */
const OVERLAP_MS = 20_000;
/**
 * Maximum number of tracked scheduled messages of one visitor. If a visitor has more scheduled messages, the chat finds
 * them when it is opened again.
 */
const MAX_WAITING = 20;

const PLACE = rowsOf('w', { n: 'int', org: 'text', channel: 'text', address: 'text', is_new: 'bool' });
const WAITING = rowsOf('t', { n: 'int', org: 'text', id: 'text' }, 'waiting_');

export const LOOK = named(
  'look-for-messages',
  { ...PLACE.types, ...WAITING.types, back_ms: 'float8' },
  `WITH followed AS MATERIALIZED (
  SELECT w.n, w.org, w.is_new, c.id
  FROM ${PLACE.from}
  JOIN LATERAL (SELECT c.id FROM conversation c WHERE c.org_id = w.org AND c.channel_id = w.channel
      AND c.address = w.address
    ORDER BY c.id DESC LIMIT ${MAX_CONVERSATIONS}) c ON true
)
SELECT f.n, NULL AS waiting, ${VISITOR_COLUMNS} FROM followed f
JOIN message m ON ${checkedOnly('m.org_id')} = f.org AND m.conversation_id = f.id
  AND m.created_at > now() - :back_ms * interval '1 millisecond'
WHERE ${VISIBLE}
UNION ALL
SELECT f.n, m.id AS waiting, ${VISITOR_COLUMNS} FROM followed f
JOIN LATERAL (SELECT * FROM message m WHERE m.org_id = f.org AND m.conversation_id = f.id AND m.due_at IS NOT NULL
  ORDER BY m.id LIMIT ${MAX_WAITING}) m ON true
UNION ALL
SELECT f.n, m.id AS waiting, ${VISITOR_COLUMNS} FROM followed f
JOIN LATERAL (SELECT * FROM message m WHERE f.is_new AND m.org_id = f.org AND m.conversation_id = f.id
  ORDER BY m.created_at DESC LIMIT ${MAX_WAITING}) m ON m.status = 'queued' AND m.due_at IS NULL
UNION ALL
SELECT t.n, NULL AS waiting, ${VISITOR_COLUMNS}
FROM ${WAITING.from}
JOIN message m ON m.org_id = t.org AND m.id = t.id
WHERE ${VISIBLE} AND m.due_at IS NULL`,
);

type Row = VisitorMessageRow & { n: number; waiting: string | null };

export function createMessageFeed(db: Db): MessageFeed {
  const followed = new Map<string, Followed>();
  let timer: NodeJS.Timeout | null = null;
  let reading = false;
  let again = false;
  let stopped = false;

  const look = () => {
    if (followed.size === 0 || stopped) return;
    if (reading) {
      again = true;
      return;
    }
    if (timer) clearTimeout(timer);
    timer = null;
    reading = true;
    // A failed query returned nothing, so the next query covers a longer time.
    void read()
      .catch(() => {})
      .finally(() => {
        reading = false;
        if (again) {
          again = false;
          look();
        } else if (followed.size > 0 && !stopped) timer = setTimeout(look, POLL_MS);
      });
  };

  async function read(): Promise<void> {
    const since = performance.now();
    const found = await foundInReachableCells(
      db,
      [...followed.values()],
      ({ orgId }) => orgId,
      (some) => lookFor(db, some, since),
    );
    for (const [place, rows] of found) {
      place.lookedAt = since;
      tell(place, rows, since);
    }
  }

  return {
    follow(place, onMessages) {
      const name = `${place.channelId} ${place.address}`;
      const known = followed.get(name);
      const entry: Followed = known ?? begin(place);
      if (!known) followed.set(name, entry);
      entry.listeners.add(onMessages);
      entry.newcomers.add(onMessages);
      look();
      return () => {
        entry.listeners.delete(onMessages);
        entry.newcomers.delete(onMessages);
        if (entry.listeners.size === 0 && followed.get(name) === entry) followed.delete(name);
      };
    },
    look,
    stop: () => {
      stopped = true;
      if (timer) clearTimeout(timer);
      followed.clear();
    },
  };
}

async function lookFor(db: Db, all: readonly Followed[], now: number): Promise<[Followed, Row[]][]> {
  const back = OVERLAP_MS + Math.max(...all.map(({ lookedAt }) => now - lookedAt));
  const places = [...all.entries()];
  const waiting = places.flatMap(([n, place]) => [...place.waiting].map((id) => ({ n, org: place.orgId, id })));
  const { rows } = await db.$client.query<Row>(
    LOOK({
      n: places.map(([n]) => n),
      org: places.map(([, place]) => place.orgId),
      channel: places.map(([, place]) => place.channelId),
      address: places.map(([, place]) => place.address),
      is_new: places.map(([, place]) => place.isNew),
      back_ms: back,
      waiting_n: waiting.map(({ n }) => n),
      waiting_org: waiting.map(({ org }) => org),
      waiting_id: waiting.map(({ id }) => id),
    }),
  );
  const ofPlaces = Map.groupBy(rows, ({ n }) => n);
  return places.map(([n, place]) => [place, ofPlaces.get(n) ?? []]);
}

function tell(place: Followed, rows: Row[], now: number): void {
  // A pause of a campaign removes the due time of a waiting message, so the query does not return the message.
  const due = rows.flatMap(({ waiting }) => waiting ?? []);
  const sent = new Set(rows.flatMap(({ id, waiting }) => (waiting === null ? id : [])));
  const paused = [...place.waiting].filter((id) => !sent.has(id) && !due.includes(id));
  place.waiting = new Set([...due, ...paused].slice(0, MAX_WAITING));
  const fresh = new Map<string, VisitorMessageRow>();
  for (const { n: _n, waiting, ...row } of rows) {
    if (waiting === null && !place.seen.has(row.id)) fresh.set(row.id, row);
  }
  for (const [id, at] of place.seen) if (now - at > OVERLAP_MS * 2) place.seen.delete(id);
  for (const { id } of rows) if (fresh.has(id) || place.seen.has(id)) place.seen.set(id, now);
  const notified = fresh.size > 0 ? place.listeners : place.newcomers;
  const messages = [...fresh.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const listener of notified) listener(messages);
  place.newcomers.clear();
  place.isNew = false;
}

const begin = (place: VisitorPlace): Followed => ({
  ...place,
  listeners: new Set(),
  newcomers: new Set(),
  seen: new Map(),
  waiting: new Set(),
  isNew: true,
  lookedAt: performance.now(),
});
