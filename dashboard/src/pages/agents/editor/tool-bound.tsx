import { Autocomplete, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Tool } from '../../../../../contract/agents.ts';
import { useTexts } from '../../../language/texts.tsx';
import { useVariables } from '../../../parts/playground/call-data.ts';
import { useEditor } from '../../../parts/editor/editor.ts';
import { toolTexts } from './tool-texts.ts';
import classes from '../agents.module.css';
import pageClasses from '../../../parts/page.module.css';

type Props = { tool: Tool; set: (part: Partial<Tool>) => void; pointer: string; agentId: string };

const OF_PERSON = ['id', 'external_id', 'email', 'phone', 'name', 'locale', 'time_zone'];

/**
 * Selects the variable that fills each argument of the schema. If no variable is selected, the model fills the
 * argument.
 */
export function ToolBound({ tool, set, pointer, agentId }: Props): ReactNode {
  const say = useTexts(toolTexts);
  const { fault, readOnly } = useEditor();
  const variables = useVariables(agentId, undefined);
  const bound = tool.bound ?? {};
  const { properties } = tool.parameters;
  const declared = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  // A bound argument that is no longer in the schema stays visible, because it is a fault.
  const names = [...new Set([...declared, ...Object.keys(bound)])];
  if (names.length === 0) return null;
  const known = [...OF_PERSON.map((name) => `end_user.${name}`), ...variables.map(({ name }) => name)];
  const change = (name: string, value: string): void => {
    const { [name]: _before, ...rest } = bound;
    const next = value.trim() === '' ? rest : { ...rest, [name]: value };
    set({ bound: Object.keys(next).length === 0 ? undefined : next });
  };
  return (
    <section aria-label={say('bound')}>
      <Text size="sm" fw={500}>
        {say('bound')}
      </Text>
      <Text size="xs" c="dimmed" mb={6}>
        {say('bound_hint')}
      </Text>
      <div className={classes.row}>
        {names.map((name) => (
          <Autocomplete
            key={name}
            size="xs"
            label={<code>{name}</code>}
            className={pageClasses.mono}
            placeholder={say('bound_by_model')}
            readOnly={readOnly}
            data={known.map((one) => `{{${one}}}`)}
            value={bound[name] ?? ''}
            error={fault(`${pointer}/bound/${name}`)}
            onChange={(value) => change(name, value)}
          />
        ))}
      </div>
    </section>
  );
}
