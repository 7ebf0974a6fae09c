import type { CampaignSettings, RecipientStatus } from '../../../contract/campaigns.ts';
import { type CampaignReview, MAX_NAMED, MAX_REVIEWED } from '../../../contract/dashboard/campaigns.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { Refusal } from '../../../contract/problems.ts';
import { type Opening, renderOpening } from '../../answering/render-opening.ts';
import { channelKinds } from '../../channels/kinds.ts';
import { templateValueFault } from '../../channels/template-fault.ts';
import { nextOpening } from './quiet-hours.ts';
import { timestamp } from '../../kernel/clock.ts';
import { createLoopShare } from '../../kernel/loop-share.ts';
import { createTally } from '../../kernel/tally.ts';
import { readAgentForTurns } from '../../store/agents/read-for-turns.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import { readChannel } from '../../store/channels/channels.ts';
import type { Db } from '../../store/db.ts';
import type { EndUserFilter } from '../../store/end-users/search.ts';
import { countRecipients } from '../../store/recipients/read.ts';
import { countLost, listWaiting, type WaitingRecipient } from '../../store/recipients/review.ts';
import { readUsageSums } from '../../store/costs/read-use.ts';
import type { CampaignsDeps } from './deps.ts';
import { allOf } from './count-file-addition.ts';
import { type Enrolment, planAudience, planRows } from './rehearsal/people.ts';
import type { RecipientInputRow } from './recipient-input-row.ts';
import { templateVariables } from '../../answering/template-variables.ts';
import { openingOf } from './plan-dispatch.ts';
import { ENDED, NEVER_OPEN, whySkipped } from './skip-recipient.ts';

const PAGE = 1_000;
const SAMPLES = 3;
const MAX_REASONS = 5;
const MINUTE_MS = 60_000;
const COST_DAYS = 30;
/** Each review reads thousands of people, and viewers may start it. */
const AT_ONCE = 4;
const underWay = createTally<string>();
/** All reviews share the event loop with other work. */
const share = createLoopShare();

type Reviewed = { settings: CampaignSettings; channel_kind: string; now: Date };
type Found = Pick<CampaignReview, 'examined' | 'goes' | 'left_out' | 'empty' | 'refused' | 'faults' | 'samples'>;
/** Null: the review examines the waiting recipients. */
type People = { filter: EndUserFilter } | { rows: AsyncIterable<RecipientInputRow> } | null;
/** `isNew`: true if the person does not exist yet. */
type Reviewable = WaitingRecipient & { isNew?: boolean };

type Deps = Pick<CampaignsDeps, 'db' | 'suppression'>;

/**
 * Reviews a campaign before its start: the decisions of the worker for the recipients who wait, who match, or who are
 * in a file. The review stores nothing.
 */
export async function reviewCampaign(deps: Deps, orgId: string, id: string, people: People): Promise<CampaignReview> {
  if (underWay.of(orgId) >= AT_ONCE)
    throw new Refusal('rate_limited', `At most ${AT_ONCE} reviews of an organization run at the same time.`);
  underWay.add(orgId);
  try {
    return await review(deps, { orgId, id, people });
  } finally {
    underWay.remove(orgId);
  }
}

async function review(
  { db, suppression }: Deps,
  { orgId, id, people }: { orgId: string; id: string; people: People },
): Promise<CampaignReview> {
  const row = await readCampaign(db, orgId, id);
  if (!row) throw new Refusal('campaign_not_found');
  const channel = await readChannel(db, orgId, row.channelId);
  if (!channel) throw new Refusal('channel_disabled', "The campaign's channel was disconnected.");
  const place = { db, suppression, orgId, campaignId: id, channelId: row.channelId, channelKind: channel.kind };
  const begun = beginReview({ settings: row.settings, channel_kind: channel.kind, now: new Date() });
  const reviewed = await reviewPeople(place, begun, people);
  return {
    ...reviewed,
    samples: await withOwnOpenings(db, orgId, row.agentId, reviewed.samples, begun.sampled),
    needs_template: row.settings.opening?.template === undefined && hasReplyWindow(channel.kind),
    cost: await costOf(db, orgId, row.agentId, reviewed.goes.count),
  };
}

const hasReplyWindow = (kind: string): boolean =>
  (channelKinds.get(kind)?.capabilities.reply_window_hours ?? null) !== null;

