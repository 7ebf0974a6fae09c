import { ActionIcon, Button, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../../../language/texts.tsx';
import { WEEK, weekday } from '../../../parts/day-chips.tsx';
import { ZoneSelect } from '../../../parts/zone-select.tsx';
import { handOffTexts } from './hand-off-texts.ts';
import classes from './hours-fields.module.css';
import type { DayRange, HandOffDraft, Holiday } from './use-hand-off-draft.ts';

type Props = {
  draft: HandOffDraft;
  change: (part: Partial<HandOffDraft>) => void;
  readOnly: boolean;
  faults: readonly string[];
};

/** The fields set the hours of each day of the week, the holidays, and their time zone. */
export function HoursFields({ draft, change, readOnly, faults }: Props): ReactNode {
  const say = useTexts(handOffTexts);
  const fault = faults.includes('hours') ? say('hours_missing') : faults.includes('time') && say('time_missing');
  return (
    <>
      <ZoneSelect
        label={say('zone')}
        maw={420}
        disabled={readOnly}
        value={draft.zone}
        onChange={(zone) => change({ zone })}
      />
      <Input.Wrapper label={say('week')} labelElement="div" error={fault}>
        <div className={classes.week}>
          {WEEK.map((day) => (
            <DayRow key={day} day={day} draft={draft} change={change} readOnly={readOnly} />
          ))}
        </div>
      </Input.Wrapper>
      <Holidays draft={draft} change={change} readOnly={readOnly} isFaulty={faults.includes('holiday')} />
    </>
  );
}

type DayProps = Omit<Props, 'faults'> & { day: number };

function DayRow({ day, draft: { ranges }, change, readOnly }: DayProps): ReactNode {
  const say = useTexts(handOffTexts);
  const name = weekday(say.language, day);
  const own = ranges.filter((one) => one.day === day);
  const set = (range: DayRange, next: DayRange | null): void =>
    change({ ranges: ranges.flatMap((one) => (one === range ? (next ?? []) : one)) });
  const add = (): void => {
    // The hours of a new day are mostly the hours of the previous day.
    const { from, to } = ranges.at(-1) ?? { from: '09:00', to: '17:00' };
    const range = own.length === 0 ? { day, from, to } : { day, from: '', to: '' };
    change({ ranges: [...ranges, range].toSorted((one, other) => one.day - other.day) });
  };
  return (
    <div className={classes.day} role="group" aria-label={name}>
      <span className={classes.name}>{name}</span>
      <div className={classes.ranges}>
        {own.length === 0 && (
          <Text size="sm" c="dimmed">
            {say('closed')}
          </Text>
        )}
        {own.map((range, index) => (
          <div key={index}>
            <Group gap={4} wrap="nowrap">
              {(['from', 'to'] as const).map((end) => (
                <TextInput
                  key={end}
                  type="time"
                  size="xs"
                  flex="1 1 88px"
                  maw={120}
                  miw={0}
                  dir="ltr"
                  aria-label={say(`${end}_of`, { day: name })}
                  readOnly={readOnly}
                  value={range[end]}
                  onChange={(event) => set(range, { ...range, [end]: event.currentTarget.value })}
                />
              ))}
              {!readOnly && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={say('range_remove', { day: name })}
                  onClick={() => set(range, null)}
                >
                  <IconX size={14} />
                </ActionIcon>
              )}
            </Group>
            {range.to !== '' && range.to <= range.from && (
              <Text size="xs" c="dimmed" role="status">
                {say('ends_next_day')}
              </Text>
            )}
          </div>
        ))}
      </div>
      {!readOnly && (
        <ActionIcon variant="subtle" aria-label={say('range_add', { day: name })} onClick={add}>
          <IconPlus size={16} />
        </ActionIcon>
      )}
    </div>
  );
}

function Holidays({ draft, change, readOnly, isFaulty }: Omit<Props, 'faults'> & { isFaulty: boolean }): ReactNode {
  const say = useTexts(handOffTexts);
  const { holidays } = draft;
  const set = (index: number, next: Holiday | null): void =>
    change({ holidays: holidays.flatMap((one, at) => (at === index ? (next ?? []) : one)) });
  return (
    <Input.Wrapper
      label={say('holidays')}
      labelElement="div"
      description={say('holidays_hint')}
      error={isFaulty && say('holiday_missing')}
    >
      <Stack gap={6} mt={6}>
        {holidays.map((one, index) => (
          <Group key={index} gap={4} wrap="nowrap">
            <TextInput
              type="date"
              size="xs"
              w={136}
              miw={0}
              dir="ltr"
              aria-label={say('holiday_date')}
              readOnly={readOnly}
              value={one.date}
              onChange={(event) => set(index, { ...one, date: event.currentTarget.value })}
            />
            <TextInput
              size="xs"
              maw={240}
              flex="1 1 60px"
              miw={0}
              dir="auto"
              maxLength={100}
              aria-label={say('holiday_name')}
              placeholder={say('holiday_name')}
              readOnly={readOnly}
              value={one.name}
              onChange={(event) => set(index, { ...one, name: event.currentTarget.value })}
            />
            {!readOnly && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={say('holiday_remove', { date: one.date })}
                onClick={() => set(index, null)}
              >
                <IconX size={14} />
              </ActionIcon>
            )}
          </Group>
        ))}
        {!readOnly && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            style={{ alignSelf: 'start' }}
            onClick={() => change({ holidays: [...holidays, { date: '', name: '' }] })}
          >
            {say('holiday_add')}
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
