import { reminderText, silentStep } from '../../answering/no-reply.ts';
import type { LoadedAgent } from '../../answering/load-agent.ts';
import { completedTurn, silentTurn, silenceAfter, skipReason } from '../../answering/take-turn.ts';
import { channelKinds } from '../../channels/kinds.ts';
import type { LocalizedText } from '../../../contract/agents.ts';
import type { TurnRequest, TurnResult } from '../../engine/provider.ts';
import { nextOpening } from '../../features/campaigns/quiet-hours.ts';
import type { Span } from '../../kernel/traces/tracer.ts';
import { isInWindow } from '../../kernel/reply-window.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import { readLastInbound } from '../../store/conversations/read.ts';
import type { Db } from '../../store/db.ts';
import type { ClaimedRun } from '../../store/runs/claim.ts';
import type { CompletedTurn } from '../../store/runs/complete.ts';
import { type EndDeps, endRun } from './end-run.ts';

/** The reason of a run that ended because the person did not answer. */
const NO_REPLY = 'no_reply';

/** True: the run is due because the person has not answered. False: a message waits for an answer. */
export const isSilent = (run: ClaimedRun): boolean =>
  run.is_silence_due &&
  run.turns > 0 &&
  run.unanswered.length === 0 &&
  run.conversation_status === 'open' &&
  run.conversation_run_id === run.run_id;

/** Sends the reminder that is due, or ends the run, as the definition says (`no_reply`). */
export async function actOnSilence(
  deps: EndDeps & { db: Db },
  run: ClaimedRun,
  loaded: LoadedAgent,
  request: TurnRequest,
  traced?: Span,
): Promise<CompletedTurn> {
  const { definition } = loaded.agent;
  const step = silentStep(definition, run.silent_steps);
  // A new version of the agent may not define the reminder that is due.
  if (step === null) return waiting(run, { seconds: null, steps: run.silent_steps });
  if (step.kind === 'remind') return remind(deps.db, run, loaded, request, step.text);
  const next = step.kind === 'complete' ? 'completed' : 'handed_off';
  const turn = await endRun(deps, run, loaded, request, { next, reason: NO_REPLY }, traced);
  return { ...turn, ...(next === 'handed_off' && { handOffReason: NO_REPLY }) };
}

/**
 * Sends a reminder, or delays it until quiet hours or a pause of the campaign end. If a reminder must not be sent, the
 * step is skipped.
 */
async function remind(
  db: Db,
  run: ClaimedRun,
  loaded: LoadedAgent,
  request: TurnRequest,
  text: LocalizedText,
): Promise<CompletedTurn> {
  const { now } = request;
  const opening = await nextHour(db, run, now);
  if (opening !== null && opening > now) {
    const seconds = (opening.getTime() - now.getTime()) / 1_000;
    return waiting(run, { seconds, steps: run.silent_steps });
  }
  const steps = run.silent_steps + 1;
  const silence = silenceAfter(loaded.agent.definition, steps);
  if (opening === null || skipReason(run) !== null || !(await isWindowOpen(db, run, now))) return waiting(run, silence);
  const variables = { ...request.variables, agent: { name: loaded.agent.name } };
  const words = reminderText(text, { ...request, variables });
  if (words === null) return waiting(run, silence);
  const trace = { provider: NO_REPLY, steps: [{ kind: 'reminder', detail: `Reminder ${steps}` }] };
  const messages = [{ content: { type: 'text' as const, text: words }, sources: [] }];
  const turn: TurnResult = { messages, state: run.state, next: 'waiting_for_user', tags: [], opted_out: false, trace };
  return { ...completedTurn(run, loaded, turn), silence };
}

const waiting = (run: ClaimedRun, silence: CompletedTurn['silence']): CompletedTurn => ({
  ...silentTurn(run, 'waiting_for_user', null),
  silence,
});

/** A reminder checks at this interval whether the pause of its campaign has ended. */
const PAUSED_MS = 10 * 60_000;

/**
 * The next time at which the campaign of the run may send. During a pause of the campaign, it is the next check.
 * Without a campaign, the result is the current time. Null: the campaign may never send again.
 */
async function nextHour(db: Db, run: ClaimedRun, now: Date): Promise<Date | null> {
  const { campaign_id: id } = run.input;
  const campaign = id === undefined ? null : await readCampaign(db, run.org_id, id);
  if (campaign?.state === 'paused') return new Date(now.getTime() + PAUSED_MS);
  const settings = campaign?.settings;
  return settings ? nextOpening(settings, run.end_user.time_zone ?? settings.time_zone ?? 'UTC', now) : now;
}

async function isWindowOpen(db: Db, run: ClaimedRun, now: Date): Promise<boolean> {
  const hours = channelKinds.get(run.channel_kind)?.capabilities.reply_window_hours ?? null;
  if (hours === null) return true;
  return isInWindow(hours, await readLastInbound(db, run.org_id, run.conversation_id), now.getTime());
}
