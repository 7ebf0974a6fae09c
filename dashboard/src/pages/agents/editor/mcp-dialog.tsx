import { Alert, Button, Checkbox, PasswordInput, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { Tool } from '../../../../../contract/agents.ts';
import type { McpTools } from '../../../../../contract/dashboard/tools.ts';
import { call } from '../../../api/client.ts';
import { refetch } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { SecretDialog } from '../../../parts/secret-dialog.tsx';
import { useCreateSecret } from '../../../parts/use-create-secret.ts';
import { useMay, useOrganization } from '../../../session/session.ts';
import { useEditor } from '../../../parts/editor/editor.ts';
import { formOf, isFrom, localName, type McpServer } from './mcp-server.ts';
import { mcpTexts } from './mcp-texts.ts';
import classes from '../../../parts/page.module.css';

const route = getRouteApi('/inside/agents/$agent_id');
const SERVER = /^[a-zA-Z][a-zA-Z0-9_-]{0,31}$/;

/** The dialog has two steps, first the server and then its tools. */
export function AddFromMcp({ most }: { most: number }): ReactNode {
  const say = useTexts(mcpTexts);
  const { readOnly } = useEditor();
  const [opened, setOpened] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = (): void => {
    setOpened(false);
    setAsked(null);
  };
  if (!useMay('member') || readOnly) return null;
  return (
    <>
      <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setOpened(true)}>
        {say('add')}
      </Button>
      {/* While the secret is shown above this dialog, Esc and the focus apply to the dialog of the secret. */}
      <Dialog
        opened={opened}
        onClose={close}
        title={say('title')}
        size={640}
        closeOnEscape={secret === null}
        trapFocus={secret === null}
      >
        {asked?.answer.server ? (
          <Choose at={asked.at} answer={asked.answer} most={most} onClose={close} />
        ) : (
          <Ask refused={asked} onSecret={setSecret} onAnswer={setAsked} onClose={close} />
        )}
      </Dialog>
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}

type Asked = { at: McpServer; answer: McpTools };
type Told = {
  /** This function is called when a signing secret was created, even if the server does not respond after that. */
  onSecret: (secret: string) => void;
  onAnswer: (asked: Asked) => void;
};
type AskProps = Told & { refused: Asked | null; onClose: () => void };

type Given = { server: string; url: string; token: string };

function Ask({ refused, onClose, ...rest }: AskProps): ReactNode {
  const say = useTexts(mcpTexts);
  const [given, setGiven] = useState<Given>({ server: '', url: '', ...refused?.at, token: '' });
  const [faults, setFaults] = useState<Partial<Given>>({});
  const { busy, problem, ask } = useAsk(rest);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const found = {
      ...(!SERVER.test(given.server) && { server: say('server_fault') }),
      ...(!/^https?:\/\/./.test(given.url) && { url: say('url_fault') }),
    };
    setFaults(found);
    if (Object.keys(found).length === 0) void ask(given);
  };
  const error = refused?.answer.error;
  return (
    <DialogForm act={say('ask')} busy={busy} problem={problem} onCancel={onClose} onSubmit={submit}>
      <Text size="sm">{say('intro')}</Text>
      <Fields
        given={given}
        faults={faults}
        change={(part) => {
          setGiven((before) => ({ ...before, ...part }));
          setFaults({});
        }}
      />
      {error != null && (
        <Alert color="red">
          <span dir="auto">{error}</span>
        </Alert>
      )}
    </DialogForm>
  );
}

/** Stores the token, if the user entered one, and requests the list of tools. */
function useAsk({ onSecret, onAnswer }: Told) {
  const org_id = useOrganization().id;
  const { agent_id } = route.useParams();
  const client = useQueryClient();
  const { busy, problem, make } = useCreateSecret(async ({ server, url, token }: Given) => {
    const params = { org_id, agent_id };
    if (token.trim() !== '') await storeToken(params, { server, url }, token.trim(), onSecret);
    const answer = await call('listMcpTools', { params, body: { server, url } });
    void refetch(client, ['listToolSecrets', 'listMcpTools']);
    return { at: { server, url }, answer };
  });
  const ask = async (given: Given): Promise<void> => {
    const outcome = await make(given);
    if ('made' in outcome) onAnswer(outcome.made);
  };
  return { busy, problem, ask };
}

