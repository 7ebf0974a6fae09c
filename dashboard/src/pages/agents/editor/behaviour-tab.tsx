import { Stack, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { VariableTextarea } from '../../../parts/variable-textarea.tsx';
import { texts } from '../texts.ts';
import { useEditor } from '../../../parts/editor/editor.ts';
import { LocalizedField } from '../../../parts/editor/localized-field.tsx';
import { ModelCard } from './model-card.tsx';
import { NoReplyCard } from './no-reply-card.tsx';
import { SurveyCard } from './survey-card.tsx';
import { FallbackCard } from './fallback-card.tsx';

const MAX_INSTRUCTIONS = 32_000;
const MAX_MISSES = 20;

export function BehaviourTab(): ReactNode {
  const say = useTexts(texts);
  const { definition, change, fault, readOnly, variables = [] } = useEditor();
  return (
    <>
      <Card>
        <Stack gap="lg">
          <VariableTextarea
            label={say('instructions')}
            description={say('instructions_hint')}
            autosize
            minRows={12}
            maxLength={MAX_INSTRUCTIONS}
            dir="auto"
            readOnly={readOnly}
            value={definition.instructions ?? ''}
            error={fault('/instructions')}
            variables={variables}
            onText={(instructions) => change({ instructions })}
          />
          <LocalizedField
            label={say('opening')}
            hint={say.rich('opening_hint', { braces: <code>{'{{end_user.name}}'}</code> })}
            value={definition.opening}
            pointer="/opening"
            rows={3}
            onChange={(opening) => change({ opening })}
          />
          <LocalizedField
            label={say('dont_know')}
            hint={say('dont_know_hint')}
            value={definition.dont_know}
            pointer="/dont_know"
            onChange={(dont_know) => change({ dont_know })}
          />
        </Stack>
      </Card>
      <ModelCard />
      {(definition.provider ?? 'embedded') !== 'embedded' && <FallbackCard />}
      <HandOffCard />
      <NoReplyCard />
      <SurveyCard />
    </>
  );
}

function HandOffCard(): ReactNode {
  const say = useTexts(texts);
  const { definition, change, fault, readOnly } = useEditor();
  const handOff = definition.hand_off ?? {};
  const set = (part: typeof handOff): void => change({ hand_off: { ...handOff, ...part } });
  return (
    <Card title={say('hand_off')} description={say('hand_off_hint')}>
      <Stack gap="lg">
        <Switch
          label={say('on_request')}
          checked={handOff.on_request ?? true}
          disabled={readOnly}
          onChange={(event) => set({ on_request: event.currentTarget.checked })}
        />
        <NumberField
          label={say('after_misses')}
          description={say('after_misses_hint')}
          maw={360}
          min={1}
          max={MAX_MISSES}
          allowDecimal={false}
          clampBehavior="strict"
          readOnly={readOnly}
          value={handOff.after_misses}
          error={fault('/hand_off/after_misses')}
          onChange={(value) => set({ after_misses: value })}
        />
        <LocalizedField
          label={say('hand_off_text')}
          value={handOff.text}
          pointer="/hand_off/text"
          onChange={(text) => set({ text })}
        />
      </Stack>
    </Card>
  );
}
