import { Chip, Group, Input, Select, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Fallback, STAND_INS } from '../../../../../contract/agents.ts';
import { FALLBACK_REASONS, type FallbackReason } from '../../../../../contract/costs.ts';
import { CODE_PROVIDER, MAX_TURN_SECONDS } from '../../../../../contract/turns.ts';
import { list as inWords } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { texts } from '../texts.ts';
import { useEditor } from '../../../parts/editor/editor.ts';
import { ItemCards } from './item-cards.tsx';
import { fallbackTexts } from './fallback-texts.ts';

const MAX_STAND_INS = 5;
const MAX_SECONDS = 30;

const isModel = (provider: Fallback['provider']): boolean => provider !== 'embedded' && provider !== 'hand_off';

/** The fallbacks for a model that is not allowed or fails (docs/costs.md). */
export function FallbackCard(): ReactNode {
  const say = useTexts(fallbackTexts);
  const nameOf = useNameOf();
  const { definition, change, fault, readOnly } = useEditor();
  return (
    <Card title={say('title')} description={say('hint')}>
      <Stack>
        <TimeLimit
          value={definition.time_limit_seconds}
          most={definition.provider === CODE_PROVIDER ? MAX_TURN_SECONDS : MAX_SECONDS}
          pointer="/time_limit_seconds"
          onChange={(time_limit_seconds) => change({ time_limit_seconds })}
        />
        <div>
          <ItemCards
            label={say('label')}
            items={definition.fallback ?? []}
            onChange={(fallback) => change({ fallback })}
            make={(): Fallback => ({ provider: 'embedded' })}
            add={say('add')}
            empty={say('none')}
            max={MAX_STAND_INS}
            titleOf={({ provider, model }) => [nameOf(provider), model].filter(Boolean).join(': ')}
            hintOf={({ when }) =>
              when
                ? inWords(
                    say.language,
                    when.map((reason) => say(reason)),
                  )
                : say('any')
            }
            pointer="/fallback"
          >
            {(one, set, pointer) => <FallbackFields one={one} set={set} pointer={pointer} />}
          </ItemCards>
          <Input.Error>{fault('/fallback')}</Input.Error>
        </div>
        <NumberField
          label={say('max_output')}
          description={say('max_output_hint')}
          maw={360}
          min={16}
          max={200_000}
          allowDecimal={false}
          readOnly={readOnly}
          value={definition.max_output_tokens}
          error={fault('/max_output_tokens')}
          onChange={(max_output_tokens) => change({ max_output_tokens })}
        />
      </Stack>
    </Card>
  );
}

function useNameOf(): (provider: Fallback['provider']) => string {
  const say = useTexts(texts);
  const sayOwn = useTexts(fallbackTexts);
  return (provider) => (provider === 'hand_off' ? sayOwn('hand_off') : say(`provider_${provider}`));
}

type Props = { one: Fallback; set: (part: Partial<Fallback>) => void; pointer: string };

function FallbackFields({ one, set, pointer }: Props): ReactNode {
  const say = useTexts(fallbackTexts);
  const sayAgent = useTexts(texts);
  const nameOf = useNameOf();
  const { fault, readOnly } = useEditor();
  return (
    <>
      <Select
        label={say('by')}
        allowDeselect={false}
        readOnly={readOnly}
        value={one.provider}
        error={fault(`${pointer}/provider`)}
        data={STAND_INS.map((value) => ({ value, label: nameOf(value) }))}
        onChange={(provider) =>
          provider && set({ provider, ...(!isModel(provider) && { model: undefined, time_limit_seconds: undefined }) })
        }
      />
      {isModel(one.provider) && (
        <>
          <TextInput
            label={sayAgent('model_name')}
            withAsterisk
            dir="ltr"
            maxLength={200}
            readOnly={readOnly}
            autoComplete="off"
            value={one.model ?? ''}
            error={fault(`${pointer}/model`)}
            onChange={(event) => set({ model: event.currentTarget.value || undefined })}
          />
          <TimeLimit
            value={one.time_limit_seconds}
            pointer={`${pointer}/time_limit_seconds`}
            onChange={(time_limit_seconds) => set({ time_limit_seconds })}
          />
        </>
      )}
      <Reasons value={one.when} pointer={`${pointer}/when`} onChange={(when) => set({ when })} />
    </>
  );
}

type ReasonsProps = {
  value: FallbackReason[] | undefined;
  pointer: string;
  onChange: (when: FallbackReason[] | undefined) => void;
};

function Reasons({ value, pointer, onChange }: ReasonsProps): ReactNode {
  const say = useTexts(fallbackTexts);
  const { fault, readOnly } = useEditor();
  const choose = (chosen: string[]): void => {
    const when = FALLBACK_REASONS.filter((reason) => chosen.includes(reason));
    onChange(when.length > 0 ? when : undefined);
  };
  return (
    <Input.Wrapper label={say('when')} labelElement="div" description={say('when_hint')} error={fault(pointer)}>
      <Chip.Group multiple value={value ?? []} onChange={choose}>
        <Group gap={6} mt={4} role="group" aria-label={say('when')}>
          {FALLBACK_REASONS.map((reason) => (
            <Chip key={reason} value={reason} size="sm" disabled={readOnly}>
              {say(reason)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  );
}

type TimeLimitProps = {
  value: number | undefined;
  most?: number;
  pointer: string;
  onChange: (value: number | undefined) => void;
};

function TimeLimit({ value, most = MAX_SECONDS, pointer, onChange }: TimeLimitProps): ReactNode {
  const say = useTexts(fallbackTexts);
  const { fault, readOnly } = useEditor();
  return (
    <NumberField
      label={say('time_limit')}
      description={say('time_limit_hint', { most })}
      placeholder={String(MAX_SECONDS)}
      maw={360}
      min={1}
      max={most}
      allowDecimal={false}
      readOnly={readOnly}
      value={value}
      error={fault(pointer)}
      onChange={onChange}
    />
  );
}
