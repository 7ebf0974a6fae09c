import type { CampaignSettings } from '../../../contract/campaigns.ts';
import type { CampaignPreview, PreviewCampaignBody } from '../../../contract/dashboard/campaigns.ts';
import { timestamp } from '../../kernel/clock.ts';
import { nextOpening } from '../../features/campaigns/opening-hours.ts';
import { openingOf } from './plan-dispatch.ts';

/** What a person in a time zone would receive, and when, by the same rules as in the worker. Stores nothing. */
export function previewCampaign(settings: CampaignSettings, said: PreviewCampaignBody, now: Date): CampaignPreview {
  const { end_user: person = {}, variables = {}, time_zone: zone } = said;
  const starts = settings.starts_at ? new Date(settings.starts_at) : now;
  const from = said.at ? new Date(said.at) : starts > now ? starts : now;
  const opens = nextOpening(settings, zone ?? settings.time_zone ?? 'UTC', from);
  const empty = new Set<string>();
  const without = openingOf(settings, person.locale ?? null, {}, empty);
  // An empty place in any language counts, also in one that this person does not read.
  for (const language of Object.keys(settings.opening?.text ?? {})) openingOf(settings, language, {}, empty);
  const isOver = settings.ends_at && opens && opens >= new Date(settings.ends_at);
  return {
    from: timestamp(from),
    goes_out_at: opens && !isOver ? timestamp(opens) : null,
    opening: openingOf(settings, person.locale ?? null, { ...variables, end_user: person }),
    without: { opening: without, empty: [...empty] },
  };
}
