import {
  type CampaignRehearsal,
  REHEARSED_SAMPLE,
  type RehearsedRecipient,
  type ScriptedReply,
} from '../../../../contract/dashboard/rehearsals.ts';
import { createLoopShare } from '../../../kernel/loop-share.ts';
import { timestamp } from '../../../kernel/clock.ts';
import type { Cast } from './people.ts';
import type { Player } from './play-clock.ts';

export type Part = { cast: Cast; player: Player | null };

const HOUR_MS = 3_600_000;

type Report = Omit<CampaignRehearsal, 'begins_at' | 'stopped' | 'has_more' | 'empty'>;

/** Writes the report of the rehearsal, with sums, hours, and one row for each recipient. */
export async function tellRehearsal(
  parts: readonly Part[],
  replies: readonly ScriptedReply[],
  optsOut: (text: string) => boolean,
  allRows: boolean,
): Promise<Report> {
  const share = createLoopShare();
  const recipients: RehearsedRecipient[] = [];
  for (const part of parts) recipients.push(await share(() => rowOf(part)));
  const rows = await share(() => recipients.toSorted(byTime));
  const sent = rows.filter(({ status }) => status === 'sent' || status === 'replied');
  const hours = new Map<number, { sent: number; replies: number }>();
  const count = (what: 'sent' | 'replies', at: string | null): void => {
    if (at === null) return;
    const hour = Math.floor(Date.parse(at) / HOUR_MS) * HOUR_MS;
    if (!hours.has(hour)) hours.set(hour, { sent: 0, replies: 0 });
    hours.get(hour)![what]++;
  };
  const counts = new Map(replies.map(({ text }) => [text, 0]));
  let last: string | null = null;
  for (const { player } of parts) {
    const moment = player?.reminders.at(-1) ?? null;
    if (moment !== null && (last === null || timestamp(moment) > last)) last = timestamp(moment);
  }
  for (const { at, replied_at: repliedAt, reply } of rows) {
    for (const moment of [at, repliedAt]) if (moment !== null && (last === null || moment > last)) last = moment;
    if (reply !== null) counts.set(reply, counts.get(reply)! + 1);
  }
  for (const { at, replied_at: repliedAt } of sent)
    await share(() => {
      count('sent', at);
      count('replies', repliedAt);
    });
  const answered = [...counts].map(([text, n]) => ({ text, count: n, opts_out: optsOut(text) }));
  return {
    ends_at: last,
    recipients: rows.length,
    sent: sent.length,
    first_at: sent[0]?.at ?? null,
    last_at: sent.at(-1)?.at ?? null,
    replied: answered.reduce((sum, { count: n }) => sum + n, 0),
    opted_out: answered.reduce((sum, { count: n, opts_out: isOut }) => sum + (isOut ? n : 0), 0),
    reminders: parts.reduce((sum, { player }) => sum + (player?.reminders.length ?? 0), 0),
    reminded: rows.filter(({ reminded_at: at }) => at !== null).length,
    left_out: leftOut(rows),
    by_hour: [...hours].toSorted(([one], [other]) => one - other).map(([at, n]) => ({ at: timestamp(at), ...n })),
    replies: answered,
    rows: allRows ? rows : rows.slice(0, REHEARSED_SAMPLE),
  };
}

function leftOut(rows: readonly RehearsedRecipient[]): CampaignRehearsal['left_out'] {
  const groups = new Map<string, CampaignRehearsal['left_out'][number]>();
  for (const { status, reason } of rows) {
    if (status === 'sent' || status === 'replied') continue;
    const name = `${status} ${reason}`;
    if (!groups.has(name)) groups.set(name, { status, reason, count: 0 });
    groups.get(name)!.count++;
  }
  return [...groups.values()].toSorted((one, other) => other.count - one.count);
}

function rowOf({ cast, player }: Part): RehearsedRecipient {
  const { person } = cast.recipient;
  const { status, reason } = player ?? cast.left!;
  const isSent = status === 'sent';
  return {
    ref: cast.ref,
    end_user_id: cast.isKnown ? person.id : null,
    name: person.name,
    time_zone: person.time_zone,
    status: player?.reply ? 'replied' : status,
    reason,
    at: player?.at ? timestamp(player.at) : null,
    text: isSent ? cast.text : null,
    replied_at: player?.reply ? timestamp(player.reply.at) : null,
    reply: player?.reply?.text ?? null,
    reminded_at: player?.reminders[0] ? timestamp(player.reminders[0]) : null,
  };
}

const isSilent = ({ status }: RehearsedRecipient): number => (status === 'sent' || status === 'replied' ? 0 : 1);

const byTime = (one: RehearsedRecipient, other: RehearsedRecipient): number =>
  isSilent(one) - isSilent(other) || ((one.at ?? '') < (other.at ?? '') ? -1 : one.at === other.at ? 0 : 1);
