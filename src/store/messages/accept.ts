import type pg from 'pg';
import { Refusal } from '../../../contract/problems.ts';
import { isInWindow } from '../../kernel/reply-window.ts';
import { newId } from '../../kernel/ids.ts';
import { whyStopped } from '../fence/fence.ts';
import { EndUserBook } from '../end-users/resolve.ts';
import { LATER } from '../queue/later.ts';
import type { EndUserRow } from '../end-users/end-user-row.ts';
import { readStoredAnswer, refusedOrReplayed } from '../idempotency/stored-answer.ts';
import { createWriteQueue, writeTogether } from '../queue/write-queue.ts';
import type { Db } from '../db.ts';
import { findSuppressedOf, type Suppressed } from '../end-users/find-suppressed.ts';
import { identifiersAt, type Suppression } from '../end-users/suppression.ts';
import { reasonNotToSend } from '../end-users/reason-not-to-send.ts';
import { type Addressed, readAddressed, readReplies, readStandings, type Standing } from './read-targets.ts';
import type { NewMessage, SendCall, SendOutcome } from './send-call.ts';
import { type PlannedSend, SEND, writeMessages } from './write.ts';

/**
 * Accepts channel sends with high throughput. Calls that arrive together are planned and written together, as
 * src/store/runs/accept.ts does for trigger calls.
 */
export type SendQueue = { accept(call: SendCall): Promise<SendOutcome>; drain(): Promise<void> };

const TRIES = 5;
/** A row of the batch references a conversation or a person that was erased after the planning. */
const ERASED_SINCE = '23503';

type BatchOutcome = SendOutcome | typeof LATER | Error;

export function createSendQueue(db: Db, suppression: Suppression): SendQueue {
  const queue = createWriteQueue<SendCall, SendOutcome>(db.$client, (sent) =>
    writeTogether(db.$client, sent, (calls) => ({
      tries: TRIES,
      races: [ERASED_SINCE],
      plan: (client) => planAll(client, calls, suppression),
      write: (client, plans) => writePlans(client, calls, plans),
    })),
  );
  return { accept: (call) => queue.add(call), drain: () => queue.drain() };
}

type Meant = {
  call: SendCall;
  addressed: Addressed | null;
  row: EndUserRow | null;
  unchanged: string[];
  endUserId: string;
};
type Plan = PlannedSend | Refusal | typeof LATER;

async function writePlans(client: pg.PoolClient, calls: SendCall[], plans: Plan[]): Promise<BatchOutcome[]> {
  const planned = plans.filter(
    (entry): entry is PlannedSend => typeof entry === 'object' && 'message' in entry && 'call' in entry,
  );
  // crash point: send:before-write
  const written = planned.length > 0 ? await writeMessages(client, planned) : new Set<string>();
  // crash point: send:after-commit
  const outcomes: BatchOutcome[] = [];
  for (const [index, entry] of plans.entries()) {
    if (entry === LATER) outcomes.push(LATER);
    else if (entry instanceof Refusal)
      outcomes.push(await refusedOrReplayed(client, calls[index]!, entry).catch((error: unknown) => error as Error));
    else if (written.has(entry.message.id))
      outcomes.push({ kind: 'accepted', message: entry.message, answer: entry.answer });
    else outcomes.push(await whyNotWritten(client, entry.call).catch((error: unknown) => error as Error));
  }
  return outcomes;
}

async function planAll(client: pg.PoolClient, calls: SendCall[], suppression: Suppression): Promise<Plan[]> {
  const addressed = await readAddressed(client, calls);
  const book = await EndUserBook.read(
    client,
    calls.map((call) => ({ orgId: call.orgId, endUser: namedPerson(call) })),
    suppression,
  );
  const meant = calls.map((call) => whoIsMeant(call, addressed.get(call) ?? null, book));
  const known = meant.filter((entry): entry is Meant => isMeant(entry) && entry.row?.updated_at !== null);
  const standings = await readStandings(
    client,
    known.map(({ call, endUserId, addressed: at }) => ({
      orgId: call.orgId,
      channelId: call.channelId,
      kind: call.rules.kind,
      endUserId,
      address: 'address' in call.to ? call.to.address : (at?.conversation?.address ?? null),
    })),
  );
  const standing = new Map(known.map((entry, index) => [entry, standings[index]]));
  const strangers = meant.filter((entry): entry is Meant => isMeant(entry) && entry.row?.updated_at === null);
  const suppressed = await findSuppressedOf(client, strangers.map(identifiersOf), suppression);
  strangers.forEach((entry, index) => standing.set(entry, standingOf(entry, suppressed[index] ?? null)));
  const begun = new Map<string, string>();
  const lastAt = new Map<string, number>();
  const holders = new Map<string, string>();
  const plans = meant.map((entry) =>
    isMeant(entry) ? plan(entry, standing.get(entry), begun, lastAt, holders) : entry,
  );
  return refuseForeignReplies(client, plans);
}

const isMeant = (entry: Meant | Refusal | typeof LATER): entry is Meant =>
  entry !== LATER && !(entry instanceof Refusal);

const namedPerson = ({ to }: SendCall) => ('endUser' in to ? to.endUser : 'address' in to ? to.person : null);

function whoIsMeant(call: SendCall, addressed: Addressed | null, book: EndUserBook): Meant | Refusal | typeof LATER {
  const { to } = call;
  if ('conversationId' in to && !addressed?.conversation) {
    const detail = 'The channel has no conversation with this id.';
    const errors = [{ pointer: '/to/conversation_id', code: 'not_found', detail }];
    return new Refusal('validation_failed', undefined, { errors });
  }
  const stored = addressed?.conversation?.end_user_id ?? addressed?.identityOf ?? null;
  if (stored !== null) return { call, addressed, row: null, unchanged: [], endUserId: stored };
  const taken = book.take(call.orgId, namedPerson(call), call);
  if (taken instanceof Refusal) return inTarget(taken);
  return taken === LATER ? LATER : { call, addressed, ...taken, endUserId: taken.row.id };
}

