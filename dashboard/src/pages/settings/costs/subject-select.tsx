import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import type { BudgetRecord } from '../../../../../contract/dashboard/costs.ts';
import { useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { useOrganization } from '../../../session/session.ts';
import { texts } from './texts.ts';

const SHOWN = 50;

type Named = Exclude<BudgetRecord['subject'], 'organization'>;
type Props = { id: string; of: Named; value: string; onChange: (id: string) => void; error: string | null };
type Found = { value: string; label: string };

/**
 * Selects one agent, campaign or key by its name. The server searches, because the organization may have more records
 * than the list contains.
 */
export function SubjectSelect({ id, of, value, onChange, error }: Props): ReactNode {
  const say = useTexts(texts);
  const [chosen, setChosen] = useState<Found | null>(null);
  const [typed, setTyped] = useState('');
  // After a choice, the text in the field is the chosen name and not a search.
  const [text] = useDebouncedValue(typed === chosen?.label ? '' : typed.trim(), 200);
  const { found, isPending } = useFound(of, text.slice(0, 100));
  const isKnown = chosen === null || found.some((one) => one.value === chosen.value);
  return (
    <Select
      id={id}
      label={say(`subject_${of}`)}
      placeholder={say('find_by_name')}
      searchable
      withAsterisk
      value={value || null}
      onChange={(next) => {
        setChosen(found.find((one) => one.value === next) ?? null);
        onChange(next ?? '');
      }}
      onSearchChange={setTyped}
      // The server has already searched, so the field does not filter the choices.
      filter={({ options }) => options}
      data={isKnown ? found : [chosen, ...found]}
      nothingFoundMessage={isPending ? say('searching') : say('none_found')}
      error={error}
    />
  );
}

function useFound(of: Named, text: string): { found: Found[]; isPending: boolean } {
  const params = { org_id: useOrganization().id };
  const query = { limit: SHOWN, ...(text !== '' && { text }) };
  const input = { params, query };
  const extras = (one: Named) => ({ keep: true, enabled: of === one });
  const agents = useRead('listAgents', input, extras('agent'));
  const campaigns = useRead('listCampaigns', input, extras('campaign'));
  const keys = useRead('listKeys', input, extras('key'));
  const read = { agent: agents, campaign: campaigns, key: keys }[of];
  const found = {
    agent: agents.data?.data.map(({ id, name }) => ({ value: id, label: name })),
    campaign: campaigns.data?.data.map(({ id, name }) => ({ value: id, label: name })),
    // Several keys may have the same label.
    key: keys.data?.data.map(({ id, label, prefix }) => ({ value: id, label: `${label} (${prefix}…)` })),
  }[of];
  return { found: found ?? [], isPending: read.isPending };
}