type FieldsProps = { given: Given; faults: Partial<Given>; change: (part: Partial<Given>) => void };

function Fields({ given, faults, change }: FieldsProps): ReactNode {
  const say = useTexts(mcpTexts);
  const mayStore = useMay('admin');
  return (
    <>
      <TextInput
        label={say('server')}
        description={say('server_hint')}
        className={classes.mono}
        withAsterisk
        maxLength={32}
        data-autofocus
        value={given.server}
        error={faults.server}
        onChange={(event) => change({ server: event.currentTarget.value })}
      />
      <TextInput
        label={say('url')}
        className={classes.mono}
        withAsterisk
        type="url"
        placeholder="https://"
        maxLength={2048}
        value={given.url}
        error={faults.url}
        onChange={(event) => change({ url: event.currentTarget.value })}
      />
      {mayStore ? (
        <PasswordInput
          label={say('token')}
          description={say('token_hint')}
          autoComplete="off"
          classNames={{ input: 'ltr' }}
          value={given.token}
          onChange={(event) => change({ token: event.currentTarget.value })}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {say('token_admins')}
        </Text>
      )}
    </>
  );
}

type Whose = { org_id: string; agent_id: string };

/**
 * Creates or updates the secret of the server, with the token as its credentials. A new secret is created only if this
 * URL has no secret yet.
 */
async function storeToken(
  params: Whose,
  { server, url }: McpServer,
  bearer: string,
  onSecret: Told['onSecret'],
): Promise<void> {
  const { data } = await call('listToolSecrets', { params });
  const tool = `mcp:${server}`;
  const { origin } = new URL(url);
  const known = data.find((one) => one.tool === tool && one.origin === origin);
  let id = known?.id;
  if (id === undefined) {
    const made = await call('createToolSecret', { params, body: { tool, url } });
    onSecret(made.secret);
    ({ id } = made);
  }
  await call('setToolCredentials', { params: { ...params, tool_secret_id: id }, body: { bearer } });
}

type ChooseProps = Asked & { most: number; onClose: () => void };

function Choose({ at, answer, most, onClose }: ChooseProps): ReactNode {
  const say = useTexts(mcpTexts);
  const { definition, change } = useEditor();
  const [wanted, setWanted] = useState<string[]>([]);
  const tools = definition.tools ?? [];
  const has = new Set(tools.filter(isFrom(at)).map(({ mcp }) => mcp!.tool));
  const isFull = tools.length + wanted.length > most;
  const add = (): void => {
    const next: Tool[] = [...tools];
    for (const tool of answer.tools.filter(({ name }) => wanted.includes(name))) {
      const usedNames = next.map(({ name }) => name);
      next.push({ name: localName(tool.name, at.server, usedNames), url: at.url, ...formOf(tool, at.server) });
    }
    change({ tools: next });
    onClose();
  };
  return (
    <DialogForm
      act={say('choose', { many: wanted.length })}
      busy={false}
      problem={null}
      onCancel={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted.length > 0 && !isFull) add();
      }}
    >
      <Text size="sm">
        {answer.tools.length === 0
          ? say('none')
          : say.rich('found', { name: <bdi>{answer.server!.name}</bdi>, version: <bdi>{answer.server!.version}</bdi> })}
      </Text>
      <ScrollArea.Autosize mah={380} type="auto" tabIndex={0} role="region" aria-label={say('title')}>
        <Stack gap="sm">
          {answer.tools.map(({ name, description, fault }) => (
            <Checkbox
              key={name}
              label={<code className="ltr">{name}</code>}
              description={
                <span dir="auto">{fault ?? (has.has(name) ? say('chosen') : description.slice(0, 400))}</span>
              }
              disabled={fault !== null || has.has(name)}
              checked={has.has(name) || wanted.includes(name)}
              onChange={(event) => {
                const { checked } = event.currentTarget;
                setWanted((before) => (checked ? [...before, name] : before.filter((one) => one !== name)));
              }}
            />
          ))}
        </Stack>
      </ScrollArea.Autosize>
      {answer.more > 0 && (
        <Text size="sm" c="dimmed">
          {say('more', { many: answer.more })}
        </Text>
      )}
      {isFull && <Alert color="orange">{say('too_many', { most })}</Alert>}
    </DialogForm>
  );
}
