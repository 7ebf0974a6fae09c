import type { CampaignSettings } from '../../../../contract/campaigns.ts';
import {
  type CampaignRehearsal,
  REHEARSED_DAYS,
  type RehearsedStatus,
} from '../../../../contract/dashboard/rehearsals.ts';
import { rememberOpenings } from '../quiet-hours.ts';
import { createLoopShare } from '../../../kernel/loop-share.ts';
import type { DueRecipient } from '../../../store/recipients/dispatch.ts';
import { BATCH, LOOK_MS, planDispatch } from '../plan-dispatch.ts';
import { createDueQueue, type Waiting } from './due-queue.ts';

/** A recipient on the virtual clock, and what happened to the recipient. */
export type Player = {
  recipient: DueRecipient;
  dueAt: Date;
  status: RehearsedStatus;
  reason: string | null;
  at: Date | null;
  reply: { at: Date; text: string } | null;
  reminders: readonly Date[];
};

/** Returns the reply of a messaged recipient, and whether the reply is an opt-out. */
export type ReplyOf = (player: Player) => { text: string; afterMs: number; optsOut: boolean } | null;

type Stage = {
  settings: CampaignSettings;
  channelKind: string;
  beginsAt: Date;
  replyOf: ReplyOf;
  /** The time of `performance.now()` at which the rehearsal stops. */
  deadline: number;
};

const DAY_MS = 86_400_000;

/**
 * Runs the worker's loop with a virtual clock. At each step, the loop selects a batch of the due recipients, calls
 * `planDispatch` for the decisions, and makes the changes that the database would make. The loop skips a step at which
 * nothing can happen. This file contains no rules about hours, rate limits or skipped recipients.
 */
export async function playClock(stage: Stage, players: readonly Player[]): Promise<CampaignRehearsal['stopped']> {
  const { settings, channelKind, beginsAt, replyOf, deadline } = stage;
  // The text was already filled in when the people were read.
  const { opening: _, ...rules } = settings;
  const campaign = { id: '', settings: rules, channel_kind: channelKind };
  const opensIn = rememberOpenings(settings);
  const playerOf = new Map(players.map((player) => [player.recipient, player]));
  const due = createDueQueue<DueRecipient>();
  for (const { recipient, dueAt } of players) due.add(dueAt.getTime(), recipient);
  const optOuts = createDueQueue<DueRecipient['person']>();
  const endsAt = settings.ends_at ? Date.parse(settings.ends_at) : Number.POSITIVE_INFINITY;
  const horizon = beginsAt.getTime() + REHEARSED_DAYS * DAY_MS;
  const share = createLoopShare();
  const clock = { time: beginsAt.getTime(), pacedUntil: null as Date | null };

  const begin = (player: Player): void => {
    Object.assign(player, { status: 'sent', at: new Date(clock.time) });
    const reply = replyOf(player);
    if (!reply) return;
    player.reply = { at: new Date(clock.time + reply.afterMs), text: reply.text };
    if (reply.optsOut) optOuts.add(clock.time + reply.afterMs, player.recipient.person);
  };
  const work = async (batch: readonly Waiting<DueRecipient>[]): Promise<boolean> => {
    const now = new Date(clock.time);
    const plan = await planDispatch(
      { ...campaign, now, paced_until: clock.pacedUntil },
      batch.map(({ item }) => item),
      opensIn,
    );
    clock.pacedUntil = plan.pacedUntil;
    const left = new Map(batch.map((waiting) => [waiting.item, waiting]));
    for (const one of plan.dispatches) {
      left.delete(one.recipient);
      const player = playerOf.get(one.recipient)!;
      if (one.kind === 'begin') begin(player);
      else if (one.kind === 'hold') due.add(one.until.getTime(), one.recipient);
      else Object.assign(player, { status: one.status, reason: one.reason, at: now });
    }
    for (const waiting of left.values()) due.putBack(waiting);
    return batch.length === BATCH && !plan.leftOver;
  };

  for (let next = due.next(); next !== null; next = due.next()) {
    if (clock.time >= endsAt) {
      expire(due.take(Number.POSITIVE_INFINITY, players.length), playerOf, new Date(endsAt));
      break;
    }
    if (clock.time > horizon) return 'after_a_year';
    if (performance.now() > deadline) return 'took_too_long';
    for (const { item: person } of optOuts.take(clock.time, players.length)) person.consent = 'opted_out';
    const isPaced = clock.pacedUntil !== null && clock.pacedUntil.getTime() > clock.time;
    const taken = isPaced ? [] : await share(() => due.take(clock.time, BATCH));
    const isMore = taken.length > 0 && (await work(taken));
    if (isMore) continue;
    next = due.next();
    const earliest = Math.max(clock.time + LOOK_MS, next ?? 0, clock.pacedUntil?.getTime() ?? 0);
    clock.time = Math.min(earliest, Math.max(endsAt, clock.time + 1));
  }
  return null;
}

/** The campaign is over. The function does the same as `expireRecipients` in the store. */
function expire(
  waiting: readonly Waiting<DueRecipient>[],
  playerOf: ReadonlyMap<DueRecipient, Player>,
  at: Date,
): void {
  for (const { item } of waiting)
    Object.assign(playerOf.get(item)!, { status: 'expired', reason: 'campaign_ended', at });
}
