import { NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState, type ReactNode } from 'react';
import type {
  CampaignPreview,
  CampaignRecord,
  PreviewCampaignBody,
} from '../../../../../contract/dashboard/campaigns.ts';
import { useAct } from '../../../api/queries.ts';
import { OFFERED_LANGUAGES } from '../../../language/offered.ts';
import { relative, utc } from '../../../language/format.ts';
import { useWords } from '../../../language/words.tsx';
import { Card } from '../../../parts/card.tsx';
import { useNow } from '../../../parts/moment.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useOrganization } from '../../../session/session.ts';
import { AgentLink } from '../../agents/agent-select.tsx';
import { useAgentNames } from '../../settings/integrations/api-keys/names.ts';
import { mentionedIn } from './mentioned.ts';
import type { SettingsDraft } from './use-settings-draft.ts';
import { words } from './words.ts';
import { ZoneSelect } from './zone-select.tsx';
import classes from './settings.module.css';

const PAUSE_MS = 350;
const MAX_VALUE = 200;
type Person = { zone: string | null; locale: string; name: string; values: Record<string, string> };
type Props = { item: CampaignRecord; draft: SettingsDraft };

/** What a recipient would get with the settings on this page, and when. */
export function PreviewCard({ item, draft }: Props): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const [person, setPerson] = useState<Person>({ zone: null, locale: say.language, name: 'Asha', values: {} });
  const preview = useAct('previewCampaign', { refresh: [] });
  const names = mentionedIn(draft.settings);
  const zone = person.zone ?? draft.values.zone;
  const body: PreviewCampaignBody = {
    settings: draft.settings,
    time_zone: zone,
    end_user: { locale: person.locale, ...(person.name.trim() !== '' && { name: person.name.trim() }) },
    variables: Object.fromEntries(names.map((name) => [name, person.values[name] ?? `{{${name}}}`])),
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
              value={person.values[name] ?? ''}
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
  const say = useWords(words);
  const now = useNow();
  const { opening, goes_out_at: at, from } = preview;
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
    </>
  );
}

function Opening({ opening, item }: { opening: CampaignPreview['opening']; item: CampaignRecord }): ReactNode {
  const say = useWords(words);
  const agentName = useAgentNames([item.agent_id]);
  if (opening === null)
    return (
      <Text size="sm">{say.rich('by_agent', { agent: <AgentLink id={item.agent_id} nameOf={agentName} /> })}</Text>
    );
  return (
    <>
      {opening.type === 'template' && (
        <dl className={classes.facts}>
          <dt>{say('template_name')}</dt>
          <dd>
            <code>{opening.name}</code> {opening.language && <code>{opening.language}</code>}
          </dd>
          {Object.entries(opening.variables ?? {}).map(([name, value]) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd dir="auto">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {'text' in opening && opening.text && (
        <p className={classes.bubble} dir="auto">
          {opening.text}
        </p>
      )}
    </>
  );
}

/** On the clock of the person, with the day of the week. */
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
