import { Anchor, Button, Group, Select, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { CampaignSchedule, SetScheduleBody } from '../../../../../contract/dashboard/campaign-schedules.ts';
import type { CampaignRecord } from '../../../../../contract/dashboard/campaigns.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { useWords } from '../../../language/words.tsx';
import { Card } from '../../../parts/card.tsx';
import { DayChips } from '../../../parts/day-chips.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useSegments } from '../../../parts/segment-select.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { CampaignStateBadge } from '../campaign-state.tsx';
import classes from '../campaigns.module.css';
import { words } from './words.ts';

const LOOK_AGAIN_MS = 15_000;

/** A campaign that repeats on days of the week, with the people of a segment. */
export function RepeatCard({ item }: { item: CampaignRecord }): ReactNode {
  const say = useWords(words);
  const params = { org_id: useOrganization().id, campaign_id: item.id };
  const read = useRead('readCampaignSchedule', { params }, { every: LOOK_AGAIN_MS });
  return (
    <div className={classes.section}>
      {read.data ? (
        <Repeat key={read.data.schedule?.updated_at ?? ''} item={item} stored={read.data.schedule} />
      ) : (
        <Card title={say('repeat')} description={say('hint')}>
          {read.error ? <ProblemAlert problem={read.error} /> : <Skeleton h={80} />}
        </Card>
      )}
    </div>
  );
}

type Props = { item: CampaignRecord; stored: CampaignSchedule | null };
type Values = Omit<SetScheduleBody, 'segment_id' | 'paused'> & { segment_id: string | null };
const NEW: Values = { segment_id: null, days: [], at: '09:00' };

/** The schedule while it is edited. */
function useRepeat({ item, stored }: Props) {
  const say = useWords(words);
  const params = { org_id: useOrganization().id, campaign_id: item.id };
  const [values, setValues] = useState<Values>(stored ?? NEW);
  const [tried, setTried] = useState(false);
  const refresh = ['readCampaignSchedule', 'listAudit'] as const;
  const set = useAct('setCampaignSchedule', { refresh });
  const remove = useAct('removeCampaignSchedule', { refresh });
  const { segment_id, days, at } = values;
  return {
    values,
    tried,
    may: useMay('member') && item.state !== 'ended',
    isBusy: set.isPending || remove.isPending,
    problem: set.error ?? remove.error,
    change: (part: Partial<Values>): void => setValues({ ...values, ...part }),
    save: (paused: boolean): void => {
      setTried(true);
      if (segment_id === null || days.length === 0 || at === '') return;
      set.mutate({ params, body: { segment_id, days, at, paused } }, { onSuccess: () => notifyDone(say('saved')) });
    },
    stop: (): void => remove.mutate({ params }, { onSuccess: () => notifyDone(say('stopped')) }),
  };
}

function Repeat({ item, stored }: Props): ReactNode {
  const say = useWords(words);
  const repeat = useRepeat({ item, stored });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    repeat.save(stored?.paused ?? false);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Card title={say('repeat')} description={say('hint')}>
        <Stack gap="md">
          <Fields repeat={repeat} stored={stored} />
          {stored && <Next stored={stored} />}
          {repeat.problem && <ProblemAlert problem={repeat.problem} />}
          {repeat.may && <Acts repeat={repeat} stored={stored} />}
          <Rounds campaignId={item.id} expected={stored !== null} />
        </Stack>
      </Card>
    </form>
  );
}

type PartProps = { repeat: ReturnType<typeof useRepeat>; stored: CampaignSchedule | null };

function Fields({ repeat: { values, tried, may, change }, stored }: PartProps): ReactNode {
  const say = useWords(words);
  const segments = useSegments();
  const { segment_id, days, at } = values;
  const isGone = stored?.segment_name === null;
  return (
    <>
      {segments.length === 0 && <NoSegments />}
      <Select
        label={say('segment')}
        maw={420}
        searchable
        allowDeselect={false}
        disabled={!may || segments.length === 0}
        data={segments.map(({ id, name }) => ({ value: id, label: name }))}
        value={isGone && segment_id === stored.segment_id ? null : segment_id}
        error={tried && segment_id === null ? say('segment_missing') : isGone && say('gone')}
        onChange={(id) => change({ segment_id: id })}
      />
      <DayChips
        label={say('days')}
        days={days}
        readOnly={!may}
        error={tried && days.length === 0 && say('days_missing')}
        onChange={(chosen) => change({ days: chosen })}
      />
      <TextInput
        type="time"
        label={say('at')}
        description={say('at_hint')}
        maw={420}
        dir="ltr"
        readOnly={!may}
        value={at}
        error={tried && at === '' && say('at_missing')}
        onChange={(event) => change({ at: event.currentTarget.value })}
      />
    </>
  );
}

function Acts({ repeat: { isBusy, save, stop }, stored }: PartProps): ReactNode {
  const say = useWords(words);
  return (
    <Group gap="xs">
      <Button type="submit" loading={isBusy}>
        {say(stored ? 'save' : 'begin')}
      </Button>
      {stored && (
        <>
          <Button variant="default" disabled={isBusy} onClick={() => save(!stored.paused)}>
            {say(stored.paused ? 'resume' : 'pause')}
          </Button>
          <Button variant="default" disabled={isBusy} onClick={stop}>
            {say('stop')}
          </Button>
        </>
      )}
    </Group>
  );
}

function NoSegments(): ReactNode {
  const say = useWords(words);
  return (
    <Text size="sm">
      {say('no_segments')}{' '}
      <Anchor inherit renderRoot={(props) => <Link to="/end-users" {...props} />}>
        {say('to_end_users')}
      </Anchor>
    </Text>
  );
}

function Next({ stored: { paused, next } }: { stored: CampaignSchedule }): ReactNode {
  const say = useWords(words);
  const format = new Intl.DateTimeFormat(say.language, { dateStyle: 'full', timeZone: 'UTC' });
  const days = next.map((day) => format.format(new Date(`${day}T00:00:00Z`))).join(' · ');
  return (
    <Text size="sm" role="status">
      {paused ? say('paused') : say('next', { days })}
    </Text>
  );
}

/** The newest rounds, each a campaign with results of its own. */
function Rounds({ campaignId, expected }: { campaignId: string; expected: boolean }): ReactNode {
  const say = useWords(words);
  const query = { round_of: campaignId, limit: 10 };
  const rounds = useRead(
    'listCampaigns',
    { params: { org_id: useOrganization().id }, query },
    { every: LOOK_AGAIN_MS },
  );
  const items = rounds.data?.data ?? [];
  if (items.length === 0) return expected && <Text size="sm">{say('no_rounds')}</Text>;
  return (
    <div>
      <Text size="sm" fw={600} mb={4} id="rounds">
        {say('rounds')}
      </Text>
      <ul aria-labelledby="rounds" className={classes.rounds}>
        {items.map(({ id, name, state }) => (
          <li key={id}>
            <Anchor
              size="sm"
              renderRoot={(props) => <Link to="/campaigns/$campaign_id" params={{ campaign_id: id }} {...props} />}
            >
              <bdi>{name}</bdi>
            </Anchor>{' '}
            <CampaignStateBadge state={state} />
          </li>
        ))}
      </ul>
    </div>
  );
}
