import { Alert, Button, Group, Loader, ScrollArea, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { Tool } from '../../../../../contract/agents.ts';
import type { ToolChange } from '../../../../../contract/dashboard/agents.ts';
import type { McpTool } from '../../../../../contract/dashboard/tools.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { TextDiff } from '../../../parts/text-diff.tsx';
import { useMay } from '../../../session/session.ts';
import { useEditor } from '../../../parts/editor/editor.ts';
import { formOf, isFrom, type McpServer, serversOf, useMcpTools } from './mcp-server.ts';
import { mcpTexts } from './mcp-texts.ts';

/** Shows for each MCP server of the agent whether its tools still match their approved versions. */
export function McpWatch({ changed }: { changed: readonly ToolChange[] }): ReactNode {
  const say = useTexts(mcpTexts);
  const { definition } = useEditor();
  const servers = serversOf(definition.tools ?? []);
  const may = useMay('member');
  if (servers.length === 0) return null;
  // The page of a viewer does not call the servers. Instead, the page shows the changes that nodes have found.
  if (!may) return <Seen changed={changed} />;
  return (
    <Stack gap="xs" mb="md" component="section" aria-label={say('watch')} aria-live="polite">
      {servers.map((at) => (
        <Standing key={`${at.server} ${at.url}`} at={at} changed={changed} />
      ))}
    </Stack>
  );
}

type StandingProps = { at: McpServer; changed: readonly ToolChange[] };

function Standing({ at, changed }: StandingProps): ReactNode {
  const say = useTexts(mcpTexts);
  const { definition } = useEditor();
  const read = useMcpTools(at);
  const server = <bdi>{at.server}</bdi>;
  if (read.error) return <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />;
  if (!read.data) {
    return (
      <Group gap="xs">
        <Loader size="xs" />
        <Text size="sm">{say.rich('asking', { server })}</Text>
      </Group>
    );
  }
  const { error, tools } = read.data;
  if (error !== null) {
    return (
      <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
        {say.rich('failed', { server })} <span dir="auto">{error}</span>{' '}
        <Button variant="default" size="compact-xs" loading={read.isFetching} onClick={() => void read.refetch()}>
          {say('again')}
        </Button>
      </Alert>
    );
  }
  const own = (definition.tools ?? []).filter(isFrom(at));
  const doubtful = own.filter(({ mcp }) => tools.find(({ name }) => name === mcp!.tool)?.pin !== mcp!.pin);
  if (doubtful.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {say.rich('approved', { server })}
      </Text>
    );
  }
  return doubtful.map((tool) => (
    <Doubt
      key={tool.name}
      tool={tool}
      now={tools.find(({ name }) => name === tool.mcp!.tool)}
      since={changed.find((one) => one.tool === tool.name)?.since}
    />
  ));
}

type DoubtProps = { tool: Tool; now: McpTool | undefined; since: string | undefined };

function Doubt({ tool, now, since }: DoubtProps): ReactNode {
  const say = useTexts(mcpTexts);
  const [opened, setOpened] = useState(false);
  const name = <bdi className="ltr">{tool.name}</bdi>;
  return (
    <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {now
            ? say.rich('changed', { tool: name })
            : say.rich('gone', { tool: name, server: <bdi>{tool.mcp!.server}</bdi> })}
          {now?.fault != null && <span dir="auto"> {now.fault}</span>}
          {since !== undefined && <> {say.rich('since', { when: <Moment at={since} /> })}</>}
        </Text>
        {now?.fault === null && (
          <Button variant="default" size="xs" onClick={() => setOpened(true)}>
            {say('review')}
          </Button>
        )}
      </Group>
      {now && (
        <Dialog
          opened={opened}
          onClose={() => setOpened(false)}
          title={say('review_title', { tool: tool.name })}
          size={760}
        >
          <Review tool={tool} now={now} onClose={() => setOpened(false)} />
        </Dialog>
      )}
    </Alert>
  );
}

/** Shows the stored change, without the button that approves it. */
function Seen({ changed }: { changed: readonly ToolChange[] }): ReactNode {
  const say = useTexts(mcpTexts);
  return changed.map(({ tool, what, since }) => (
    <Alert key={tool} color="orange" icon={<IconAlertTriangle size={18} />} mb="xs">
      <Text size="sm">
        {say.rich(what.includes('gone') ? 'gone_seen' : 'changed', { tool: <bdi className="ltr">{tool}</bdi> })}{' '}
        {say.rich('since', { when: <Moment at={since} /> })}
      </Text>
    </Alert>
  ));
}

/** Shows the difference, with the only button that approves it. */
function Review({ tool, now, onClose }: { tool: Tool; now: McpTool; onClose: () => void }): ReactNode {
  const say = useTexts(mcpTexts);
  const sayCommon = useTexts(common);
  const { definition, change, readOnly } = useEditor();
  const form = formOf(now, tool.mcp!.server);
  const parts = [
    ['description', tool.description, now.description],
    ['schema', pretty(tool.parameters), pretty(now.parameters)],
  ] as const;
  const approve = (): void => {
    change({ tools: (definition.tools ?? []).map((one) => (one.name === tool.name ? { ...one, ...form } : one)) });
    onClose();
    notifyDone(say('approved_done'));
  };
  return (
    <Stack>
      <Text size="sm">{say('review_words')}</Text>
      <Text size="xs" c="dimmed">
        {say('old_new')}
      </Text>
      {parts
        .filter(([, before, after]) => before !== after)
        .map(([what, before, after]) => (
          <div key={what}>
            <Text size="sm" fw={500}>
              {say(what)}
            </Text>
            <ScrollArea.Autosize mah={280} type="auto" tabIndex={0} role="region" aria-label={say(what)}>
              <TextDiff before={before} after={after} code={what === 'schema'} />
            </ScrollArea.Autosize>
          </div>
        ))}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          {sayCommon('cancel')}
        </Button>
        <Button onClick={approve} disabled={readOnly}>
          {say('approve')}
        </Button>
      </Group>
    </Stack>
  );
}

/** The members are sorted, so that only real differences are marked. */
const pretty = (schema: unknown): string =>
  JSON.stringify(
    schema,
    (_, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    2,
  );
