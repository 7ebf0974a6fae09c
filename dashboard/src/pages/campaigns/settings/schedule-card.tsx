import { Chip, Group, Input, NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useWords } from '../../../language/words.tsx';
import { Card } from '../../../parts/card.tsx';
import { EVERY_DAY, MAX_PER_MINUTE } from './settings-values.ts';
import type { SettingsDraft } from './use-settings-draft.ts';
import { words } from './words.ts';
import { ZoneSelect } from './zone-select.tsx';
import classes from './settings.module.css';

/** From when to when, in which hours of the recipient's day, and how fast. */
export function ScheduleCard({ draft }: { draft: SettingsDraft }): ReactNode {
  const say = useWords(words);
  const { values, change, editor } = draft;
  const { readOnly, fault } = editor;
  const clock = (name: 'windowFrom' | 'windowTo' | 'quietFrom' | 'quietTo', label: string, pointer: string) => (
    <TextInput
      type="time"
      label={label}
      w={140}
      dir="ltr"
      readOnly={readOnly}
      value={values[name]}
      error={fault(pointer)}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <Card title={say('schedule')} description={say('schedule_hint')}>
      <Stack gap="xl">
        <Group align="flex-start" gap="md">
          <MomentInput
            label={say('starts_at')}
            hint={say('starts_at_hint')}
            at={values.startsAt}
            error={fault('/starts_at')}
            readOnly={readOnly}
            onChange={(startsAt) => change({ startsAt })}
          />
          <MomentInput
            label={say('ends_at')}
            hint={say('ends_at_hint')}
            at={values.endsAt}
            error={fault('/ends_at')}
            readOnly={readOnly}
            onChange={(endsAt) => change({ endsAt })}
          />
        </Group>
        <div>
          <Switch
            label={say('window')}
            description={say('window_hint')}
            checked={values.hasWindow}
            disabled={readOnly}
            onChange={(event) => change({ hasWindow: event.currentTarget.checked })}
          />
          {values.hasWindow && (
            <Stack gap="sm" className={classes.inner}>
              <Group gap="md" align="flex-start">
                {clock('windowFrom', say('window_from'), '/window/from')}
                {clock('windowTo', say('window_to'), '/window/to')}
              </Group>
              <Days draft={draft} />
            </Stack>
          )}
        </div>
        <div>
          <Switch
            label={say('quiet')}
            description={say('quiet_hint')}
            checked={values.hasQuiet}
            disabled={readOnly}
            onChange={(event) => change({ hasQuiet: event.currentTarget.checked })}
          />
          {values.hasQuiet && (
            <Group gap="md" align="flex-start" className={classes.inner}>
              {clock('quietFrom', say('quiet_from'), '/quiet_hours/from')}
              {clock('quietTo', say('quiet_to'), '/quiet_hours/to')}
            </Group>
          )}
        </div>
        <Group align="flex-start" gap="md">
          <ZoneSelect
            label={say('zone')}
            description={say('zone_hint')}
            flex="1 1 240px"
            readOnly={readOnly}
            error={fault('/time_zone')}
            value={values.zone}
            onChange={(zone) => change({ zone })}
          />
          <NumberInput
            label={say('pace')}
            description={say('pace_hint')}
            flex="1 1 240px"
            min={1}
            max={MAX_PER_MINUTE}
            allowDecimal={false}
            allowNegative={false}
            clampBehavior="none"
            hideControls
            placeholder={say('pace_none')}
            readOnly={readOnly}
            value={values.perMinute}
            error={fault('/per_minute')}
            onChange={(value) => change({ perMinute: String(value) })}
          />
        </Group>
      </Stack>
    </Card>
  );
}

function Days({ draft: { values, change, editor } }: { draft: SettingsDraft }): ReactNode {
  const say = useWords(words);
  const error = editor.fault('/window/days');
  return (
    <Input.Wrapper label={say('days')} labelElement="div" error={error}>
      <Chip.Group multiple value={values.days.map(String)} onChange={(days) => change({ days: days.map(Number) })}>
        <Group gap={6} mt={4} role="group" aria-label={say('days')}>
          {EVERY_DAY.map((day) => (
            <Chip key={day} value={String(day)} size="sm" disabled={editor.readOnly}>
              {dayName(say.language, day)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  );
}

/** 1 is Monday, as on 1 January 2024. */
const dayName = (language: string, day: number): string =>
  new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' }).format(new Date(Date.UTC(2024, 0, day)));

type MomentProps = {
  label: string;
  hint: string;
  at: string | undefined;
  error: string | null;
  readOnly: boolean;
  onChange: (at: string | undefined) => void;
};

/** While a year is typed, the browser's field has the years 2, 20 and 202, which are not meant. */
const FIRST_MEANT = Date.parse('2000-01-01T00:00:00Z');

/** A time in the time zone of the user; stored as an absolute time. */
function MomentInput({ label, hint, at, error, readOnly, onChange }: MomentProps): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      type="datetime-local"
      label={label}
      description={hint}
      flex="1 1 240px"
      readOnly={readOnly}
      error={error}
      value={typed ?? localTime(at)}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        const moment = Date.parse(value);
        if (value === '') onChange(undefined);
        else if (moment >= FIRST_MEANT) onChange(new Date(moment).toISOString());
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

/** In the form of the field, which knows no time zone. */
function localTime(at: string | undefined): string {
  if (at === undefined) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
