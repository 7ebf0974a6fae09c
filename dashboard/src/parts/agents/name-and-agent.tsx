import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { MAX_LABEL_CHARACTERS } from '../../../../contract/limits.ts';
import { useTexts, type Say } from '../../language/texts.tsx';
import { texts as agentTexts } from './agent-select-texts.ts';
import { AgentSelect } from './agent-select.tsx';
import { useLateAgent } from './use-only-agent.ts';

type FieldProps = {
  id: string;
  value: string | undefined;
  error: string | null;
  onChange: (event: { currentTarget: { value: string } }) => void;
};
type Props = {
  say: Say<'name' | 'name_example'>;
  /** The preselected agent. */
  agentId: string | null;
  form: {
    values: { agent_id?: string };
    getInputProps: (name: 'name' | 'agent_id') => FieldProps;
    setFieldValue: (name: 'agent_id', id: string) => void;
  };
  onAgent?: () => void;
};

/** These are the first fields of every form for something that belongs to an agent. */
export function NameAndAgent({ say, agentId, form, onAgent }: Props): ReactNode {
  const sayAgent = useTexts(agentTexts);
  const { id, value, error } = form.getInputProps('agent_id');
  useLateAgent(agentId, form);
  return (
    <>
      <TextInput
        label={say('name')}
        description={say('name_example')}
        withAsterisk
        maxLength={MAX_LABEL_CHARACTERS}
        dir="auto"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <AgentSelect
        label={sayAgent('agent')}
        withAsterisk
        id={id}
        value={value || null}
        error={error}
        onChange={(chosen) => {
          form.setFieldValue('agent_id', chosen ?? '');
          onAgent?.();
        }}
      />
    </>
  );
}
