import { Input, Select, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { MAX_REMINDERS, MAX_SILENT_MINUTES } from '../../../../../contract/no-reply.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { useEditor } from '../../../parts/editor/editor.ts';
import { ItemCards } from './item-cards.tsx';
import { LocalizedField } from '../../../parts/editor/localized-field.tsx';
import { noReplyTexts } from './no-reply-texts.ts';

const FIRST_MINUTES = 30;

/** The card sets the reminders to a person who does not answer, and the end of the conversation. */
export function NoReplyCard(): ReactNode {
  const say = useTexts(noReplyTexts);
  const { definition, change, fault, readOnly } = useEditor();
  const noReply = definition.no_reply ?? {};
  const { remind = [], end_after_minutes: end, then } = noReply;
  const set = (part: typeof noReply): void => change({ no_reply: { ...noReply, ...part } });
  return (
    <Card title={say('title')} description={say('hint')}>
      <Stack gap="lg">
        <Input.Wrapper label={say('reminders')} labelElement="div">
          <ItemCards
            label={say('reminders')}
            items={remind}
            onChange={(next) => set({ remind: next })}
            make={() => ({ after_minutes: (remind.at(-1)?.after_minutes ?? 0) + FIRST_MINUTES, text: {} })}
            add={say('add')}
            empty={say('empty')}
            max={MAX_REMINDERS}
            titleOf={({ after_minutes }) => say('reminder', { count: after_minutes })}
            pointer="/no_reply/remind"
          >
            {(reminder, put, pointer) => (
              <>
                <NumberField
                  label={say('after')}
                  maw={360}
                  min={1}
                  max={MAX_SILENT_MINUTES}
                  allowDecimal={false}
                  readOnly={readOnly}
                  value={reminder.after_minutes}
                  error={fault(`${pointer}/after_minutes`)}
                  onChange={(value) => put({ after_minutes: value ?? 1 })}
                />
                <LocalizedField
                  label={say('text')}
                  value={reminder.text}
                  pointer={`${pointer}/text`}
                  required
                  onChange={(text) => put({ text: text ?? {} })}
                />
              </>
            )}
          </ItemCards>
        </Input.Wrapper>
        <NumberField
          label={say('end_after')}
          description={say('end_after_hint')}
          maw={360}
          min={1}
          max={MAX_SILENT_MINUTES}
          allowDecimal={false}
          readOnly={readOnly}
          value={end}
          error={fault('/no_reply/end_after_minutes')}
          onChange={(value) => set({ end_after_minutes: value })}
        />
        {end !== undefined && (
          <Select
            label={say('at_end')}
            maw={360}
            allowDeselect={false}
            readOnly={readOnly}
            value={then ?? 'complete'}
            data={(['complete', 'hand_off'] as const).map((value) => ({ value, label: say(`then_${value}`) }))}
            // oxlint-disable-next-line unicorn/no-thenable -- the name on the wire, of a text
            onChange={(value) => value && set({ then: value })}
          />
        )}
      </Stack>
    </Card>
  );
}
