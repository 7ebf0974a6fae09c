import { Anchor, Loader, Text } from '@mantine/core';
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { KEY_PLACE, samplesOf } from '../../../../contract/code-samples.ts';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { CodeTabs } from '../../parts/code-tabs.tsx';
import { CopyFact } from '../../parts/fact.tsx';
import { useSession } from '../../session/session.ts';
import { openingVariables } from './settings/opening-variables.ts';
import type { CampaignTab } from './search.ts';
import { texts } from './texts.ts';
import classes from './campaigns.module.css';

/** Shows the open steps of a campaign without recipients, each with a link. */
export function FirstAddition({ item }: { item: CampaignRecord }): ReactNode {
  const say = useTexts(texts);
  if (item.state === 'ended') return <Card title={say('first_ended')} description={say('first_ended_words')} />;
  const hasSettings = Object.keys(item.settings).length > 0;
  return (
    <Card title={say('first')} description={say('first_hint')}>
      <ol className={classes.steps}>
        <Step done={false} to="people" act={say('first_people')}>
          {say('first_people_hint')}
        </Step>
        <Step done={hasSettings} to="settings" act={say('first_settings')}>
          {say('first_settings_hint')}
        </Step>
        <Step done={item.state === 'live'} act={say(item.state === 'paused' ? 'first_resume' : 'first_start')}>
          {say('first_start_hint')}
        </Step>
      </ol>
      {item.state === 'live' && (
        <div className={classes.waiting} role="status">
          <Loader size={16} aria-hidden="true" />
          <span>{say('first_waiting')}</span>
        </div>
      )}
    </Card>
  );
}

type StepProps = { done: boolean; act: string; to?: CampaignTab; children: ReactNode };

function Step({ done, act, to, children }: StepProps): ReactNode {
  const say = useTexts(texts);
  const Sign = done ? IconCircleCheck : IconCircle;
  return (
    <li data-done={done || undefined}>
      <Sign size={19} aria-label={say(done ? 'step_done' : 'step_open')} role="img" />
      <div>
        {to ? (
          <Anchor inherit fw={570} renderRoot={(props) => <Link to="." search={{ tab: to }} {...props} />}>
            {act}
          </Anchor>
        ) : (
          <b>{act}</b>
        )}
        <Text size="sm" c="dimmed">
          {children}
        </Text>
      </div>
    </li>
  );
}

/** Shows the call that adds recipients, with this campaign's URL and the variables of its texts. */
export function AdditionCode({ item }: { item: CampaignRecord }): ReactNode {
  const say = useTexts(texts);
  const { base_url } = useSession();
  const path = `/api/campaigns/${item.id}/recipients`;
  return (
    <div className={classes.push}>
      <CopyFact label={`POST ${say('push_url')}`} value={base_url + path} copyLabel={say('push_copy')} />
      <Text size="sm" my="sm">
        {say.rich('push_hint', {
          place: <code>{KEY_PLACE}</code>,
          guide: (
            <Anchor inherit href="/docs/guides/campaigns">
              {say('push_reference')}
            </Anchor>
          ),
        })}
      </Text>
      <CodeTabs
        label={say('push_code')}
        tabs={samplesOf({ method: 'POST', path, body: exampleOf(item), idempotent: true }, base_url)}
      />
    </div>
  );
}

const PEOPLE = [
  { end_user: { external_id: 'crm-42', name: 'Asha', locale: 'en', time_zone: 'Asia/Qatar' }, ref: 'row-1' },
  { end_user: { external_id: 'crm-43', name: 'Layla', locale: 'ar', time_zone: 'Asia/Qatar' }, ref: 'row-2' },
];

function exampleOf({ settings }: CampaignRecord): object {
  const names = openingVariables(settings);
  const variables = Object.fromEntries(names.map((name) => [name, /order|id$/i.test(name) ? 'A-1043' : 'text']));
  return {
    recipients: PEOPLE.map(({ end_user, ref }) => ({
      end_user,
      ...(names.length > 0 && { variables }),
      ref,
    })),
  };
}
