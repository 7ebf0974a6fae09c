import type pg from 'pg';
import { Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../db.ts';
import { whyStopped } from '../fence/fence.ts';
import type { AcceptCall, AcceptOutcome, NewRun } from './accept-call.ts';
import { conversationNameOf, readKeyedConversations, type KeyedConversation } from './resolve-conversations.ts';
import type { PlannedWrite } from '../queue/plan-and-write.ts';
import type { EndUserFields } from '../end-users/end-user-fields.ts';
import { EndUserBook } from '../end-users/resolve.ts';
import { LATER } from '../queue/later.ts';
import { readStoredAnswer, refusedOrReplayed } from '../idempotency/stored-answer.ts';
import { type Suppression, withOptOuts } from '../end-users/suppression.ts';
import { createWriteQueue, writeTogether } from '../queue/write-queue.ts';
import { type AtAddress, readAddresses } from './read-addresses.ts';
import { type PlannedCall, writeRuns } from './write.ts';
import { TRIGGER_CALL } from './write-statement.ts';

/**
 * Accepts trigger calls with high throughput. Calls that arrive together are planned together with few look-ups (none
 * for anonymous calls), and written together (`write.ts`). Each call gets its own outcome. A call that must wait for
 * another call (same conversation key, or new data about the same person) moves to the next batch.
 */
export type AcceptQueue = {
  accept(call: AcceptCall): Promise<AcceptOutcome>;
  /** Plans the call as `accept` does and writes nothing. Throws the refusal of the call. */
  preview(call: AcceptCall): Promise<PlannedCall>;
  /** True while many calls arrive at the same time, so that other work should wait. */
  pressed(): boolean;
  /** The number of calls that wait or are being written. */
  load(): number;
  drain(): Promise<void>;
};

/**
 * With this many calls in progress, the worker of this process reduces its work. The number is far above the number of
 * calls in progress in a quiet system.
 */
const PRESSED = 24;
const TRIES = 5;
/** A row of the batch references a person who was erased after the planning. */
const ERASED_MEANWHILE = '23503';

export function createAcceptQueue(
  db: Db,
  suppression: Suppression | null = null,
  onBatch?: (calls: number) => void,
): AcceptQueue {
  const planned = (calls: AcceptCall[]): PlannedWrite<Batch, BatchOutcome[]> => ({
    tries: TRIES,
    races: [ERASED_MEANWHILE],
    plan: (client) => planBatch(client, calls, suppression),
    write: (client, batch) => writeBatch(client, calls, batch),
  });
  const queue = createWriteQueue<AcceptCall, AcceptOutcome>(db.$client, (calls) => {
    onBatch?.(calls.length);
    return writeTogether(db.$client, calls, planned);
  });
  return {
    accept: (call) => queue.add(call),
    preview: (call) => preview(db.$client, call, suppression),
    pressed: () => queue.load() >= PRESSED,
    load: () => queue.load(),
    drain: () => queue.drain(),
  };
}

async function preview(pool: pg.Pool, call: AcceptCall, suppression: Suppression | null): Promise<PlannedCall> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const [plan] = (await planBatch(pool, [call], suppression)).plans;
    if (plan instanceof Refusal) throw plan;
    if (plan !== LATER) return plan!;
  }
  throw new Error('a call alone waits for no other call');
}

type Plan = PlannedCall | Refusal | typeof LATER;
type Batch = { at: Date; plans: Plan[] };
type BatchOutcome = AcceptOutcome | typeof LATER | Error;

async function planBatch(
  client: pg.Pool | pg.PoolClient,
  calls: AcceptCall[],
  suppression: Suppression | null,
): Promise<Batch> {
  const keyed = await readKeyedConversations(client, calls);
  const addressed = calls.filter((call) => call.address !== null && call.addressFrom === null);
  const begun = addressed.filter((call) => continuedBy(call, existingOf(call, keyed)) === null);
  const addresses = await readAddresses(client, begun, suppression);
  const named = calls.map((call) => ({
    orgId: call.orgId,
    endUser: personOf(call, existingOf(call, keyed), addresses.get(call)),
  }));
  const book = await EndUserBook.read(client, named, suppression);
  const used = new Set<string>();
  const at = new Date();
  return { at, plans: calls.map((call) => plan(call, at, book, keyed, addresses.get(call), used)) };
}

async function writeBatch(client: pg.PoolClient, calls: AcceptCall[], { at, plans }: Batch): Promise<BatchOutcome[]> {
  const planned = plans.filter((entry): entry is PlannedCall => typeof entry === 'object' && 'run' in entry);
  // crash point: accept:before-write
  const written = planned.length > 0 ? await writeRuns(client, planned, at) : new Set<string>();
  // crash point: accept:after-commit
  return Promise.all(
    plans.map(async (entry, index): Promise<BatchOutcome> => {
      if (entry === LATER) return LATER;
      if (entry instanceof Refusal)
        return refusedOrReplayed(client, calls[index]!, entry).catch((error: unknown) => error as Error);
      if (written.has(entry.run.id)) return { kind: 'accepted', run: entry.run, answer: entry.answer };
      return whyNotWritten(client, entry.call).catch((error: unknown) => error as Error);
    }),
  );
}

