import type { ReactNode } from 'react';
import { DEFAULT_KNOWLEDGE_TOKENS } from '../../../../contract/agents.ts';
import { CODE_PROVIDER } from '../../../../contract/turns.ts';
import { useTexts } from '../../language/texts.tsx';
import { NumberField } from '../../parts/number-field.tsx';
import { useEditor } from '../../parts/editor/editor.ts';
import { texts } from './texts.ts';
import classes from './agents.module.css';

/** The amount of document text that a model reads for each answer. An agent without a model has no such limit. */
export function KnowledgeBudget(): ReactNode {
  const say = useTexts(texts);
  const { definition, change, fault, readOnly } = useEditor();
  const { provider = 'embedded' } = definition;
  if (provider === 'embedded' || provider === CODE_PROVIDER) return null;
  return (
    <NumberField
      className={classes.use}
      label={say('knowledge_tokens')}
      description={say('knowledge_tokens_hint')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder={String(DEFAULT_KNOWLEDGE_TOKENS)}
      min={500}
      max={500_000}
      step={1_000}
      allowDecimal={false}
      readOnly={readOnly}
      value={definition.knowledge?.max_tokens}
      error={fault('/knowledge/max_tokens')}
      onChange={(tokens) => change({ knowledge: tokens === undefined ? undefined : { max_tokens: tokens } })}
    />
  );
}
