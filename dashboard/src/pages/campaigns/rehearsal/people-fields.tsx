import { Group, MultiSelect, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../../language/texts.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { RecipientsFile } from '../additions/recipients-file.tsx';
import { ZONES } from '../../../parts/zone-select.tsx';
import type { Rehearsal } from './use-rehearsal.ts';
import { texts } from './texts.ts';

/** Copies of the limits in contract/dashboard/rehearsals.ts. */
const MOST = 10_000;
const MOST_ZONES = 50;
const SHOWN_ZONES = 60;

type Props = { rehearsal: Rehearsal };

/** The people of a rehearsal are generated, found by filters, read from a file, or are the waiting recipients. */
export function PeopleFields({ rehearsal }: Props): ReactNode {
  const say = useTexts(texts);
  const { asked } = rehearsal;
  if (asked.source === 'made_up') return <MadeUpFields rehearsal={rehearsal} />;
  if (asked.source === 'filters') return <FilterFields rehearsal={rehearsal} />;
  if (asked.source === 'file')
    return <RecipientsFile chosen={asked.file} onChoose={(file) => rehearsal.change({ file })} />;
  return (
    <Text size="sm" c="dimmed">
      {say('waiting_hint')}
    </Text>
  );
}

function MadeUpFields({ rehearsal: { asked, change } }: Props): ReactNode {
  const say = useTexts(texts);
  const percent = { min: 0, max: 100, allowNegative: false, hideControls: true, flex: '1 1 140px' };
  return (
    <Group align="flex-start" gap="md">
      <NumberField
        label={say('count')}
        min={1}
        max={MOST}
        allowDecimal={false}
        hideControls
        flex="1 1 120px"
        value={asked.count}
        onChange={(count) => change({ count })}
      />
      <MultiSelect
        label={say('zones')}
        description={say('zones_hint')}
        inputWrapperOrder={['label', 'input', 'description']}
        searchable
        limit={SHOWN_ZONES}
        maxValues={MOST_ZONES}
        classNames={{ option: 'ltr', pill: 'ltr' }}
        flex="2 1 260px"
        data={ZONES}
        value={asked.zones}
        onChange={(zones) => change({ zones })}
      />
      <NumberField
        {...percent}
        label={say('opted_out')}
        value={asked.optedOut}
        onChange={(optedOut) => change({ optedOut })}
      />
      <NumberField
        {...percent}
        label={say('unnamed')}
        value={asked.unnamed}
        onChange={(unnamed) => change({ unnamed })}
      />
    </Group>
  );
}

function FilterFields({ rehearsal: { asked, change } }: Props): ReactNode {
  const say = useTexts(texts);
  const { filters } = asked;
  return (
    <Group align="flex-end" gap="md">
      {(['tag', 'attribute', 'text'] as const).map((name) => (
        <TextInput
          key={name}
          label={say(name)}
          placeholder={name === 'attribute' ? 'plan=gold' : undefined}
          flex="1 1 160px"
          dir="auto"
          autoComplete="off"
          maxLength={name === 'text' ? 100 : 200}
          value={filters[name]}
          onChange={(event) => change({ filters: { ...filters, [name]: event.currentTarget.value } })}
        />
      ))}
    </Group>
  );
}
