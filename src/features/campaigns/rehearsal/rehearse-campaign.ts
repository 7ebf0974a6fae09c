import {
  type CampaignRehearsal,
  MAX_REHEARSED,
  type RehearseCampaignBody,
} from '../../../../contract/dashboard/rehearsals.ts';
import type { AgentDefinition } from '../../../../contract/agents.ts';
import type { CampaignSettings } from '../../../../contract/campaigns.ts';
import { invalidAt, Refusal } from '../../../../contract/problems.ts';
import { nextOpening } from '../quiet-hours.ts';
import { checkSettings } from '../check-settings.ts';
import { createLoopShare } from '../../../kernel/loop-share.ts';
import { timestamp } from '../../../kernel/clock.ts';
import { readAgent } from '../../../store/agents/read.ts';
import { readCampaign } from '../../../store/campaigns/campaigns.ts';
import { readChannel } from '../../../store/channels/channels.ts';
import type { EndUserFilter } from '../../../store/end-users/search.ts';
import type { CampaignsDeps } from '../deps.ts';
import { parseRecipients } from '../parse-recipients.ts';
import { type Cast, inventedPeople, matchingPeople, type Place, fileOnes, waitingPeople } from './people.ts';
import { type Player, playClock } from './play-clock.ts';
import { playSilence } from './play-silence.ts';
import { type Part, tellRehearsal } from './report.ts';
import { readScript } from './script.ts';

type RehearsalDeps = Pick<CampaignsDeps, 'db' | 'suppression'>;

export type AskedRehearsal = Omit<RehearseCampaignBody, 'filters'> & { filter: EndUserFilter | null };

/**
 * The time is half of the time that a reader waits. Ten thousand people in all existing time zones take a few seconds.
 */
const LONGEST_MS = 30_000;
/**
 * Each rehearsal uses its share of the event loop for some seconds. One organization may run only one rehearsal at a
 * time.
 */
const AT_ONCE = 2;

/** The organizations whose rehearsal runs in this process. */
const running = new Set<string>();

/** Runs a campaign on a virtual clock, by the rules of the worker. A rehearsal sends nothing and stores nothing. */
export async function rehearseCampaign(
  deps: RehearsalDeps,
  orgId: string,
  id: string,
  asked: AskedRehearsal,
): Promise<CampaignRehearsal> {
  checkAsked(asked);
  if (running.has(orgId)) throw new Refusal('rate_limited', 'An organization can run only one rehearsal at a time.');
  if (running.size >= AT_ONCE) throw new Refusal('unavailable', 'Other rehearsals are running on this server.');
  running.add(orgId);
  try {
    return await rehearse(deps, orgId, id, asked);
  } finally {
    running.delete(orgId);
  }
}

function checkAsked({ filter, file, made_up: madeUp, replies = [] }: AskedRehearsal): void {
  if ([filter ?? undefined, file, madeUp].filter((one) => one !== undefined).length > 1)
    throw invalidAt('', 'conflict', 'Give at most one of filters, file and made_up.');
  if (replies.reduce((sum, { percent = 0 }) => sum + percent, 0) > 100)
    throw invalidAt('/replies', 'out_of_range', 'The sum of all percentages is at most 100.');
}

