import { ActionIcon, Button, Checkbox, Input, Select, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { STEP_TYPES, type Step } from '../../../../../contract/agents.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { texts, type AgentWord } from '../texts.ts';
import { useEditor } from '../../../parts/editor/editor.ts';
import { ItemCards } from './item-cards.tsx';
import { LocalizedField } from '../../../parts/editor/localized-field.tsx';
import classes from '../agents.module.css';
import pageClasses from '../../../parts/page.module.css';

const MAX_STEPS = 50;
const MAX_CHOICES = 25;
type Change = (part: Partial<Step>) => void;

export function StepsTab(): ReactNode {
  const say = useTexts(texts);
  const { definition, change, readOnly } = useEditor();
  const steps = definition.steps ?? { items: [] };
  const items = steps.items;
  return (
    <Card title={say('tab_steps')} description={say('steps_hint')}>
      <Stack gap="lg">
        <div>
          <ItemCards
            label={say('tab_steps')}
            items={items}
            onChange={(next) => change({ steps: { ...steps, items: next } })}
            make={() => ({ name: freeName(items), type: 'text' as const, ask: {} })}
            add={say('add_step')}
            empty={say('steps_empty')}
            max={MAX_STEPS}
            titleOf={({ name }) => name}
            hintOf={({ type }) => say(`type_${type}`)}
            pointer="/steps/items"
          >
            {(step, set, pointer) => <StepFields step={step} set={set} pointer={pointer} />}
          </ItemCards>
        </div>
        {items.length > 0 && (
          <>
            <Select
              label={say('steps_start')}
              maw={320}
              allowDeselect={false}
              readOnly={readOnly}
              value={steps.start ?? 'on_open'}
              data={(['on_open', 'by_rule'] as const).map((value) => ({ value, label: say(`start_${value}`) }))}
              onChange={(start) => start && change({ steps: { ...steps, start } })}
            />
            <LocalizedField
              label={say('steps_summary')}
              hint={say.rich('steps_summary_hint', { braces: <code>{`{{${items[0]!.name}}}`}</code> })}
              value={steps.summary}
              pointer="/steps/summary"
              onChange={(summary) => change({ steps: { ...steps, summary } })}
            />
          </>
        )}
      </Stack>
    </Card>
  );
}

function StepFields({ step, set, pointer }: { step: Step; set: Change; pointer: string }): ReactNode {
  const say = useTexts(texts);
  const { fault, readOnly } = useEditor();
  const bounded = step.type === 'number' || step.type === 'text' || step.type === 'date' ? step.type : null;
  return (
    <>
      <LocalizedField
        label={say('step_question')}
        value={step.ask}
        pointer={`${pointer}/ask`}
        required
        onChange={(ask) => set({ ask: ask ?? {} })}
      />
      <div className={classes.row}>
        <TextInput
          label={say('step_name')}
          description={say('step_name_hint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          className={pageClasses.mono}
          maxLength={64}
          readOnly={readOnly}
          value={step.name}
          error={fault(`${pointer}/name`)}
          onChange={(event) => set({ name: event.currentTarget.value.toLowerCase().replace(/[^a-z0-9_]/g, '_') })}
        />
        <Select
          label={say('step_type')}
          allowDeselect={false}
          readOnly={readOnly}
          value={step.type}
          data={STEP_TYPES.map((value) => ({ value, label: say(`type_${value}`) }))}
          onChange={(type) => type && set({ type, min: undefined, max: undefined })}
        />
        {bounded &&
          (['min', 'max'] as const).map((bound) => (
            <NumberField
              key={bound}
              label={say(`${bound}_${bounded}` as AgentWord)}
              readOnly={readOnly}
              allowDecimal={bounded === 'number'}
              value={step[bound]}
              error={fault(`${pointer}/${bound}`)}
              onChange={(value) => set({ [bound]: value })}
            />
          ))}
      </div>
      {step.type === 'choice' && <Choices step={step} set={set} pointer={`${pointer}/choices`} />}
      <Checkbox
        label={say('step_optional')}
        disabled={readOnly}
        checked={step.optional ?? false}
        onChange={(event) => set({ optional: event.currentTarget.checked || undefined })}
      />
      <LocalizedField
        label={say('step_again')}
        value={step.ask_again}
        pointer={`${pointer}/ask_again`}
        onChange={(ask_again) => set({ ask_again })}
      />
    </>
  );
}

function Choices({ step, set, pointer }: { step: Step; set: Change; pointer: string }): ReactNode {
  const say = useTexts(texts);
  const { fault, readOnly } = useEditor();
  const choices = step.choices ?? [];
  const put = (next: NonNullable<Step['choices']>): void => set({ choices: next.length === 0 ? undefined : next });
  return (
    <Input.Wrapper label={say('step_choices')} labelElement="div" error={fault(pointer)} required>
      <Stack gap="sm" mt={4}>
        {choices.map((choice, index) => {
          const change = (part: Partial<typeof choice>): void =>
            put(choices.map((one, other) => (other === index ? { ...one, ...part } : one)));
          return (
            <div key={index} className={classes.choice}>
              <TextInput
                aria-label={say('choice_id', { number: index + 1 })}
                className={pageClasses.mono}
                maxLength={64}
                readOnly={readOnly}
                value={choice.id}
                error={fault(`${pointer}/${index}/id`)}
                onChange={(event) => change({ id: event.currentTarget.value })}
              />
              <LocalizedField
                label={say('choice_label', { number: index + 1 })}
                value={choice.label}
                pointer={`${pointer}/${index}/label`}
                rows={1}
                onChange={(label) => change({ label: label ?? {} })}
              />
              {!readOnly && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={say('remove_choice', { number: index + 1 })}
                  onClick={() => put(choices.filter((_, other) => other !== index))}
                >
                  <IconX size={16} />
                </ActionIcon>
              )}
            </div>
          );
        })}
        {!readOnly && choices.length < MAX_CHOICES && (
          <div>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} />}
              onClick={() => put([...choices, { id: `choice_${choices.length + 1}`, label: {} }])}
            >
              {say('add_choice')}
            </Button>
          </div>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

function freeName(items: readonly Step[]): string {
  let number = items.length + 1;
  while (items.some(({ name }) => name === `answer_${number}`)) number++;
  return `answer_${number}`;
}
