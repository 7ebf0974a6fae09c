import { Select, Skeleton, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useOrganization } from '../../session/session.ts';
import { useAgentNames, type NameOf } from '../use-record-names.ts';
import { texts } from './agent-select-texts.ts';
import classes from '../page.module.css';

const SHOWN = 50;

type Props = Omit<SelectProps, 'data' | 'value' | 'onChange'> & {
  value: string | null;
  onChange: (id: string | null) => void;
};

/**
 * Selects one of the organization's agents. The server searches, because the organization may have more agents than the
 * list contains.
 */
export function AgentSelect({ value, onChange, ...rest }: Props): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const chosen = useAgentNames(value ? [value] : [])(value ?? '') ?? null;
  const [typed, setTyped] = useState('');
  // After a choice, the text in the field is the chosen name and not a search.
  const [text] = useDebouncedValue(typed === chosen ? '' : typed.trim(), 200);
  const found = useRead(
    'listAgents',
    { params: { org_id }, query: { limit: SHOWN, ...(text !== '' && { text: text.slice(0, 100) }) } },
    { keep: true },
  );
  const data = (found.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  if (value && chosen && !data.some((agent) => agent.value === value)) data.unshift({ value, label: chosen });
  return (
    <Select
      searchable
      value={value}
      onChange={onChange}
      onSearchChange={setTyped}
      // The server has already searched, so the field does not filter the choices.
      filter={({ options }) => options}
      data={data}
      placeholder={say('search_agents')}
      nothingFoundMessage={say('no_such_agent')}
      {...rest}
    />
  );
}

/** The component is the same field as a filter of a list. */
export function AgentFilter({ value, onChange }: { value: string | undefined; onChange: (id?: string) => void }) {
  const say = useTexts(texts);
  return (
    <AgentSelect
      aria-label={say('agent')}
      placeholder={say('any_agent')}
      clearable
      w={210}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
    />
  );
}

/** Shows the name of an agent, linked to its page. */
export function AgentLink({ id, nameOf }: { id: string; nameOf: NameOf }): ReactNode {
  const say = useTexts(texts);
  const name = nameOf(id);
  if (name === undefined) return <Skeleton h={14} w={100} />;
  if (name === null) return <span className={classes.soft}>{say('gone_agent')}</span>;
  return (
    <Link to="/agents/$agent_id" params={{ agent_id: id }} className={classes.link} dir="auto">
      {name}
    </Link>
  );
}