/** Either the Idempotency-Key was used before, or the fence stopped the call. */
async function whyNotWritten(client: pg.PoolClient, call: AcceptCall): Promise<AcceptOutcome> {
  const stored = await readStoredAnswer(client, call);
  return stored ?? { kind: 'refused', refusal: await whyStopped(client, TRIGGER_CALL, call) };
}

function plan(
  call: AcceptCall,
  at: Date,
  book: EndUserBook,
  keyed: Map<string, KeyedConversation>,
  atAddress: AtAddress | undefined,
  used: Set<string>,
): Plan {
  const name = conversationNameOf(call);
  const existing = existingOf(call, keyed);
  if (name !== null) {
    // A conversation has an ID and may have a key. One statement changes a conversation at most once.
    const names = existing === null ? [name] : [name, existing.id];
    if (names.some((each) => used.has(each))) return LATER;
    for (const each of names) used.add(each);
  }
  const introduces = call.endUser === null && atAddress?.endUserId === null;
  if (introduces) {
    // The next batch finds the person whom the first call creates.
    const place = `${call.orgId} ${call.channelId} address ${call.address}`;
    if (used.has(place)) return LATER;
    used.add(place);
  }
  const goesOn = continuedBy(call, existing);
  if (call.conversation && 'id' in call.conversation && !isOpenTo(call, existing))
    return new Refusal('conversation_not_found');
  if (goesOn && onExistingOf(call) === 'reject') return exists(goesOn, 'A conversation with this key exists');
  if (goesOn && goesOn.channel_id !== call.channelId) return exists(goesOn, 'The conversation is on another channel');
  const named = personOf(call, existing, atAddress);
  const optsOutOf = optOutOf(call, goesOn);
  const meant =
    goesOn && named === null ? null : book.take(call.orgId, named, { fillsOnly: call.fillsOnly, optsOutOf });
  if (meant === LATER) return LATER;
  // The person of the conversation was erased after the conversation was read.
  if (meant instanceof Refusal) return call.endUser === null ? LATER : meant;
  const person = meant?.row ?? null;
  // A new person with an opted-out address is opted out.
  if (person?.updated_at === null && atAddress) {
    person.consent = withOptOuts(person.consent, atAddress.consent);
    person.blocked ||= atAddress.blocked;
  }
  const unchanged = meant?.unchanged ?? [];
  if (goesOn && person && person.id !== goesOn.end_user_id)
    return exists(goesOn, 'The conversation is with another end user');
  const silent = goesOn?.status === 'handed_off';
  const run: NewRun = {
    id: call.runId ?? newId('run'),
    // For a scheduled call, the status is decided when the run is due.
    status: call.sendAt ? 'scheduled' : silent ? 'handed_off' : 'queued',
    agentId: call.agentId,
    triggerId: call.triggerId,
    conversationId: goesOn?.id ?? newId('conv'),
    endUserId: person?.id ?? goesOn!.end_user_id,
    channelId: call.channelId,
    createdAt: at,
    unchanged,
  };
  return {
    call,
    run,
    answer: call.answer(run),
    endUser: person,
    // The person does not have this address, so the worker uses the stored address instead.
    address: call.addressFrom !== null && unchanged.includes(call.addressFrom) ? null : call.address,
    introduces,
    continues: goesOn,
    releases: goesOn ? null : existing,
    messageId: call.message === null ? null : newId('msg'),
  };
}

const existingOf = (call: AcceptCall, keyed: Map<string, KeyedConversation>): KeyedConversation | null =>
  keyed.get(conversationNameOf(call) ?? '') ?? null;

const continuedBy = (call: AcceptCall, existing: KeyedConversation | null): KeyedConversation | null =>
  onExistingOf(call) === 'new' ? null : existing;

/** Returns the kind of channel on which the call opts the person of a handed-off conversation out. */
const optOutOf = (call: AcceptCall, goesOn: KeyedConversation | null): string | null =>
  goesOn?.status === 'handed_off' && call.sendAt === null ? call.optsOutOf : null;

/**
 * The person of the call. A call that names only an address is for the person at this address. A call that changes the
 * consent of the conversation's person names this person too.
 */
function personOf(
  call: AcceptCall,
  existing: KeyedConversation | null,
  atAddress: AtAddress | undefined,
): EndUserFields | null {
  if (call.endUser !== null) return call.endUser;
  const goesOn = continuedBy(call, existing);
  const id = optOutOf(call, goesOn) === null ? atAddress?.endUserId : goesOn!.end_user_id;
  return id ? { id } : null;
}

const onExistingOf = ({ conversation }: AcceptCall): 'continue' | 'new' | 'reject' =>
  conversation !== null && 'key' in conversation ? conversation.onExisting : 'continue';

/** A client token continues only conversations with its mark. */
const isOpenTo = ({ clientMark }: AcceptCall, existing: KeyedConversation | null): boolean =>
  existing !== null && (!clientMark || existing.client_mark === clientMark);

const exists = (conversation: KeyedConversation, what: string) =>
  new Refusal('already_exists', `${what}: ${conversation.id}.`, { members: { existing_id: conversation.id } });
