import { Anchor, Button, Group, SegmentedControl, Select, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef, useState, type FormEvent, type ReactNode } from 'react';
import { MAX_MONTH_DAY, nextStarts } from '../../../../../contract/schedule-days.ts';
import {
  type CampaignSchedule,
  NEXT_STARTS,
  type SetScheduleBody,
} from '../../../../../contract/dashboard/campaign-schedules.ts';
import type { CampaignRecord } from '../../../../../contract/dashboard/campaigns.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { DayChips } from '../../../parts/day-chips.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useSegments } from '../../../parts/segment-select.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { CampaignStateBadge } from '../campaign-state.tsx';
import classes from '../campaigns.module.css';
import { useKept } from '../use-kept.ts';
import { texts } from './texts.ts';

const LOOK_AGAIN_MS = 15_000;

/** The card has the settings of a campaign that repeats for the people of a segment. */
export function ScheduleCard({ item }: { item: CampaignRecord }): ReactNode {
  const say = useTexts(texts);
  const params = { org_id: useOrganization().id, campaign_id: item.id };
  const read = useRead('readCampaignSchedule', { params }, { every: LOOK_AGAIN_MS });
  return (
    <div className={classes.section}>
      {read.data ? (
        <Repeat item={item} stored={read.data.schedule} />
      ) : (
        <Card title={say('repeat')} description={say('hint')}>
          {read.error ? <ProblemAlert problem={read.error} /> : <Skeleton h={80} />}
        </Card>
      )}
    </div>
  );
}

type Props = { item: CampaignRecord; stored: CampaignSchedule | null };
type Values = Omit<SetScheduleBody, 'segment_id' | 'paused' | 'month_day'> & {
  segment_id: string | null;
  /**
   * Null: the campaign repeats on days of the week. The value `NO_DAY` means that the campaign repeats monthly, and the
   * field is empty.
   */
  month_day: number | null;
};
const NO_DAY = 0;
const NEW: Values = { segment_id: null, days: [], month_day: null, at: '09:00' };

/** The schedule during editing. */
function useRepeat({ item, stored }: Props) {
  const say = useTexts(texts);
  const params = { org_id: useOrganization().id, campaign_id: item.id };
  // Fields without an edit follow the stored schedule, which another member may change.
  const [edited, setEdited] = useKept<Partial<Values>>('schedule', {});
  const submitRef = useRef<HTMLButtonElement>(null);
  const values: Values = { ...(stored ?? NEW), ...edited };
  const [tried, setTried] = useState(false);
  const refresh = ['readCampaignSchedule', 'listAudit'] as const;
  const set = useAct('setCampaignSchedule', { refresh });
  const remove = useAct('removeCampaignSchedule', { refresh });
  const { segment_id, days, month_day, at } = values;
  const isBusy = set.isPending || remove.isPending;
  const end = (word: 'saved' | 'stopped', remaining: (now: Partial<Values>) => Partial<Values>): void => {
    setEdited(remaining);
    setTried(false);
    notifyDone(say(word));
  };
  return {
    values,
    tried,
    may: useMay('member') && item.state !== 'ended',
    isSaving: set.isPending,
    problem: set.error ?? remove.error,
    submitRef,
    change: (part: Partial<Values>): void => {
      // The two kinds of days exclude each other.
      const isOfDays = 'days' in part || 'month_day' in part;
      setEdited({ ...edited, ...(isOfDays && { days, month_day }), ...part });
    },
    save: (paused: boolean): void => {
      setTried(true);
      if (isBusy || segment_id === null || (days.length === 0 && !month_day) || at === '') return;
      remove.reset();
      set.mutate(
        { params, body: { segment_id, days, month_day, at, paused } },
        { onSuccess: () => end('saved', (now) => unsaved(now, values)) },
      );
    },
    stop: (): void => {
      if (isBusy) return;
      set.reset();
      // The button disappears after the click, and the settings stay in the fields.
      remove.mutate({ params }, { onSuccess: () => end('stopped', (now) => ({ ...values, ...now })) });
      submitRef.current?.focus();
    },
  };
}

/** Returns the edits that the user made while the values were saved. */
const unsaved = (edited: Partial<Values>, saved: Values): Partial<Values> =>
  Object.fromEntries(Object.entries(edited).filter(([name, value]) => value !== saved[name as keyof Values]));

function Repeat({ item, stored }: Props): ReactNode {
  const say = useTexts(texts);
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
          <Next stored={stored} values={repeat.values} />
          {item.state !== 'live' && <Text size="sm">{say('not_live')}</Text>}
          {repeat.problem && <ProblemAlert problem={repeat.problem} />}
          {repeat.may && <Acts repeat={repeat} stored={stored} />}
          <StartedCampaigns campaignId={item.id} expected={stored !== null} />
        </Stack>
      </Card>
    </form>
  );
}

type PartProps = { repeat: ReturnType<typeof useRepeat>; stored: CampaignSchedule | null };

