import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { useOrganization } from '../../../session/session.ts';
import { texts } from '../texts.ts';

type Props = {
  id: string;
  value: string | null;
  /** The name of the selected agent, which may not be in the search results. */
  valueName: string | null;
  onChange: (id: string | null) => void;
  error: string | null;
};

const SHOWN = 50;

/** The server searches, because the organization may have more agents than the list contains. */
export function AgentSelect({ id, value, valueName, onChange, error }: Props): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const [typed, setTyped] = useState('');
  // After a choice, the text in the field is the chosen name and not a search.
  const [text] = useDebouncedValue(typed === valueName ? '' : typed.trim(), 200);
  const found = useRead(
    'listAgents',
    { params: { org_id }, query: { limit: SHOWN, ...(text !== '' && { text: text.slice(0, 100) }) } },
    { keep: true },
  );
  const agents = (found.data?.data ?? []).map((agent) => ({ value: agent.id, label: agent.name }));
  if (value && valueName && !agents.some((agent) => agent.value === value)) agents.unshift({ value, label: valueName });
  return (
    <Select
      id={id}
      label={say('agent')}
      placeholder={say('agent_placeholder')}
      searchable
      withAsterisk
      value={value}
      onChange={onChange}
      onSearchChange={setTyped}
      // The server has already searched, so the field does not filter the choices.
      filter={({ options }) => options}
      data={agents}
      nothingFoundMessage={say(found.data && text === '' ? 'agent_no_agents' : 'agent_none')}
      error={error}
      comboboxProps={{ shadow: 'lg' }}
    />
  );
}
