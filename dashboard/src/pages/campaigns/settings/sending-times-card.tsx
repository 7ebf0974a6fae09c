import { Group, Stack, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { DayChips } from '../../../parts/day-chips.tsx';
import { MomentField } from '../../../parts/moment-field.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { MAX_PER_MINUTE } from './settings-values.ts';
import type { SettingsDraft } from './use-settings-draft.ts';
import { texts } from './texts.ts';
import { ZoneSelect } from '../../../parts/zone-select.tsx';
import classes from './settings.module.css';

/** The card sets the start, the end, the allowed hours of the recipient's day, and the rate limit. */
export function SendingTimesCard({ draft }: { draft: SettingsDraft }): ReactNode {
  const say = useTexts(texts);
  const { values, change, editor } = draft;
  const { readOnly, fault } = editor;
  return (
    <Card title={say('schedule')} description={say('schedule_hint')}>
      <Stack gap="xl">
        <Group align="flex-start" gap="md">
          <MomentField
            label={say('starts_at')}
            description={say('starts_at_hint')}
            flex="1 1 240px"
            at={values.startsAt}
            error={fault('/starts_at')}
            readOnly={readOnly}
            onChange={(startsAt) => change({ startsAt })}
          />
          <MomentField
            label={say('ends_at')}
            description={say('ends_at_hint')}
            flex="1 1 240px"
            at={values.endsAt}
            error={fault('/ends_at')}
            readOnly={readOnly}
            onChange={(endsAt) => change({ endsAt })}
          />
        </Group>
        <Hours draft={draft} of="window">
          <Days draft={draft} />
        </Hours>
        <Hours draft={draft} of="quiet" />
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
          <NumberField
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
            value={values.perMinute === '' ? undefined : Number(values.perMinute)}
            error={fault('/per_minute')}
            onChange={(value) => change({ perMinute: String(value ?? '') })}
          />
        </Group>
      </Stack>
    </Card>
  );
}

/** The names of the values, and the pointer of their faults. */
const HOURS = {
  window: { on: 'hasWindow', from: 'windowFrom', to: 'windowTo', pointer: '/window' },
  quiet: { on: 'hasQuiet', from: 'quietFrom', to: 'quietTo', pointer: '/quiet_hours' },
} as const;

type HoursProps = { draft: SettingsDraft; of: keyof typeof HOURS; children?: ReactNode };

/** The fields of the allowed hours, shown if the hours are turned on. */
function Hours({ draft: { values, change, editor }, of, children }: HoursProps): ReactNode {
  const say = useTexts(texts);
  const { on, pointer, ...ends } = HOURS[of];
  return (
    <div>
      <Switch
        label={say(of)}
        description={say(`${of}_hint`)}
        checked={values[on]}
        disabled={editor.readOnly}
        onChange={(event) => change({ [on]: event.currentTarget.checked })}
      />
      {values[on] && (
        <Stack gap="sm" className={classes.inner}>
          <Group gap="md" align="flex-start">
            {(['from', 'to'] as const).map((end) => (
              <TextInput
                key={end}
                type="time"
                label={say(`${of}_${end}`)}
                w={140}
                dir="ltr"
                readOnly={editor.readOnly}
                value={values[ends[end]]}
                error={editor.fault(`${pointer}/${end}`)}
                onChange={(event) => change({ [ends[end]]: event.currentTarget.value })}
              />
            ))}
          </Group>
          {children}
        </Stack>
      )}
    </div>
  );
}

function Days({ draft: { values, change, editor } }: { draft: SettingsDraft }): ReactNode {
  const say = useTexts(texts);
  return (
    <DayChips
      label={say('days')}
      days={values.days}
      readOnly={editor.readOnly}
      error={editor.fault('/window/days')}
      onChange={(days) => change({ days })}
    />
  );
}