/** If the campaign has no opening, the agent's own opening is shown, unless a model writes it. */
const withOwnOpenings = (
  db: Db,
  orgId: string,
  agentId: string,
  samples: CampaignReview['samples'],
  people: readonly Reviewable[],
): Promise<CampaignReview['samples']> =>
  Promise.all(
    samples.map(async (sample, at) => {
      const { person, variables, isNew } = people[at]!;
      if (sample.opening !== null) return sample;
      const text = await renderOpening(db, {
        orgId,
        agentId,
        endUserId: isNew ? null : person.id,
        locale: person.locale,
        variables,
        endUser: templateVariables({}, person)['end_user'] as Opening['endUser'],
      });
      return { ...sample, opening: text ? { type: 'text' as const, text } : null };
    }),
  );

const reviewPeople = (place: Enrolment, begun: Review, people: People): Promise<ReviewedPeople> => {
  if (people === null) return reviewWaiting(place, begun);
  return 'rows' in people ? reviewRows(place, begun, people.rows) : reviewMatching(place, begun, people.filter);
};

type ReviewedPeople = Omit<CampaignReview, 'cost' | 'needs_template'>;
type Review = ReturnType<typeof beginReview>;

async function reviewWaiting(place: Enrolment, review: Review): Promise<ReviewedPeople> {
  const { db, orgId, campaignId: id } = place;
  for (let after = '', left = MAX_REVIEWED; left > 0; left -= PAGE) {
    const page = await listWaiting(db, { ...place, id }, { after, limit: Math.min(PAGE, left) });
    await review.add(page);
    if (page.length < PAGE) break;
    after = page.at(-1)!.id;
  }
  const found = review.end();
  const [{ counts }, lost] = await Promise.all([countRecipients(db, orgId, id), countLost(db, orgId, id)]);
  const before = lost.map((one) => ({
    ...one,
    status: one.status as RecipientStatus,
    is_waiting: false,
    recipients: [],
  }));
  const waiting = counts.pending + counts.waiting_window;
  return { waiting, has_more: false, ...found, left_out: [...found.left_out, ...before] };
}

/** People who are already enrolled, or who may not be messaged, are left out as in an audience. */
async function reviewMatching(place: Enrolment, review: Review, filter: EndUserFilter): Promise<ReviewedPeople> {
  let examined = 0;
  let hasMore = false;
  for await (const { recipient, left } of planAudience(place, filter)) {
    if ((hasMore = examined === MAX_REVIEWED)) break;
    examined++;
    const waiting = { ...recipient, ref: null, send_at: null };
    if (left) review.leave(waiting, left as LeftOut);
    else await review.add([waiting]);
  }
  return { waiting: examined, has_more: hasMore, ...review.end() };
}

/** Reads the rows of a file to the end before the review, so that a broken file is refused. */
async function reviewRows(
  place: Enrolment,
  review: Review,
  read: AsyncIterable<RecipientInputRow>,
): Promise<ReviewedPeople> {
  const rows = await allOf(read);
  const faults: CampaignReview['faults'] = [];
  let number = 0;
  for await (const { recipient, ref, sendAt, left, isKnown, errors } of planRows(place, rows, 'campaign')) {
    number++;
    const waiting = { ...recipient, ref, send_at: sendAt, isNew: !isKnown };
    if (!left) await review.add([waiting]);
    else review.leave(waiting, left as LeftOut);
    if (left?.status === 'invalid' && faults.length < MAX_NAMED)
      faults.push({ row: number, ref, errors: errors.map(({ pointer, code, detail }) => ({ pointer, code, detail })) });
  }
  return { waiting: rows.length, has_more: false, ...review.end(), faults };
}

/** Examines waiting recipients page by page, by the rules of `planDispatch`. */
export function beginReview(campaign: Reviewed): {
  add(page: readonly Reviewable[]): Promise<void>;
  /** Counts a person who would not be enrolled, with the reason. */
  leave(recipient: Reviewable, why: LeftOut): void;
  /** The recipients of the samples. */
  sampled: readonly Reviewable[];
  end(): Found;
} {
  const { settings, now } = campaign;
  const found: Found = {
    examined: 0,
    goes: { count: 0, later: 0, first_at: null, last_at: null },
    left_out: [],
    faults: [],
    empty: { count: 0, names: [], recipients: [] },
    refused: { count: 0, reasons: [], recipients: [] },
    samples: [],
  };
  const names = new Set<string>();
  const sampled: Reviewable[] = [];
  const openingFor = openings(settings, now);
  let first: Date | null = null;
  let last: Date | null = null;
  const examine = (recipient: Reviewable): void => {
    found.examined++;
    const opens = openingFor(recipient);
    const end = whyLeftOut(campaign, recipient, opens);
    if (end || !opens) return leaveOut(found, recipient, end ?? NEVER_OPEN);
    found.goes.count++;
    if (opens > now) found.goes.later++;
    if (!first || opens < first) first = opens;
    if (!last || opens > last) last = opens;
    const empty = new Set<string>();
    const opening = openingOf(
      settings,
      recipient.person.locale,
      templateVariables(recipient.variables, recipient.person),
      empty,
    );
    if (found.samples.length < SAMPLES) {
      found.samples.push({ recipient: nameOf(recipient), goes_out_at: timestamp(opens), opening });
      sampled.push(recipient);
    }
    refuse(found, recipient, opening);
    if (empty.size === 0) return;
    found.empty.count++;
    for (const name of empty) names.add(name);
    if (found.empty.recipients.length < MAX_NAMED) found.empty.recipients.push(nameOf(recipient));
  };
  return {
    sampled,
    add: async (page) => {
      for (const recipient of page) await share(() => examine(recipient));
    },
    leave: (recipient, why) => {
      found.examined++;
      leaveOut(found, recipient, why);
    },
    end: () => {
      const { goes } = found;
      goes.first_at = first && timestamp(first);
      goes.last_at = first && last && timestamp(lastOf(first, last, goes.count, settings.per_minute));
      found.empty.names = [...names];
      return found;
    },
  };
}

