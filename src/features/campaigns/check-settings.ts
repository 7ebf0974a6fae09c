import type { CampaignSettings } from '../../../contract/campaigns.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import { templateFault } from '../../engine/templates.ts';
import { nextOpening } from './quiet-hours.ts';

/** Checks the rules for a campaign's settings that the schema cannot express. */
export function checkSettings(settings: CampaignSettings): void {
  const faults: Fault[] = [];
  const { opening, starts_at: startsAt, ends_at: endsAt } = settings;
  const texts: [string, string][] = [
    ...Object.entries(opening?.text ?? {}).map(([key, text]): [string, string] => [`/opening/text/${key}`, text]),
    ...Object.entries(opening?.template?.variables ?? {}).map(([key, text]): [string, string] => [
      `/opening/template/variables/${key}`,
      text,
    ]),
  ];
  for (const [pointer, text] of texts) {
    const detail = templateFault(text);
    if (detail !== null) faults.push({ pointer: `/settings${pointer}`, code: 'template', detail });
  }
  if (startsAt && endsAt && new Date(endsAt) <= new Date(startsAt))
    faults.push({ pointer: '/settings/ends_at', code: 'out_of_range', detail: 'Must be after starts_at.' });
  if (nextOpening(settings, 'UTC', new Date()) === null)
    faults.push({
      pointer: '/settings/quiet_hours/to',
      code: 'never_open',
      detail: 'The quiet hours cover the whole window: no message could ever be sent.',
    });
  if (faults.length > 0) throw new Refusal('validation_failed', undefined, { errors: faults });
}
