import { Refusal } from '../../../contract/problems.ts';
import { channelKinds } from '../../channels/kinds.ts';
import type { InboundAnswer, InboundEvent, InboundReceipt, InboundRequest } from '../../channels/channel.ts';
import { isUnreachable } from '../../store/db.ts';
import { findInboundChannel, type InboundChannel } from '../../store/inbound/find-receiver.ts';
import { applyReceipts, keepReceipts, type Receipt } from '../../store/deliveries/receipts.ts';
import type { ConversationsDeps } from './deps.ts';
import { clean, cleanName } from './store-inbound-message.ts';

type Deps = Pick<ConversationsDeps, 'db' | 'openSecrets' | 'inboundQueue' | 'now' | 'onAccepted'>;

/**
 * Handles a provider's call about a channel. The raw bytes of a call are first verified, then parsed, then stored. Each
 * event is stored once, however often the provider sends it. The call never waits for an agent or a provider, so the
 * response takes milliseconds, and the turn follows later.
 */
export async function receiveFromChannel(
  deps: Deps,
  target: { kind: string; channelId: string },
  request: InboundRequest,
  requestId: string,
): Promise<InboundAnswer | null> {
  try {
    return await receiveVerified(deps, target, request, requestId);
  } catch (error) {
    // The provider will repeat the call, and the events of this call that are already stored are not stored twice.
    if (isUnreachable(error)) throw new Refusal('unavailable', undefined, { cause: error });
    throw error;
  }
}

/** Finds the channel of a call. The function throws if the channel of this kind receives no calls. */
export async function findReceiver({ db }: Pick<Deps, 'db'>, target: { kind: string; channelId: string }) {
  const inbound = channelKinds.get(target.kind)?.inbound;
  const channel = inbound && (await findInboundChannel(db, target.channelId));
  if (channel?.kind !== target.kind) throw new Refusal('channel_not_found');
  return { channel, inbound: inbound! };
}

async function receiveVerified(
  deps: Deps,
  target: { kind: string; channelId: string },
  request: InboundRequest,
  requestId: string,
): Promise<InboundAnswer | null> {
  const { channel, inbound } = await findReceiver(deps, target);
  const secrets = await deps.openSecrets(channel);
  const account = { id: channel.id, settings: channel.settings, secrets };
  if (!inbound.verify(request, account, deps.now())) throw new Refusal('signature_invalid');
  if (!channel.enabled) throw new Refusal('channel_disabled');
  const events = parse(() => inbound.parse(request, account));
  await keepAll(deps, channel, events, requestId);
  return inbound.answer?.(request, account) ?? null;
}

async function keepAll(
  { db, inboundQueue, onAccepted }: Deps,
  channel: InboundChannel,
  events: InboundEvent[],
  requestId: string,
): Promise<void> {
  const receipts = events.filter((event) => event.type === 'receipt').flatMap(cleanReceipt);
  if (receipts.length > 0) {
    await keepReceipts(db.$client, channel.orgId, channel.id, receipts);
    const known = receipts.map(({ providerMessageId }) => ({ orgId: channel.orgId, providerMessageId }));
    await applyReceipts(db.$client, known);
  }
  for (const event of events) {
    if (event.type !== 'message') continue;
    const stored = await inboundQueue.store(channel, event, requestId);
    if (stored !== null && stored.runId !== null) onAccepted();
  }
}

/** A receipt whose ID cannot belong to one of our messages is ignored. */
function cleanReceipt({ providerMessageId: name, status, error }: InboundReceipt): Receipt[] {
  const providerMessageId = cleanName(name);
  if (providerMessageId === null) return [];
  return [{ providerMessageId, status, error: error ? { ...error, detail: clean(error.detail) } : null }];
}

function parse(work: () => InboundEvent[]): InboundEvent[] {
  try {
    return work();
  } catch (error) {
    if ((error as Error).name === 'InboundError') throw new Refusal('body_invalid', (error as Error).message);
    throw error;
  }
}