/** Results are cached by zone and time, because thousands of people share a few zones and times. */
function openings(settings: CampaignSettings, now: Date): (recipient: WaitingRecipient) => Date | null {
  const known = new Map<string, Date | null>();
  const starts = Math.max(now.getTime(), Date.parse(settings.starts_at ?? '') || 0);
  return ({ person, send_at: sendAt }) => {
    const zone = person.time_zone ?? settings.time_zone ?? 'UTC';
    const from = Math.max(starts, sendAt?.getTime() ?? 0);
    const name = `${zone} ${from}`;
    if (!known.has(name)) known.set(name, nextOpening(settings, zone, new Date(from)));
    return known.get(name)!;
  };
}

type LeftOut = { status: RecipientStatus | 'duplicate' | 'invalid'; reason: string };

function whyLeftOut(campaign: Reviewed, recipient: WaitingRecipient, opens: Date | null): LeftOut | null {
  const never = whySkipped(campaign, recipient);
  if (never) return never;
  const { ends_at: ends } = campaign.settings;
  return ends && opens && opens >= new Date(ends) ? ENDED : null;
}

function leaveOut({ left_out: groups }: Found, recipient: Reviewable, { status, reason }: LeftOut): void {
  let group = groups.find((one) => one.status === status && one.reason === reason);
  if (!group) groups.push((group = { status, reason, is_waiting: true, count: 0, recipients: [] }));
  group.count++;
  // An invalid row names no person.
  if (status !== 'invalid' && group.recipients.length < MAX_NAMED) group.recipients.push(nameOf(recipient));
}

/** The provider refuses a template whose values do not fit. */
function refuse({ refused }: Found, recipient: Reviewable, opening: MessageContent | null): void {
  const reason = opening?.type === 'template' ? templateValueFault(opening.variables ?? {}) : null;
  if (reason === null) return;
  refused.count++;
  if (!refused.reasons.includes(reason) && refused.reasons.length < MAX_REASONS) refused.reasons.push(reason);
  if (refused.recipients.length < MAX_NAMED) refused.recipients.push(nameOf(recipient));
}

const nameOf = ({ id, ref, person, isNew }: Reviewable) => ({
  id,
  ref,
  end_user_id: isNew ? null : person.id,
  name: person.name ?? person.external_id ?? person.email ?? person.phone,
});

/** The rate limit can delay the last message beyond the opening hours. */
const lastOf = (first: Date, last: Date, count: number, perMinute: number | undefined): Date =>
  perMinute === undefined
    ? last
    : new Date(Math.max(last.getTime(), first.getTime() + ((count - 1) / perMinute) * MINUTE_MS));

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

async function costOf(db: Db, orgId: string, agentId: string, people: number): Promise<CampaignReview['cost']> {
  const since = dayOf(Date.now() - (COST_DAYS - 1) * 1_440 * MINUTE_MS);
  const [sum] = await readUsageSums(db, 'all', { orgId, agentId, since, until: dayOf(Date.now()) });
  const { turns = 0, unpriced = 0, costs = {} } = sum ?? {};
  const agent = await readAgentForTurns(db.$client, orgId, agentId);
  const tried = agent?.rollout && (await readAgentForTurns(db.$client, orgId, agentId, agent.rollout.version));
  const times = (factor: number) =>
    Object.entries(costs).map(([currency, amount]) => ({
      amount: ((Number(amount) / turns) * factor).toFixed(6),
      currency,
    }));
  return {
    uses_model: [agent, tried].some((one) => (one?.definition.provider ?? 'embedded') !== 'embedded'),
    turns,
    unpriced_tokens: unpriced,
    per_turn: turns > 0 ? times(1) : [],
    one_turn_each: turns > 0 ? times(people) : [],
  };
}
