import type { RehearseCampaignBody } from '../../../../../contract/dashboard/rehearsals.ts';
import type { CampaignRecord } from '../../../../../contract/dashboard/campaigns.ts';
import { useAct } from '../../../api/queries.ts';
import { useOrganization } from '../../../session/session.ts';
import { NO_FILE } from '../additions/recipients-file.tsx';
import type { SettingsDraft } from '../settings/use-settings-draft.ts';
import { useKept } from '../use-kept.ts';

export const SOURCES = ['made_up', 'filters', 'file', 'waiting'] as const;
export type Source = (typeof SOURCES)[number];

export type Reply = { key: number; text: string; percent: number | undefined; after: number | undefined };

const UNASKED = {
  source: 'made_up' as Source,
  count: 1_000 as number | undefined,
  zones: [] as string[],
  optedOut: undefined as number | undefined,
  unnamed: undefined as number | undefined,
  filters: { tag: '', attribute: '', text: '' },
  file: NO_FILE,
  beginsAt: undefined as string | undefined,
  replies: [] as Reply[],
};
export type Asked = typeof UNASKED;

/**
 * Holds the input of a rehearsal, and its report. Any change of the input removes the report, which belongs to the old
 * input.
 */
export function useRehearsal(item: CampaignRecord, draft: SettingsDraft) {
  const org_id = useOrganization().id;
  const [asked, setAsked] = useKept<Asked>('rehearsal', UNASKED);
  const act = useAct('rehearseCampaign', { refresh: [] });
  const params = { org_id, campaign_id: item.id };
  const body = bodyOf(asked, draft.isWhole ? draft.settings : item.settings);
  return {
    asked,
    change: (part: Partial<Asked>) => {
      setAsked((now) => ({ ...now, ...part }));
      act.reset();
    },
    run: () => act.mutate({ params, body: { ...body, all_rows: true } }),
    report: act.data,
    problem: act.error,
    isRunning: act.isPending,
  };
}
export type Rehearsal = ReturnType<typeof useRehearsal>;

function bodyOf(asked: Asked, settings: RehearseCampaignBody['settings']): RehearseCampaignBody {
  const replies = asked.replies.flatMap(({ text, percent = 0, after = 0 }) =>
    text.trim() === '' ? [] : [{ text: text.trim(), percent, after_minutes: after }],
  );
  return {
    settings,
    ...(asked.beginsAt !== undefined && { begins_at: asked.beginsAt }),
    ...(replies.length > 0 && { replies }),
    ...peopleOf(asked),
  };
}

function peopleOf({
  source,
  count = 1,
  zones,
  optedOut,
  unnamed,
  filters,
  file,
}: Asked): Partial<RehearseCampaignBody> {
  if (source === 'waiting') return {};
  if (source === 'file') return { file: file.text ?? ' ' };
  if (source === 'filters') {
    const typed = Object.entries(filters).map(([name, value]) => [name, value.trim()] as const);
    return { filters: Object.fromEntries(typed.filter(([, value]) => value !== '')) };
  }
  const made = {
    count,
    ...(zones.length > 0 && { time_zones: zones }),
    ...(optedOut !== undefined && { opted_out: optedOut }),
    ...(unnamed !== undefined && { unnamed }),
  };
  return { made_up: made };
}
