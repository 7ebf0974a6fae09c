import {
  type Change,
  NUMBER_PERIODS,
  type NumberPeriod,
  type Numbers,
} from '../../../contract/dashboard/statistics.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { Db } from '../../store/db.ts';
import { countDay } from '../../store/statistics/count-day.ts';
import { type CountedDay, readDays, storeDay } from '../../store/statistics/days.ts';
import { type Day, DAY_MS, isCounted, median, recountDays, timesOf } from './recount-days.ts';

const HOUR_MS = 3_600_000;

export type StatisticsDeps = { db: Db; now?: () => number };

/** Reads the counts of the newest hours, and of equally many hours before them. */
export async function readStatistics(
  deps: StatisticsDeps,
  orgId: string,
  period: NumberPeriod = '24h',
): Promise<Numbers> {
  const now = deps.now?.() ?? Date.now();
  const hours = NUMBER_PERIODS[period];
  const to = Math.floor(now / HOUR_MS) * HOUR_MS + HOUR_MS;
  const from = to - hours * HOUR_MS;
  const before = from - hours * HOUR_MS;
  const { days, complete } = await countedDays(deps.db, orgId, before, now);
  const [current, earlier] = [sumOf(days, from, to), sumOf(days, before, from)];
  const change = (name: string): Change => ({ now: current.total(name), before: earlier.total(name) });
  return {
    period,
    from: timestamp(new Date(from)),
    to: timestamp(new Date(to)),
    complete,
    conversations: change('conversations'),
    ended: change('ended:'),
    ended_alone: change('ended:alone'),
    ended_no_reply: change('ended:no_reply'),
    handed_off: change('handed_off:'),
    hand_off_reasons: current.named('handed_off:'),
    first_reply_seconds: { now: median(current.waits), before: median(earlier.waits) },
    ratings: change('rating:'),
    rating_average: { now: averageOf(current.named('rating:')), before: averageOf(earlier.named('rating:')) },
    rating_scores: current.named('rating:'),
    answers_good: change('answer:1'),
    answers_bad: change('answer:-1'),
    messages: change('message:'),
    message_states: current.named('message:'),
    calls: change('call:'),
    refused: change('call:refused'),
    failed: change('call:failed'),
    refusals: current.named('refusal:'),
    hours: current.hours(),
  };
}

/**
 * This process runs one count of an organization at a time, so many simultaneous readers need as much work as one
 * reader. A reader who waited for the count of a shorter period gets `complete: false` and requests it again.
 */
const counting = new Map<string, Promise<boolean>>();

async function countedDays(
  db: Db,
  orgId: string,
  since: number,
  now: number,
): Promise<{ days: CountedDay[]; complete: boolean }> {
  const wanted = daysSince(since, now);
  const other = counting.get(orgId);
  const isDone = await (other ?? begin());
  const days = await readDays(db, orgId, dayOf(since));
  return { days, complete: other === undefined ? isDone : isCounted(wanted, timesOf(days), now) };

  function begin(): Promise<boolean> {
    const work = count(db, orgId, wanted, now).finally(() => counting.delete(orgId));
    counting.set(orgId, work);
    return work;
  }
}

async function count(db: Db, orgId: string, days: readonly Day[], now: number): Promise<boolean> {
  const known = timesOf(await readDays(db, orgId, days.at(-1)!.day));
  return recountDays(days, known, now, async ({ day, from }) => {
    const countedAt = new Date(now);
    await storeDay(db, orgId, { day, counts: await countDay(db, orgId, from), countedAt });
  });
}

/** The newest day first. */
function daysSince(since: number, now: number): Day[] {
  const days: Day[] = [];
  for (let from = startOf(now); from >= startOf(since); from -= DAY_MS)
    days.push({ day: dayOf(from), from, to: from + DAY_MS });
  return days;
}

const startOf = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Sums the hours of counted days between two moments. */
function sumOf(days: readonly CountedDay[], from: number, to: number) {
  const totals = new Map<string, number>();
  const byHour = new Map<number, { conversations: number; handed_off: number }>();
  const waits: number[] = [];
  for (const { day, counts } of days) {
    const start = Date.parse(`${day}T00:00:00Z`);
    for (const [name, hours] of Object.entries(counts)) {
      for (const [hour, n] of Object.entries(hours)) {
        const at = start + Number(hour) * HOUR_MS;
        if (at < from || at >= to) continue;
        if (typeof n !== 'number') {
          waits.push(...n);
          continue;
        }
        totals.set(name, (totals.get(name) ?? 0) + n);
        const column = name === 'conversations' ? name : name.startsWith('handed_off:') ? 'handed_off' : null;
        if (column === null) continue;
        const one = byHour.get(at) ?? { conversations: 0, handed_off: 0 };
        one[column] += n;
        byHour.set(at, one);
      }
    }
  }
  /** For a name that ends in a colon, the result is the sum of all counts whose names begin with it. */
  const total = (name: string): number =>
    name.endsWith(':') ? named(name).reduce((sum, { count }) => sum + count, 0) : (totals.get(name) ?? 0);
  const named = (prefix: string): { name: string; count: number }[] =>
    [...totals]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, count]) => ({ name: name.slice(prefix.length), count }))
      .toSorted((a, b) => b.count - a.count || a.name.localeCompare(b.name));
  const hours = (): Numbers['hours'] =>
    [...byHour].toSorted(([a], [b]) => a - b).map(([at, of]) => ({ at: timestamp(new Date(at)), ...of }));
  return { total, named, waits, hours };
}

/** Returns the average of surveys that are counted by their score. */
function averageOf(scores: readonly { name: string; count: number }[]): number | null {
  const count = scores.reduce((sum, one) => sum + one.count, 0);
  return count === 0 ? null : scores.reduce((sum, one) => sum + Number(one.name) * one.count, 0) / count;
}
