import { Text, Textarea, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Tool } from '../../../../../contract/agents.ts';
import type { ToolChange } from '../../../../../contract/dashboard/agents.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { parseObject } from '../../../parts/parse-object.ts';
import { texts } from '../texts.ts';
import { useEditor } from '../../../parts/editor/editor.ts';
import { ItemCards } from './item-cards.tsx';
import { AddFromMcp } from './mcp-dialog.tsx';
import { McpWatch } from './mcp-watch.tsx';
import { mcpTexts } from './mcp-texts.ts';
import { ToolBound } from './tool-bound.tsx';
import { ToolEffect } from './tool-effect.tsx';
import { LeftSecrets, ToolSecret } from './tool-secret.tsx';
import { ToolTry } from './tool-try-dialog.tsx';
import classes from '../agents.module.css';
import pageClasses from '../../../parts/page.module.css';

const MAX_TOOLS = 32;
const route = getRouteApi('/inside/agents/$agent_id');

export function ToolsTab({ changed }: { changed: readonly ToolChange[] }): ReactNode {
  const say = useTexts(texts);
  const { definition, change } = useEditor();
  const tools = definition.tools ?? [];
  return (
    <Card title={say('tab_tools')} description={say('tools_hint')} aside={<AddFromMcp most={MAX_TOOLS} />}>
      <McpWatch changed={changed} />
      <ItemCards
        label={say('tab_tools')}
        items={tools}
        onChange={(next) => change({ tools: next })}
        make={(): Tool => ({
          name: `tool_${tools.length + 1}`,
          description: '',
          parameters: { type: 'object', properties: {} },
          url: '',
        })}
        add={say('add_tool')}
        empty={say('tools_empty')}
        max={MAX_TOOLS}
        titleOf={({ name }) => name}
        hintOf={({ mcp }) => mcp && `MCP: ${mcp.server}`}
        pointer="/tools"
      >
        {(tool, set, pointer) => <ToolFields tool={tool} set={set} pointer={pointer} />}
      </ItemCards>
      <LeftSecrets tools={tools} />
    </Card>
  );
}

type Props = { tool: Tool; set: (part: Partial<Tool>) => void; pointer: string };

function ToolFields({ tool, set, pointer }: Props): ReactNode {
  const say = useTexts(texts);
  const sayMcp = useTexts(mcpTexts);
  const { fault, readOnly } = useEditor();
  const { agent_id } = route.useParams();
  // Approved parts cannot be edited, because their hash would not match any more.
  const isFixed = readOnly || tool.mcp !== undefined;
  return (
    <>
      {tool.mcp && (
        <Text size="sm" c="dimmed">
          {sayMcp.rich('of_server', {
            tool: <bdi className="ltr">{tool.mcp.tool}</bdi>,
            server: <bdi>{tool.mcp.server}</bdi>,
          })}
        </Text>
      )}
      <div className={classes.row}>
        <TextInput
          label={say('tool_name')}
          className={pageClasses.mono}
          withAsterisk
          maxLength={64}
          readOnly={readOnly}
          value={tool.name}
          error={fault(`${pointer}/name`)}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <TextInput
          label={say('tool_url')}
          description={say('tool_url_hint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          className={pageClasses.mono}
          withAsterisk
          type="url"
          placeholder="https://"
          maxLength={2048}
          readOnly={isFixed}
          value={tool.url}
          error={fault(`${pointer}/url`)}
          onChange={(event) => set({ url: event.currentTarget.value })}
        />
      </div>
      <Textarea
        label={say('tool_description')}
        withAsterisk
        dir="auto"
        autosize
        minRows={2}
        maxRows={6}
        maxLength={1024}
        readOnly={isFixed}
        value={tool.description}
        error={fault(`${pointer}/description`)}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <Parameters
        key={tool.mcp?.pin}
        value={tool.parameters}
        error={fault(`${pointer}/parameters`)}
        readOnly={isFixed}
        onChange={(parameters) => set({ parameters })}
      />
      <ToolBound tool={tool} set={set} pointer={pointer} agentId={agent_id} />
      <ToolEffect tool={tool} set={set} pointer={pointer} />
      <ToolSecret tool={tool} />
      <ToolTry tool={tool} />
    </>
  );
}

type ParametersProps = {
  value: Tool['parameters'];
  error: string | null;
  readOnly: boolean;
  onChange: (value: Tool['parameters']) => void;
};

/** While the user types, the text is often not valid JSON. The definition changes only when the text is valid. */
function Parameters({ value, error, readOnly, onChange }: ParametersProps): ReactNode {
  const say = useTexts(texts);
  const [typed, setTyped] = useState(() => JSON.stringify(value, null, 2));
  const parsed = parseObject(typed);
  return (
    <Textarea
      label={say('tool_parameters')}
      className={pageClasses.mono}
      autosize
      minRows={4}
      maxRows={14}
      spellCheck={false}
      readOnly={readOnly}
      value={typed}
      error={parsed ? error : say('tool_json')}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        const next = parseObject(text);
        if (next) onChange(next);
      }}
    />
  );
}