/** An address alone may belong to an erased person whose opt-out is still stored. */
const identifiersOf = ({ call: { orgId, to, rules } }: Meant) =>
  'address' in to ? identifiersAt(rules.kind, to.address).map(([kind, value]) => ({ orgId, kind, value })) : [];

/**
 * The known opt-outs of a new person, found by an identifier or by the address. Undefined: the organization has no
 * opt-outs of the person.
 */
function standingOf({ call, row }: Meant, suppressed: Suppressed | null): Standing | undefined {
  const entry = { ...row?.consent, ...suppressed?.consent }[call.rules.kind] as { status?: string } | undefined;
  const blocked = Boolean(row?.blocked || suppressed?.blocked);
  if (entry === undefined && !blocked) return undefined;
  const nowhere = { address: null, last_inbound_at: null, conversation_id: null, conversation_address: null };
  return { ...nowhere, blocked, consent: entry?.status ?? null };
}

/** The shared code reports `/end_user`, but in this call the person is in `/to/end_user`. */
function inTarget(refusal: Refusal): Refusal {
  const errors = refusal.extras.errors?.map((fault) => ({ ...fault, pointer: `/to${fault.pointer}` }));
  return errors ? new Refusal(refusal.code, refusal.message, { ...refusal.extras, errors }) : refusal;
}

function plan(
  { call, addressed, row, unchanged, endUserId }: Meant,
  standing: Standing | undefined,
  begun: Map<string, string>,
  lastAt: Map<string, number>,
  holders: Map<string, string>,
): Plan {
  const { rules } = call;
  const unwanted = standing && mayNotReceive(standing);
  if (unwanted) return unwanted;
  const address =
    'address' in call.to
      ? call.to.address
      : (addressed?.conversation?.address ?? standing?.address ?? (row && rules.addressOf(row)));
  if (rules.needsAddress && address === null) return new Refusal('no_address');
  if (!windowIsOpen(call, standing)) return new Refusal('session_window_closed');
  const existing = addressed?.conversation ?? conversationOf(standing, address);
  const isNew =
    address !== null && !existing && (addressed?.identityOf ?? null) === null && standing?.address !== address;
  const place = `${call.channelId} ${address}`;
  const holder = isNew ? (holders.get(place) ?? endUserId) : null;
  // The next batch finds the person whom the first call creates.
  if (holder !== null && holder !== endUserId && 'address' in call.to) return LATER;
  if (holder !== null) holders.set(place, holder);
  const name = `${call.channelId} ${endUserId} ${address}`;
  const conversationId = existing?.id ?? begun.get(name) ?? newId('conv');
  if (!existing) begun.set(name, conversationId);
  // The order of IDs is the order of sending, and IDs of the same millisecond have no order.
  const at = Math.max(Date.now(), (lastAt.get(conversationId) ?? 0) + 1);
  lastAt.set(conversationId, at);
  const message: NewMessage = {
    id: newId('msg', at),
    status: rules.byStoring && call.sendAt === null ? 'delivered' : 'queued',
    conversationId,
    endUserId,
    createdAt: new Date(at),
    unchanged,
  };
  return {
    call,
    message,
    answer: call.answer(message),
    endUser: row,
    fresh: !existing,
    address,
    introduces: holder === endUserId,
  };
}

const conversationOf = (standing: Standing | undefined, address: string | null) =>
  standing?.conversation_id &&
  (standing.conversation_address === null || address === null || standing.conversation_address === address)
    ? { id: standing.conversation_id }
    : null;

function mayNotReceive({ blocked, consent }: Standing): Refusal | null {
  const why = reasonNotToSend(blocked, consent);
  if (why === null) return null;
  return new Refusal('recipient_opted_out', why === 'blocked' ? 'The recipient is blocked.' : undefined);
}

/** For a scheduled send, the window is checked when the message is due. */
function windowIsOpen({ rules, content, sendAt }: SendCall, standing: Standing | undefined): boolean {
  if (content.type === 'template' || sendAt !== null) return true;
  return isInWindow(rules.replyWindowHours, standing?.last_inbound_at ?? null, Date.now());
}

/** A reply must reference a message of the same conversation. */
async function refuseForeignReplies(client: pg.PoolClient, plans: Plan[]): Promise<Plan[]> {
  const replies = plans.filter(
    (entry): entry is PlannedSend => typeof entry === 'object' && 'call' in entry && entry.call.replyTo !== null,
  );
  const found = await readReplies(
    client,
    replies.map(({ call, message }) => ({
      orgId: call.orgId,
      conversationId: message.conversationId,
      messageId: call.replyTo!,
    })),
  );
  const foreign = new Set<Plan>(replies.filter(({ call }) => !found.has(call.replyTo!)));
  const detail = 'The conversation has no message with this id.';
  const errors = [{ pointer: '/reply_to', code: 'not_found', detail }];
  return plans.map((entry) => (foreign.has(entry) ? new Refusal('validation_failed', undefined, { errors }) : entry));
}

/** Either the Idempotency-Key was used before, or the fence stopped the call. */
async function whyNotWritten(client: pg.PoolClient, call: SendCall): Promise<SendOutcome> {
  const stored = await readStoredAnswer(client, call);
  if (stored?.kind === 'replayed' || stored?.kind === 'refused') return stored;
  return { kind: 'refused', refusal: await whyStopped(client, SEND, call) };
}
