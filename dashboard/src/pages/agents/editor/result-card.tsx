import { Checkbox, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import {
  MAX_RESULT_CHOICES,
  MAX_RESULT_FIELDS,
  RESULT_TYPES,
  type ResultField,
} from '../../../../../contract/results.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { useEditor } from '../../../parts/editor/editor.ts';
import { ItemCards } from './item-cards.tsx';
import { resultTexts } from './result-texts.ts';
import classes from '../agents.module.css';

export function ResultCard(): ReactNode {
  const say = useTexts(resultTexts);
  const { definition, change } = useEditor();
  const fields = definition.result?.fields ?? [];
  return (
    <Card title={say('title')} description={say('hint')}>
      <ItemCards
        label={say('title')}
        items={fields}
        onChange={(next) => change({ result: next.length === 0 ? undefined : { fields: next } })}
        make={() => ({ name: freeName(fields), type: 'text' as const })}
        add={say('add')}
        empty={say('empty')}
        max={MAX_RESULT_FIELDS}
        titleOf={({ name }) => name}
        hintOf={({ type }) => say(`type_${type}`)}
        pointer="/result/fields"
      >
        {(field, set, pointer) => <Fields field={field} set={set} pointer={pointer} />}
      </ItemCards>
    </Card>
  );
}

type FieldsProps = { field: ResultField; set: (part: Partial<ResultField>) => void; pointer: string };

function Fields({ field, set, pointer }: FieldsProps): ReactNode {
  const say = useTexts(resultTexts);
  const { fault, readOnly } = useEditor();
  return (
    <>
      <div className={classes.row}>
        <TextInput
          label={say('name')}
          description={say('name_hint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          className={classes.mono}
          maxLength={64}
          readOnly={readOnly}
          value={field.name}
          error={fault(`${pointer}/name`)}
          onChange={(event) => set({ name: event.currentTarget.value.toLowerCase().replace(/[^a-z0-9_]/g, '_') })}
        />
        <Select
          label={say('type')}
          allowDeselect={false}
          readOnly={readOnly}
          value={field.type}
          error={fault(`${pointer}/type`)}
          data={RESULT_TYPES.map((value) => ({ value, label: say(`type_${value}`) }))}
          onChange={(type) => type && set({ type, choices: undefined })}
        />
      </div>
      <Textarea
        label={say('description')}
        description={say('description_hint')}
        autosize
        maxLength={1_000}
        dir="auto"
        readOnly={readOnly}
        value={field.description ?? ''}
        error={fault(`${pointer}/description`)}
        onChange={(event) => set({ description: event.currentTarget.value || undefined })}
      />
      {field.type === 'choice' && (
        <TagsInput
          label={say('choices')}
          description={say('choices_hint')}
          required
          maxTags={MAX_RESULT_CHOICES}
          readOnly={readOnly}
          value={field.choices ?? []}
          error={fault(`${pointer}/choices`)}
          onChange={(choices) => set({ choices: choices.length === 0 ? undefined : choices })}
        />
      )}
      <Checkbox
        label={say('required')}
        disabled={readOnly}
        checked={field.required ?? false}
        onChange={(event) => set({ required: event.currentTarget.checked || undefined })}
      />
      <TextInput
        label={say('save_to')}
        description={say('save_to_hint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        className={classes.mono}
        readOnly={readOnly}
        value={field.save_to ?? ''}
        error={fault(`${pointer}/save_to`)}
        onChange={(event) => set({ save_to: event.currentTarget.value.trim() || undefined })}
      />
    </>
  );
}

function freeName(fields: readonly ResultField[]): string {
  let number = fields.length + 1;
  while (fields.some(({ name }) => name === `value_${number}`)) number++;
  return `value_${number}`;
}
