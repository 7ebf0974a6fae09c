import type { AgentDefinition } from '../../../../contract/agents.ts';
import { minutesToStep, silentStep } from '../../../answering/no-reply.ts';
import { channelKinds } from '../../../channels/kinds.ts';
import { isInWindow } from '../../../kernel/reply-window.ts';
import type { nextOpening } from '../quiet-hours.ts';
import type { Player } from './play-clock.ts';

type Stage = {
  definition: AgentDefinition;
  channelKind: string;
  /** The time zone of people without a time zone. */
  timeZone: string;
  opensIn: (timeZone: string, at: Date) => ReturnType<typeof nextOpening>;
};

const MINUTE_MS = 60_000;

/**
 * Plays the reminders of a messaged recipient by the steps of `no_reply` (src/worker/turns/act-on-silence.ts), before
 * the reply of the person and again after it. The agent is assumed to answer immediately and to wait for the person.
 */
export function playSilence(stage: Stage, { at, reply, recipient: { person } }: Player, optsOut: boolean): Date[] {
  if (at === null) return [];
  const zone = person.time_zone ?? stage.timeZone;
  const before = remindersBetween(stage, zone, at, reply?.at ?? null, null);
  if (reply === null || optsOut) return before;
  return [...before, ...remindersBetween(stage, zone, reply.at, null, reply.at)];
}

/** `wrote`: the last message of the person, for the reply window of the channel. */
function remindersBetween(
  { definition, channelKind, opensIn }: Stage,
  zone: string,
  from: Date,
  until: Date | null,
  wrote: Date | null,
): Date[] {
  const hours = channelKinds.get(channelKind)?.capabilities.reply_window_hours ?? null;
  const reminders: Date[] = [];
  let time = from;
  for (let steps = 0; ; steps++) {
    const minutes = minutesToStep(definition, steps);
    if (minutes === null || silentStep(definition, steps)?.kind !== 'remind') return reminders;
    const due = new Date(time.getTime() + minutes * MINUTE_MS);
    const opening = opensIn(zone, due);
    time = opening ?? due;
    if (until !== null && time >= until) return reminders;
    if (opening !== null && isInWindow(hours, wrote, time.getTime())) reminders.push(time);
  }
}
