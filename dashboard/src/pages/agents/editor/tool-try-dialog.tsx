import { Button, Code, JsonInput, ScrollArea, Stack, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Tool } from '../../../../../contract/agents.ts';
import type { ToolTried } from '../../../../../contract/dashboard/tools.ts';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { parseObject } from '../../../parts/parse-object.ts';
import { useMay, useOrganization } from '../../../session/session.ts';
import { toolTexts } from './tool-texts.ts';
import classes from '../agents.module.css';
import pageClasses from '../../../parts/page.module.css';

const route = getRouteApi('/inside/agents/$agent_id');

/** Calls the tool with the unsaved settings of the editor, for a fictional person. */
export function ToolTry({ tool }: { tool: Tool }): ReactNode {
  const say = useTexts(toolTexts);
  const [opened, setOpened] = useState(false);
  if (!useMay('member')) return null;
  return (
    <div>
      <Button variant="default" size="xs" leftSection={<IconPlayerPlay size={14} />} onClick={() => setOpened(true)}>
        {say('try')}
      </Button>
      <Dialog opened={opened} onClose={() => setOpened(false)} title={say('try_title', { name: tool.name })} size={720}>
        <Form tool={tool} onClose={() => setOpened(false)} />
      </Dialog>
    </div>
  );
}

function Form({ tool, onClose }: { tool: Tool; onClose: () => void }): ReactNode {
  const say = useTexts(toolTexts);
  const org_id = useOrganization().id;
  const { agent_id } = route.useParams();
  const act = useAct('tryTool', { refresh: [] });
  const [args, setArgs] = useState(() => exampleOf(tool));
  const [person, setPerson] = useState('{\n  "external_id": "crm-1"\n}');
  const [variables, setVariables] = useState('{}');
  const [given, setGiven] = useState<Record<string, string | null>>({});
  const send = (): void => {
    const [a, p, v] = [args, person, variables].map(parseObject);
    setGiven({ args: fault(a), person: fault(p), variables: fault(v) });
    if (!a || !p || !v) return;
    const end_user = { id: 'enduser_playground', name: null, ...p };
    act.mutate({ params: { org_id, agent_id }, body: { tool, arguments: a, variables: { ...v, end_user } } });
  };
  const fault = (value: unknown): string | null => (value ? null : say('try_json'));
  const fields = [
    ['args', say('try_arguments'), args, setArgs],
    ['person', say('try_person'), person, setPerson],
    ['variables', say('try_variables'), variables, setVariables],
  ] as const;
  return (
    <DialogForm
      act={say('try_send')}
      busy={act.isPending}
      problem={act.error}
      onCancel={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Text size="sm">{say('try_hint')}</Text>
      {fields.map(([name, label, value, change]) => (
        <JsonInput
          key={name}
          label={label}
          className={pageClasses.mono}
          autosize
          minRows={name === 'variables' ? 1 : 3}
          maxRows={10}
          spellCheck={false}
          value={value}
          error={given[name]}
          onChange={change}
        />
      ))}
      {act.data && <Outcome tried={act.data} />}
    </DialogForm>
  );
}

function Outcome({ tried }: { tried: ToolTried }): ReactNode {
  const say = useTexts(toolTexts);
  const { request, status, error, answer, duration_ms: duration } = tried;
  const head = request && [`POST ${request.url}`, ...Object.entries(request.headers).map((pair) => pair.join(': '))];
  return (
    <Stack gap="xs" aria-live="polite">
      {request && <Shown label={say('try_request')} text={`${head!.join('\n')}\n\n${prettyJson(request.body)}`} />}
      <Text size="sm" fw={500} c={error === null ? undefined : 'red'}>
        {status === null ? say('try_no_answer') : say('try_answer', { status, duration })}
        {error !== null && <span dir="auto"> {error}</span>}
      </Text>
      {answer !== '' && <Shown label={say('try_body')} text={prettyJson(answer)} />}
    </Stack>
  );
}

function Shown({ label, text }: { label: string; text: string }): ReactNode {
  return (
    <ScrollArea.Autosize mah={260} type="auto" tabIndex={0} role="region" aria-label={label}>
      <Text size="xs" c="dimmed" mb={2}>
        {label}
      </Text>
      <Code block className={`ltr ${classes.wrapped}`}>
        {text}
      </Code>
    </ScrollArea.Autosize>
  );
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Returns an object with the arguments that the model may set, all empty. */
function exampleOf({ parameters, bound = {} }: Tool): string {
  const { properties } = parameters;
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const own = names.filter((name) => !Object.hasOwn(bound, name));
  return JSON.stringify(Object.fromEntries(own.map((name) => [name, ''])), null, 2);
}
