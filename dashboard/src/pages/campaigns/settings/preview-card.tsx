import { NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState, type ReactNode } from 'react';
import type {
  CampaignPreview,
  CampaignRecord,
  PreviewCampaignBody,
} from '../../../../../contract/dashboard/campaigns.ts';
import { useAct } from '../../../api/queries.ts';
import { OFFERED_LANGUAGES } from '../../../language/language-list.ts';
import { relative, utc } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { useNow } from '../../../parts/moment.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useOrganization } from '../../../session/session.ts';
import { EmptyPlaces } from './empty-places.tsx';
import { Opening } from './opening.tsx';
import { openingVariables } from './opening-variables.ts';
import type { SettingsDraft } from './use-settings-draft.ts';
import { texts } from './texts.ts';
import { ZoneSelect } from '../../../parts/zone-select.tsx';
import classes from './settings.module.css';

const PAUSE_MS = 350;
const MAX_VALUE = 200;
type Person = { zone: string | null; locale: string; name: string; values: Record<string, string> };
type Props = { item: CampaignRecord; draft: SettingsDraft };

/**
 * Returns a value that is clearly a sample. The field of the value contains the sample, so the user can change or
 * remove it.
 */
const sampleOf = (name: string): string => `[${name}]`;

/** The card shows the message and the time that a recipient would get with the settings on this page. */
export function PreviewCard({ item, draft }: Props): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const [person, setPerson] = useState<Person>({ zone: null, locale: say.language, name: 'Asha', values: {} });
  const preview = useAct('previewCampaign', { refresh: [] });
  const names = openingVariables(draft.settings);
  const zone = person.zone ?? draft.values.zone;
  const body: PreviewCampaignBody = {
    settings: draft.settings,
    time_zone: zone,
    end_user: { locale: person.locale, ...(person.name.trim() !== '' && { name: person.name.trim() }) },
    variables: Object.fromEntries(names.map((name) => [name, person.values[name] ?? sampleOf(name)])),
  };
  const [asked] = useDebouncedValue(JSON.stringify(body), PAUSE_MS);
  const { mutate } = preview;
  useEffect(() => {
    if (draft.isWhole)
      mutate({ params: { org_id, campaign_id: item.id }, body: JSON.parse(asked) as PreviewCampaignBody });
  }, [asked, draft.isWhole, mutate, org_id, item.id]);
  const change = (part: Partial<Person>): void => setPerson({ ...person, ...part });
  const languages = new Intl.DisplayNames(say.language, { type: 'language', fallback: 'code' });
  const fault = preview.error?.faults[0];
  return (
    <Card title={say('preview')} description={say('preview_hint')}>
      <Stack gap="md">
        <ZoneSelect
          size="xs"
          label={say('preview_zone')}
          value={zone}
          onChange={(chosen) => change({ zone: chosen })}
        />
        <div className={classes.pair}>
          <NativeSelect
            size="xs"
            label={say('preview_language')}
            value={person.locale}
            data={OFFERED_LANGUAGES.map((one) => ({ value: one, label: languages.of(one) ?? one }))}
            onChange={(event) => change({ locale: event.currentTarget.value })}
          />
          <TextInput
            size="xs"
            label={say('preview_name')}
            autoComplete="off"
            dir="auto"
            maxLength={MAX_VALUE}
            value={person.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          {names.map((name) => (
            <TextInput
              key={name}
              size="xs"
              label={<code>{name}</code>}
              autoComplete="off"
              dir="auto"
              maxLength={MAX_VALUE}
              value={person.values[name] ?? sampleOf(name)}
              onChange={(event) => change({ values: { ...person.values, [name]: event.currentTarget.value } })}
            />
          ))}
        </div>
        <div className={classes.outcome} role="status" aria-busy={preview.isPending || undefined}>
          {!draft.isWhole ? (
            <Text size="sm" c="dimmed">
              {say('preview_incomplete')}
            </Text>
          ) : fault ? (
            <Text size="sm" c="var(--mantine-color-error)" dir="auto">
              {fault.detail}
            </Text>
          ) : preview.data ? (
            <Outcome preview={preview.data} zone={zone} item={item} />
          ) : (
            preview.error && <ProblemAlert problem={preview.error} />
          )}
        </div>
      </Stack>
    </Card>
  );
}

function Outcome({ preview, zone, item }: { preview: CampaignPreview; zone: string; item: CampaignRecord }): ReactNode {
  const say = useTexts(texts);
  const now = useNow();
  const { opening, without, goes_out_at: at, from } = preview;
  const isOther = JSON.stringify(without.opening) !== JSON.stringify(opening);
  return (
    <>
      <dl className={classes.facts}>
        <dt>{say('goes_out')}</dt>
        <dd data-goes-out>
          {at === null ? (
            <b>{say('never')}</b>
          ) : (
            <>
              <b>
                {at === from && Date.parse(at) <= now + PAUSE_MS ? say('at_once') : localMoment(say.language, at, zone)}
              </b>
              {Date.parse(at) > now + PAUSE_MS && <span> ({relative(say.language, at, now)})</span>}
              <small className="ltr">{utc(at)}</small>
            </>
          )}
        </dd>
      </dl>
      <Opening opening={opening} item={item} />
      {isOther && (
        <div data-without>
          <Text size="xs" c="dimmed" mt="md" mb={6}>
            {say('preview_without')}
          </Text>
          <Opening opening={without.opening} item={item} />
        </div>
      )}
      <EmptyPlaces names={without.empty} />
    </>
  );
}

/** Shows the time in the person's time zone, with the day of the week. */
const localMoment = (language: string, at: string, timeZone: string): string =>
  new Intl.DateTimeFormat(language === 'ar' ? 'ar-u-nu-latn' : language, {
    weekday: 'long',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }).format(new Date(at));