function Fields({ repeat: { values, tried, may, change }, stored }: PartProps): ReactNode {
  const say = useTexts(texts);
  const segments = useSegments();
  const { segment_id, at } = values;
  const isGone = stored?.segment_name === null;
  return (
    <>
      {segments?.length === 0 && <NoSegments />}
      <Select
        label={say('people')}
        description={say('people_hint')}
        maw={420}
        searchable
        allowDeselect={false}
        disabled={!may || !segments?.length}
        data={segments?.map(({ id, name }) => ({ value: id, label: name }))}
        value={isGone && segment_id === stored.segment_id ? null : segment_id}
        error={tried && segment_id === null ? say('segment_missing') : isGone && say('gone')}
        onChange={(id) => change({ segment_id: id })}
      />
      <Days values={values} tried={tried} may={may} change={change} />
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

type DaysProps = Pick<ReturnType<typeof useRepeat>, 'values' | 'tried' | 'may' | 'change'>;

/** Selects days of the week, or one day of each month. */
function Days({ values: { days, month_day }, tried, may, change }: DaysProps): ReactNode {
  const say = useTexts(texts);
  const isMonthly = month_day !== null;
  return (
    <>
      <SegmentedControl
        aria-label={say('how_often')}
        maw={420}
        disabled={!may}
        value={isMonthly ? 'monthly' : 'weekly'}
        data={[
          { value: 'weekly', label: say('weekly') },
          { value: 'monthly', label: say('monthly') },
        ]}
        onChange={(next) => change({ days: [], month_day: next === 'monthly' ? 1 : null })}
      />
      {isMonthly ? (
        <NumberField
          label={say('month_day')}
          description={say('month_day_hint')}
          maw={420}
          min={1}
          max={MAX_MONTH_DAY}
          clampBehavior="strict"
          allowDecimal={false}
          readOnly={!may}
          value={month_day === NO_DAY ? undefined : month_day}
          error={tried && month_day === NO_DAY && say('month_day_missing')}
          onChange={(next) => change({ month_day: next ?? NO_DAY })}
        />
      ) : (
        <DayChips
          label={say('days')}
          days={days}
          readOnly={!may}
          error={tried && days.length === 0 && say('days_missing')}
          onChange={(chosen) => change({ days: chosen })}
        />
      )}
    </>
  );
}

function Acts({ repeat: { isSaving, submitRef, save, stop }, stored }: PartProps): ReactNode {
  const say = useTexts(texts);
  // The text above the fields says why the button is disabled.
  const hasSegments = useSegments()?.length !== 0;
  return (
    <Group gap="xs">
      <Button type="submit" variant="default" ref={submitRef} loading={isSaving} disabled={!stored && !hasSegments}>
        {say(stored ? 'save' : 'begin')}
      </Button>
      {stored && (
        <>
          <Button variant="default" onClick={() => save(!stored.paused)}>
            {say(stored.paused ? 'resume' : 'pause')}
          </Button>
          <Button variant="default" onClick={stop}>
            {say('stop')}
          </Button>
        </>
      )}
    </Group>
  );
}

function NoSegments(): ReactNode {
  const say = useTexts(texts);
  return (
    <Text size="sm">
      {say('no_segments')}{' '}
      <Anchor inherit renderRoot={(props) => <Link to="/end-users" {...props} />}>
        {say('to_end_users')}
      </Anchor>
    </Text>
  );
}

/** Shows the next days of the stored or edited schedule, so that the user sees them before saving. */
function Next({ stored, values: { days, month_day, at } }: { values: Values } & Pick<PartProps, 'stored'>): ReactNode {
  const say = useTexts(texts);
  const format = new Intl.DateTimeFormat(say.language, { dateStyle: 'full', timeZone: 'UTC' });
  const isStored =
    stored !== null && stored.at === at && stored.month_day === month_day && String(stored.days) === String(days);
  const asked = { days, monthDay: month_day, at };
  const found =
    isStored || at === '' || month_day === NO_DAY ? (stored?.next ?? []) : nextStarts(asked, new Date(), NEXT_STARTS);
  const dates = found.map((one) => format.format(new Date(typeof one === 'string' ? one : one.day)));
  return (
    <Text size="sm" role="status">
      {stored?.paused ? say('paused') : dates.length > 0 && say('next', { days: dates.join(' · ') })}
    </Text>
  );
}

/** Shows the newest campaigns that the schedule started. */
function StartedCampaigns({ campaignId, expected }: { campaignId: string; expected: boolean }): ReactNode {
  const say = useTexts(texts);
  const query = { round_of: campaignId, limit: 10 };
  const started = useRead(
    'listCampaigns',
    { params: { org_id: useOrganization().id }, query },
    { every: LOOK_AGAIN_MS },
  );
  const items = started.data?.data ?? [];
  if (items.length === 0) return expected && <Text size="sm">{say('none_started')}</Text>;
  return (
    <div>
      <Text size="sm" fw={600} mb={4} id="started">
        {say('started')}
      </Text>
      <ul aria-labelledby="started" className={classes.started}>
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