async function rehearse({ db, suppression }: RehearsalDeps, orgId: string, id: string, asked: AskedRehearsal) {
  const deadline = performance.now() + LONGEST_MS;
  const row = await readCampaign(db, orgId, id);
  if (!row) throw new Refusal('campaign_not_found');
  const channel = await readChannel(db, orgId, row.channelId);
  if (!channel) throw new Refusal('channel_disabled', "The campaign's channel was disconnected.");
  const { settings = row.settings, replies = [], begins_at: begin } = asked;
  checkSettings(settings);
  const beginsAt = begin ? new Date(begin) : new Date();
  const empty = { count: 0, names: new Set<string>() };
  const place: Place = {
    db,
    suppression,
    orgId,
    campaignId: id,
    channelId: row.channelId,
    channelKind: channel.kind,
    settings,
    onEmpty: (names) => {
      empty.count++;
      for (const name of names) empty.names.add(name);
    },
  };
  const { parts, hasMore } = await gather(place, asked, beginsAt);
  const refs = new Map(parts.map(({ cast, player }) => [player, cast.ref]));
  const script = readScript(replies, (player) => refs.get(player) ?? null);
  const players = parts.flatMap(({ player }) => player ?? []);
  const stage = { settings, channelKind: channel.kind, beginsAt, replyOf: script.replyOf, deadline };
  let stopped = await playClock(stage, players);
  const definition = (await readAgent(db, orgId, row.agentId))?.published ?? {};
  if (definition.no_reply?.remind) stopped ??= await remindAll(players, { ...stage, definition }, script.optsOut);
  return {
    begins_at: timestamp(beginsAt),
    stopped,
    has_more: hasMore,
    empty: { count: empty.count, names: [...empty.names] },
    ...(await tellRehearsal(parts, replies, script.optsOut, asked.all_rows ?? false)),
  };
}

type Reminding = {
  settings: CampaignSettings;
  channelKind: string;
  definition: AgentDefinition;
  deadline: number;
};

/** The reminders change no first message, so they are played after all first messages. */
async function remindAll(
  players: readonly Player[],
  { settings, deadline, ...stage }: Reminding,
  optsOut: (text: string) => boolean,
): Promise<CampaignRehearsal['stopped']> {
  const share = createLoopShare();
  const timeZone = settings.time_zone ?? 'UTC';
  const opensIn = openingsByMinute(settings);
  for (const player of players) {
    if (performance.now() > deadline) return 'took_too_long';
    if (player.status !== 'sent') continue;
    await share(() => {
      const isOut = player.reply !== null && optsOut(player.reply.text);
      player.reminders = playSilence({ ...stage, timeZone, opensIn }, player, isOut);
    });
  }
  return null;
}

const MINUTE_MS = 60_000;

/**
 * Computes `nextOpening` once for each minute, because many people share a few time zones and hours are whole minutes.
 */
function openingsByMinute(settings: CampaignSettings): (timeZone: string, at: Date) => Date | null {
  const known = new Map<string, Date | null>();
  return (timeZone, at) => {
    const name = `${timeZone} ${Math.floor(at.getTime() / MINUTE_MS)}`;
    if (!known.has(name)) known.set(name, nextOpening(settings, timeZone, at));
    const opens = known.get(name)!;
    return opens && opens < at ? at : opens;
  };
}

async function gather(
  place: Place,
  asked: AskedRehearsal,
  beginsAt: Date,
): Promise<{ parts: Part[]; hasMore: boolean }> {
  const parts: Part[] = [];
  const share = createLoopShare();
  for await (const cast of sourceOf(place, asked)) {
    if (parts.length === MAX_REHEARSED) return { parts, hasMore: true };
    const player = await share(() => (cast.left ? null : playerOf(cast, place, beginsAt)));
    parts.push({ cast, player });
  }
  return { parts, hasMore: false };
}

function sourceOf(
  place: Place,
  { filter, file, made_up: madeUp, dedupe = 'campaign' }: AskedRehearsal,
): AsyncGenerator<Cast> {
  if (filter) return matchingPeople(place, filter);
  if (madeUp) return inventedPeople(place, madeUp);
  return file === undefined ? waitingPeople(place) : fileOnes(place, parseRecipients(file), dedupe);
}

/**
 * The time of a recipient is the latest of its own time, the start of the campaign, and the current time, as in an
 * addition.
 */
function playerOf({ recipient, sendAt }: Cast, { settings }: Place, beginsAt: Date): Player {
  const times = [sendAt?.getTime() ?? 0, Date.parse(settings.starts_at ?? '') || 0, beginsAt.getTime()];
  const dueAt = new Date(Math.max(...times));
  return { recipient, dueAt, status: 'waiting', reason: null, at: null, reply: null, reminders: [] };
}
